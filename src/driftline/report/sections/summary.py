"""In short: the findings in sentences, and the strongest words in small charts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.headlines import HEADLINES, Story, WordChange
from driftline.analysis.findings.truth import TRUTH
from driftline.analysis.findings.volume import VOLUME
from driftline.analysis.findings.words import CHANGED_WORDS, ChangedWord
from driftline.report.date_formats import span
from driftline.report.numbers import share
from driftline.report.sections.section import Content, Section
from driftline.report.sentences import notes, stories
from driftline.report.series import drawing
from driftline.report.story_sentences import story_sentence
from driftline.report.word_book import WordBook
from driftline.smoothing.curve import Curve

_MOST_DRAWINGS = 8
_WIDTH, _HEIGHT = 240.0, 80.0
_IN_DAYS = np.timedelta64(10, "D")
"""Span of a stream above which periods are whole days."""
_NARROWEST = 3.0
"""Width of the mark of a short event."""


def build(findings: Findings, book: WordBook) -> Content | None:
    """List the stories (without any, the first note), draw their first words, and list the notes."""
    chosen = _leading([word for word in CHANGED_WORDS.of(findings) if len(word.curve.times) > 1], findings)
    main, further = stories(findings, book.setting), notes(findings, book.setting)
    doubted = _doubted(findings)
    in_doubt = {story_sentence(story, book.setting) for story in doubted}
    main = [sentence for sentence in main if sentence not in in_doubt]
    if not main and not doubted:
        main, further = further[:1], further[1:]
    drawings = [_drawn(word, findings, book) for word in chosen]
    return Content(
        {
            "stories": main,
            "doubted": [story_sentence(_without_doubt(story), book.setting) for story in doubted],
            "doubted_group": doubted[0].change.with_groups if doubted else None,
            "notes": further,
            "n_more": HEADLINES.of(findings).n_words - _told(findings),
            "has_ratios": any(story.change.kind != "event" for story in HEADLINES.of(findings).stories),
            "n_stories": len(HEADLINES.of(findings).stories),
            "noun": book.setting.noun,
            "drawings": drawings,
            "has_marks": any(each["mark"] for each in drawings),
            "level": share(chosen[0].curve.level if chosen else VOLUME.of(findings).level, 1),
            "when": span(*map(str, chosen[0].curve.times[[0, -1]]), short=True) if chosen else "",
            "has_truth": TRUTH.of(findings) is not None,
        }
    )


def _doubted(findings: Findings) -> list[Story]:
    """Return the stories that may be due only to a change of authors, if there are several.

    Their common caveat then becomes a heading instead of ending every sentence.
    """
    found = [story for story in HEADLINES.of(findings).stories if story.change.with_groups]
    return found if len(found) > 1 else []


def _without_doubt(story: Story) -> Story:
    return replace(story, change=replace(story.change, with_groups=None))


def _leading(words: list[ChangedWord], findings: Findings) -> list[ChangedWord]:
    """Select the first word of every story, or, without stories, the first words of the table."""
    leads = {story.change.word: place for place, story in enumerate(HEADLINES.of(findings).stories)}
    chosen = sorted((word for word in words if word.word in leads), key=lambda word: leads[word.word])
    return (chosen or words)[:_MOST_DRAWINGS]


def _told(findings: Findings) -> int:
    return sum(1 + len(story.others) + story.n_more for story in HEADLINES.of(findings).stories)


def _drawn(word: ChangedWord, findings: Findings, book: WordBook) -> dict[str, object]:
    truth = TRUTH.of(findings)
    real = truth.curves.get(word.word) if truth is not None else None
    picture = drawing(word.curve, width=_WIDTH, height=_HEIGHT, truth=real, points=120)
    changes = [story.change for story in HEADLINES.of(findings).stories if story.change.word == word.word]
    mark = _marked(changes[0], word.curve) if changes else None
    return {"word": word, "number": book.number(word.word), "picture": picture, "mark": mark}


def _marked(change: WordChange, curve: Curve) -> tuple[str, str] | None:
    """Return the left end and the width of the period of a sentence; None if it is outside the curve.

    An event may lie where no curve is drawn, because too few days with documents are around it.
    """
    first, last = curve.times[[0, -1]]
    start, end = (np.datetime64(time.removesuffix("Z"), "us") for time in (change.start, change.end))
    if last - first >= _IN_DAYS:
        start, end = start.astype("datetime64[D]"), end.astype("datetime64[D]") + np.timedelta64(1, "D")
    if end < first or start > last:
        return None
    left, right = ((min(max(time, first), last) - first) / (last - first) * _WIDTH for time in (start, end))
    width = max(right - left, _NARROWEST)
    return f"{min(left, _WIDTH - width):.1f}", f"{width:.1f}"


SECTION = Section("summary", "In short", "summary.html", build, position=0)
