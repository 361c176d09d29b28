"""Few labels: the accuracy of a classifier over time, the words that changed, and documents to label next."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.few_labels import FEW_LABELS, FewLabelsFindings, PredictedFrame
from driftline.analysis.findings.source_summary import SOURCE
from driftline.figures import plot_accuracy, plot_coefficients
from driftline.report.date_formats import clock, moments
from driftline.report.numbers import count, counted, share
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.word_book import WordBook


def build(findings: Findings, book: WordBook) -> Content | None:
    """State the accuracy, draw it over time, and list the documents worth labelling."""
    found = FEW_LABELS.of(findings)
    if found is None:
        return None
    tested = [frame for frame in found.frames if frame.accuracy is not None]
    figures = {}
    if len(tested) > 1:
        figures["few-labels"] = Drawn(_accuracy(tested), "The share of documents labelled correctly, over time.")
    if found.words:
        figures["few-labels-words"] = Drawn(
            plot_coefficients([(word.word, word.label, word.curve) for word in found.words]),
            "The association of the words that changed most with a label, over time.",
        )
    return Content(
        {
            "found": found,
            "verdict": verdict(found, tested),
            "how": how(found),
            "is_part": found.n_documents < SOURCE.of(findings).n_documents,
            "has_figure": len(tested) > 1,
            "suggestions": [(clock(each.example.time), each) for each in found.suggestions],
        },
        figures,
    )


def verdict(found: FewLabelsFindings, tested: list[PredictedFrame]) -> str:
    """State the accuracy in one sentence, over the whole span and in its last third."""
    if not tested:
        return f"{counted(found.n_labelled, 'document')} of {count(found.n_documents)} have a label."
    guessing = f"always predicting the most frequent label would get {_percent(tested, 'most_frequent')} right"
    whole = f"{_percent(tested, 'accuracy')} of the predicted labels were right over the whole span"
    if len(tested) < 3:
        return f"{whole}; {guessing}."
    last = tested[-(len(tested) // 3) :]
    return f"{whole}, and {_percent(last, 'accuracy')} in its last third; {guessing}."


def how(found: FewLabelsFindings) -> str:
    """Describe how the accuracy was measured."""
    if found.labels_per_frame is None:
        return (
            f"{counted(found.n_labelled, 'document')} of {count(found.n_documents)} have a label. A "
            f"classifier was updated as the stream advanced: it predicted each label before learning it."
        )
    return (
        f"A classifier was updated as the stream advanced and learned from only {count(found.n_learned)} labels of "
        f"{count(found.n_labelled)}: {found.labels_per_frame} per time step, chosen at random. It was "
        f"tested on all the others."
    )


def _accuracy(tested: list[PredictedFrame]) -> go.Figure:
    starts, ends = moments([frame.start for frame in tested]), moments([frame.end for frame in tested])
    value, lower, upper, common = (
        np.array([getattr(frame, name) for frame in tested], dtype=np.float64)
        for name in ("accuracy", "lower", "upper", "most_frequent")
    )
    return plot_accuracy((starts + (ends - starts) // 2, value, lower, upper), baseline=common)


def _percent(tested: list[PredictedFrame], name: str) -> str:
    """Return a share over all frames, weighted by their numbers of documents."""
    right = sum(getattr(frame, name) * frame.n_tested for frame in tested)
    return share(right, sum(frame.n_tested for frame in tested))


SECTION = Section("few-labels", "Classification from few labels", "few_labels.html", build, "Few labels", position=130)
