"""Label by label: the same analysis for the documents of each label."""

from __future__ import annotations

import numpy as np

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.by_label import LABELS, LabelFindings
from driftline.analysis.findings.source_summary import SOURCE
from driftline.analysis.findings.volume import VOLUME
from driftline.report.sections.periods import card
from driftline.report.sections.section import Content, Section
from driftline.report.sentences import volume_period
from driftline.report.series import drawing
from driftline.report.word_book import WordBook, words_of_a_label


def build(findings: Findings, book: WordBook) -> Content | None:
    """Make a part for every label."""
    if not LABELS.of(findings):
        return None
    most = words_of_a_label(len(LABELS.of(findings)))
    total = SOURCE.of(findings).n_documents
    period, length = volume_period(VOLUME.of(findings))
    documents = SOURCE.of(findings).first, SOURCE.of(findings).last
    parts = [_part(each, most, length, book, documents) for each in LABELS.of(findings)]
    return Content({"labels": parts, "total": total, "period": period})


def _part(
    each: LabelFindings, most: int, length: float, book: WordBook, documents: tuple[str, str]
) -> dict[str, object]:
    best = max((word.score for period in each.periods for word in period.words), default=1.0)
    return {
        "name": each.label,
        "n_documents": each.n_documents,
        "most": length * float(np.nan_to_num(each.volume.value).max(initial=0.0)),
        "volume": drawing(each.volume, width=600, height=70, points=150),
        "words": [
            {
                "word": word,
                "number": book.number(word.word, each.label),
                "spark": drawing(word.curve, width=96, height=24, points=30),
            }
            for word in each.changed_words[:most]
        ],
        "periods": [card(period, best, book, documents, each.label) for period in each.periods if period.words],
    }


SECTION = Section("labels", "Label by label", "label_by_label.html", build, "Labels", position=110)
