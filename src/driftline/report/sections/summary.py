"""In short: the findings in sentences, and the strongest words in small charts."""

from __future__ import annotations

from typing import Any

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.headlines import HEADLINES
from driftline.analysis.findings.truth import TRUTH
from driftline.analysis.findings.volume import VOLUME
from driftline.analysis.findings.words import CHANGED_WORDS, ChangedWord
from driftline.report.date_formats import span
from driftline.report.numbers import share
from driftline.report.sections.section import Content, Section
from driftline.report.sentences import notes, stories
from driftline.report.series import drawing
from driftline.report.word_book import WordBook

_MOST_DRAWINGS = 8


def build(findings: Findings, book: WordBook) -> Content | None:
    """List the stories (without any, the first note), draw their first words, and list the notes."""
    chosen = _leading([word for word in CHANGED_WORDS.of(findings) if len(word.curve.times) > 1], findings)
    main, further = stories(findings, book.setting), notes(findings, book.setting)
    if not main:
        main, further = further[:1], further[1:]
    return Content(
        {
            "stories": main,
            "notes": further,
            "n_more": HEADLINES.of(findings).n_words - _told(findings),
            "has_ratios": any(story.change.kind != "event" for story in HEADLINES.of(findings).stories),
            "n_stories": len(HEADLINES.of(findings).stories),
            "noun": book.setting.noun,
            "drawings": [_drawn(word, findings, book) for word in chosen],
            "level": share(chosen[0].curve.level if chosen else VOLUME.of(findings).level, 1),
            "when": span(*map(str, chosen[0].curve.times[[0, -1]]), short=True) if chosen else "",
            "has_truth": TRUTH.of(findings) is not None,
        }
    )


def _leading(words: list[ChangedWord], findings: Findings) -> list[ChangedWord]:
    """Select the first word of every story, or, without stories, the first words of the table."""
    leads = {story.change.word: place for place, story in enumerate(HEADLINES.of(findings).stories)}
    chosen = sorted((word for word in words if word.word in leads), key=lambda word: leads[word.word])
    return (chosen or words)[:_MOST_DRAWINGS]


def _told(findings: Findings) -> int:
    return sum(1 + len(story.others) + story.n_more for story in HEADLINES.of(findings).stories)


def _drawn(word: ChangedWord, findings: Findings, book: WordBook) -> dict[str, Any]:
    truth = TRUTH.of(findings)
    real = truth.curves.get(word.word) if truth is not None else None
    picture = drawing(word.curve, width=240, height=80, truth=real, points=120)
    return {"word": word, "number": book.number(word.word), "picture": picture}


SECTION = Section("summary", "In short", "summary.html", build, position=0)
