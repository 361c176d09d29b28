"""Living on few labels: how right a classifier is over time, which words moved, and what to label next."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.few_labels import FEW_LABELS, FewLabelsFindings, ForeseenFrame
from driftline.analysis.findings.source_summary import SOURCE
from driftline.figures import plot_accuracy, plot_word_movement
from driftline.report.date_formats import clock, moments
from driftline.report.numbers import count, counted, share
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.series import as_curve
from driftline.report.word_book import WordBook


def build(findings: Findings, book: WordBook) -> Content | None:
    """Say how right it was, draw it over time, and list what is worth labelling."""
    found = findings[FEW_LABELS]
    if found is None:
        return None
    tested = [frame for frame in found.frames if frame.accuracy is not None]
    figures = {}
    if len(tested) > 1:
        figures["few-labels"] = Drawn(_accuracy(tested), "The share of documents labelled rightly, over time.")
    if found.words:
        figures["few-labels-words"] = Drawn(
            plot_word_movement([(word.word, word.label, as_curve(word.curve)) for word in found.words]),
            "What the words that moved most said about a label, over time.",
        )
    return Content(
        {
            "found": found,
            "verdict": verdict(found, tested),
            "how": how(found),
            "is_part": found.n_documents < findings[SOURCE].n_documents,
            "has_figure": len(tested) > 1,
            "suggestions": [(clock(each.example.time), each) for each in found.suggestions],
        },
        figures,
    )


def verdict(found: FewLabelsFindings, tested: list[ForeseenFrame]) -> str:
    """Say in one sentence how right the labels were, over the whole span and towards its end."""
    if not tested:
        return f"{counted(found.n_labelled, 'document')} of {count(found.n_documents)} have a label."
    guessing = f"always naming the most frequent label would get {_percent(tested, 'most_frequent')} right"
    whole = f"{_percent(tested, 'accuracy')} of the labels were right over the whole span"
    if len(tested) < 3:
        return f"{whole}; {guessing}."
    last = tested[-(len(tested) // 3) :]
    return f"{whole}, and {_percent(last, 'accuracy')} in its last third; {guessing}."


def how(found: FewLabelsFindings) -> str:
    """Say what was done to find out."""
    if found.labels_per_frame is None:
        return (
            f"{counted(found.n_labelled, 'document')} of {count(found.n_documents)} have a label. A classifier went "
            f"along with the stream: it named each label from what it had learned before, and learned it afterwards."
        )
    return (
        f"A classifier went along with the stream and was shown only {count(found.n_learned)} labels of "
        f"{count(found.n_labelled)}: {found.labels_per_frame} in each time step, taken at random. "
        f"It was asked about all the others."
    )


def _accuracy(tested: list[ForeseenFrame]) -> go.Figure:
    starts, ends = moments([frame.start for frame in tested]), moments([frame.end for frame in tested])
    value, lower, upper, common = (
        np.array([getattr(frame, name) for frame in tested], dtype=np.float64)
        for name in ("accuracy", "lower", "upper", "most_frequent")
    )
    return plot_accuracy((starts + (ends - starts) // 2, value, lower, upper), baseline=common)


def _percent(tested: list[ForeseenFrame], name: str) -> str:
    """Return a share over all frames, each counting by its documents."""
    right = sum(getattr(frame, name) * frame.n_tested for frame in tested)
    return share(right, sum(frame.n_tested for frame in tested))


SECTION = Section("few-labels", "Living on few labels", "few_labels.html", build, "Few labels", position=130)
