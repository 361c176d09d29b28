"""The result of a drift check in sentences, and as a page."""

from __future__ import annotations

import math
from pathlib import Path

from driftline.figures.word_changes import plot_word_changes
from driftline.monitoring.drift_check import CheckedPart, DriftCheck
from driftline.monitoring.word_changes import WordChange
from driftline.report.numbers import chance, counted, rate, ratio_interval
from driftline.report.table_page import Cell, TablePage, write_table_page

_WHAT = {
    "unknown words": "Unknown words",
    "words": "Words",
    "predictions": "Predicted labels",
    "errors": "Errors",
}
HEADINGS = ("word", "before", "now", "ratio", "95 % interval", "to the model")


def part_sentence(part: CheckedPart) -> str:
    """Return one part of the check in a sentence.

    >>> part_sentence(CheckedPart("errors", "failed", 0.1, 0.2, 0.1, 0.02, 0.001, 0.004, ""))
    'Errors: failed. 20.0 % now, 10.0 % before (p = 0.004).'
    """
    name = _WHAT[part.name]
    if part.before is None or part.now is None or part.corrected_p_value is None or part.change is None:
        return f"{name}: {part.verdict}; {part.note}."
    p = chance(part.corrected_p_value)
    tested = f"(p {p})" if p.startswith("<") else f"(p = {p})"
    if part.name == "words":
        what = f"divergence {part.now:.4f} bits, {part.before:.4f} if days are permuted at random {tested}"
    elif part.name == "predictions":
        what = (
            f"mean probabilities of the labels, {100 * part.change:.1f} points shifted; the label that changed "
            f"most{part.label and f', “{part.label}”,'} has {100 * part.now:.1f} % now, "
            f"{100 * part.before:.1f} % before {tested}"
        )
    else:
        what = f"{100 * part.now:.1f} % now, {100 * part.before:.1f} % before {tested}"
    return f"{name}: {part.verdict}. {what[0].upper()}{what[1:]}." + (
        f" {part.note[0].upper()}{part.note[1:]}." if part.note else ""
    )


def word_row(change: WordChange) -> tuple[str, str, str, str, str, str]:
    """Return a changed word as the cells of a table; shares are percentages of documents."""
    to_model = "unknown" if not change.known else f"favours {change.speaks_for}" if change.speaks_for else "known"
    return (
        change.word,
        f"{100 * change.share_before:.2f} %",
        f"{100 * change.share_now:.2f} %",
        "new" if math.isinf(change.ratio) else "gone" if not change.ratio else rate(change.ratio),
        ratio_interval(change.low, change.high),
        to_model,
    )


def write_check_page(found: DriftCheck, path: str | Path, title: str) -> Path:
    """Write the page to the file `path` and return the path."""
    verdict = "passed" if found.passed else "failed"
    compared = (
        f"The check {verdict}: {counted(found.n_documents, 'new document')} compared with the latest "
        f"{counted(found.n_reference, 'document')} that the model learned from; "
        f"together, the tests have a probability of {found.thresholds.alpha:g} of a false alarm."
    )
    left_out = [
        f"{counted(n, 'document')} left out: {why}."
        for n, why in ((found.n_learned, "already learned"), (found.n_older, "not newer than the latest learned"))
        if n
    ]
    page = TablePage(
        title=f"Drift check: {title}",
        kicker=compared,
        figure=plot_word_changes(found.words),
        description="Words that changed: ratio of their share of documents now to that before, with 95 % intervals.",
        caption="Shares of documents that contain the word, before and now."
        if found.words
        else "No word changed significantly.",
        headings=HEADINGS,
        rows=[
            [Cell(text, number=number in (1, 2, 3)) for number, text in enumerate(word_row(change))]
            for change in found.words
        ],
        notes=[*map(part_sentence, found.parts), *left_out],
    )
    return write_table_page(page, path)
