"""In short: the findings in sentences, and the strongest words in small drawings."""

from __future__ import annotations

from typing import Any

from driftline.analysis.findings import ChangedWord, Findings
from driftline.report.dates import span
from driftline.report.numbers import share
from driftline.report.sections.section import Content, Section
from driftline.report.sentences import headlines
from driftline.report.series import drawing
from driftline.report.word_book import WordBook

_MOST_DRAWINGS = 8


def build(findings: Findings, book: WordBook) -> Content | None:
    """Take the sentences of the findings, or compose them; draw a few words, with the truth where it is known."""
    chosen = _various([word for word in findings.changed_words if len(word.curve.times) > 1])
    return Content(
        {
            "sentences": findings.headlines or headlines(findings),
            "drawings": [_drawn(word, findings, book) for word in chosen],
            "level": share(chosen[0].curve.level if chosen else findings.volume.level, 1),
            "when": span(chosen[0].curve.times[0], chosen[0].curve.times[-1], short=True) if chosen else "",
            "has_truth": findings.truth is not None,
        }
    )


def _various(words: list[ChangedWord]) -> list[ChangedWord]:
    """Choose the strongest words of every pattern in turn, so that a reader sees all kinds of change."""
    seen: dict[str, int] = {}
    turns: list[tuple[int, ChangedWord]] = []
    for word in words:
        turns.append((seen.get(word.pattern, 0), word))
        seen[word.pattern] = seen.get(word.pattern, 0) + 1
    return [word for _, word in sorted(turns, key=lambda turn: turn[0])[:_MOST_DRAWINGS]]


def _drawn(word: ChangedWord, findings: Findings, book: WordBook) -> dict[str, Any]:
    truth = findings.truth.curves.get(word.word) if findings.truth is not None else None
    picture = drawing(word.curve, width=240, height=80, truth=truth, points=120)
    return {"word": word, "number": book.number(word.word), "picture": picture}


SECTION = Section("summary", "In short", "summary.html", build)
