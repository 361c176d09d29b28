"""The words that changed: a heat map, a table, and one word in detail."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.small_stream import SMALL
from driftline.analysis.findings.truth import TRUTH
from driftline.analysis.findings.word_tests import N_WORDS_CHANGED, WORD_TESTS, WordTests
from driftline.analysis.findings.words import CHANGED_WORDS, ChangedWord
from driftline.figures import plot_changed_words, plot_word_curves
from driftline.report.date_formats import Resolution, moment, short_span_at, unit_name
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.series import drawing
from driftline.report.story_sentences import compact_times
from driftline.report.word_book import MOST_WORDS, WordBook

_STRIPS = 40


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw the heat map, and build the rows of the table."""
    if SMALL.of(findings) is not None:
        return None
    words = [word for word in CHANGED_WORDS.of(findings)[:MOST_WORDS] if len(word.curve.times) > 1]
    if not words:
        return Content({"rows": [], "n_more": 0, "n_strips": 0, "has_truth": False})
    curves = {word.word: word.curve for word in words[:_STRIPS]}
    strips = plot_changed_words(curves, n_words=_STRIPS, unit=f"of 1,000 {book.setting.noun}")
    strips.update_layout(meta=[book.number(word.word) for word in words[:_STRIPS]])
    tests = WORD_TESTS.of(findings)
    rows = [
        {
            "word": word,
            "number": book.number(word.word),
            "spark": drawing(word.curve, width=96, height=24, points=24),
            "lasts": lasts(word, tests),
            **_change(word, book.setting.dates),
        }
        for word in words
    ]
    return Content(
        {
            "rows": rows,
            "n_more": N_WORDS_CHANGED.of(findings) - len(words),
            "unit": unit_name(tests.unit if tests is not None else "day"),
            "n_strips": min(len(words), _STRIPS),
            "has_truth": TRUTH.of(findings) is not None,
        },
        {
            "strips": Drawn(strips, "Heat map of the words that changed most; the table below has the same words."),
            "close-up": Drawn(_empty_close_up(), "Curve of the selected word with its band."),
        },
    )


def lasts(word: ChangedWord, tests: WordTests | None) -> str:
    """Return whether a change outlasts a single unit, and a week."""
    if word.with_groups is not None:
        return f"perhaps {word.with_groups}s"
    if word.kind == "lasting":
        return "over a week" if word.longer_than_a_week else "yes"
    if tests is not None and not tests.enough_units:
        return "unknown"
    return f"single {unit_name(tests.unit if tests is not None else 'day')}s"


def _change(word: ChangedWord, dates: Resolution) -> dict[str, object]:
    """Return the ratio and the window of a word, and the sort keys of the table."""
    change = word.change
    if change is None:
        return {
            "times": "",
            "order": 0.0,
            "when": short_span_at(word.peak, word.peak, dates),
            "start": _seconds(word.peak),
        }
    return {
        "times": ("÷\xa0" if change.direction == "less" else "") + compact_times(change),
        "order": change.lower,
        "when": short_span_at(change.start, change.end, dates),
        "start": _seconds(change.start),
    }


def _seconds(iso: str) -> int:
    return int(moment(iso).astype("int64"))


def _empty_close_up() -> go.Figure:
    """Return a figure with all traces (band, line, truth), which the page fills with a word."""
    days = np.array(["1970-01-01", "1970-01-02"], dtype="datetime64[D]")
    figure = plot_word_curves({"found": (days, [1, 1], [0, 0], [2, 2])}, truth={"": (days, [1, 1])}, height=260)
    figure.data[-1].name = "truth"
    figure.update_layout(showlegend=False, yaxis_title_text="")
    return figure


SECTION = Section("words", "The words that changed", "words.html", build, "Words", position=30)
