"""Groups of similar documents that follow each other in time: when each began, split, merged, returned and ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from driftline.analysis.examples import examples_of
from driftline.analysis.finding import Finding
from driftline.analysis.shown_curves import no_curve, shown_curve
from driftline.analysis.shown_evidence import Example
from driftline.core.arrays import Bools, Ints
from driftline.core.times import days_between, isos
from driftline.nonparametric import Story, StoryEvent, StoryShares, StoryStream
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus

if TYPE_CHECKING:
    from driftline.analysis.context import Context

Dates: TypeAlias = Mapping[object, str]
"""The ISO strings of dates."""
MOST_STORYLINES, MOST_WORDS = 20, 6
MOST_DOCUMENTS, MOST_COUNTS = 50_000, 400_000
"""Maximum numbers of latest documents that are grouped, and of distinct words that they contain."""
MIN_SIZE, MIN_PROBABILITY = 5, 0.9
"""Minimum number of documents of a storyline, and minimum probability of an event."""
MEMORIES = (30.0, 14.0, 7.0, 3.0, 1.0, 0.5, 0.25, 1 / 12)
"""Candidates for the days within which a document can be continued; the longest that the stream allows is used."""
MEMORIES_IN_SPAN = 6


@dataclass(frozen=True)
class Storyline:
    """A group of documents: its words, its first and last document, and its share of the documents over time.

    `number` identifies it in events; the curve covers its time only, and the example has most of its words.
    """

    number: int
    words: list[str]
    start: str
    end: str
    n_documents: int
    curve: Curve
    examples: list[Example]


@dataclass(frozen=True)
class StorylineEvent:
    """An event of a storyline: born, split (`other` left), merged (`other` joined), revived (as `other`) or ended.

    A storyline ends with its last document if no later one continues it within the memory.
    """

    kind: str
    time: str
    storyline: int
    other: int | None
    probability: float


@dataclass(frozen=True)
class StorylineFindings:
    """The largest storylines, largest first, their events, and the share of all other documents.

    `n_storylines` have at least `min_size` documents, of which the largest are kept; they were found among the latest
    `n_grouped` of `n_documents`. A document can be continued within `memory_days`.
    """

    storylines: list[Storyline] = field(default_factory=list)
    events: list[StorylineEvent] = field(default_factory=list)
    others: Curve = field(default_factory=no_curve)
    n_storylines: int = 0
    n_grouped: int = 0
    n_documents: int = 0
    memory_days: float = 0.0
    min_size: int = MIN_SIZE
    min_probability: float = MIN_PROBABILITY


def memory_of(span: float) -> float | None:
    """Return the days within which a document can be continued in a stream of this length; None if it is too short.

    >>> memory_of(365.0), memory_of(100.0), memory_of(2.0), memory_of(0.1)
    (30.0, 14.0, 0.25, None)
    """
    return next((memory for memory in MEMORIES if MEMORIES_IN_SPAN * memory <= span), None)


def first_grouped(counts_per_document: Sequence[int] | np.ndarray) -> int:
    """Return the first of the latest documents that stay within the limits on documents and words.

    >>> first_grouped([3, 4, 2]), first_grouped([1] * (MOST_DOCUMENTS + 7)), first_grouped([9, MOST_COUNTS, 5])
    (0, 7, 2)
    """
    from_the_end = np.cumsum(np.asarray(counts_per_document)[::-1])
    return len(from_the_end) - min(int(np.searchsorted(from_the_end, MOST_COUNTS, side="right")), MOST_DOCUMENTS)


def storylines_of(corpus: Corpus, random_state: int = 0) -> StorylineFindings:
    """Group the latest documents of a corpus, and describe the largest groups."""
    first = first_grouped(np.diff(corpus.counts.indptr))
    times = corpus.times[first:]
    memory = memory_of(days_between(times[0], times[-1])) if len(times) else None
    if memory is None:
        return StorylineFindings()
    model = StoryStream(
        memory=memory,
        max_live=MOST_DOCUMENTS,
        min_size=MIN_SIZE,
        min_probability=MIN_PROBABILITY,
        max_documents=MOST_DOCUMENTS,
        max_ended=MOST_DOCUMENTS,
        vocabulary=corpus.vocabulary,
        random_state=random_state,
    ).fit(corpus.counts[first:], times=times)
    stories = {story.id: story for story in model.stories_ if story.size >= MIN_SIZE and story.state != "merged"}
    if not stories:
        return StorylineFindings()
    shares = model.shares(min(MOST_STORYLINES, len(stories)))
    shown = [int(story) for story in shares.stories[:-1]]
    rows = [first + np.flatnonzero(model.labels_ == story) for story in shown]
    events = [event for event in model.events_ if event.story in shown or event.other in shown]
    moments = [
        *(corpus.times[row] for of_story in rows for row in of_story[[0, -1]]),
        *(event.time for event in events),
    ]
    instants = np.unique(np.asarray(moments, dtype="datetime64[us]"))
    dates = dict(zip(instants.tolist(), isos(instants)))
    storylines = [_described(stories[story], shares, row, corpus, rows[row], dates) for row, story in enumerate(shown)]
    ends = {one.number: one.end for one in storylines}
    return StorylineFindings(
        storylines=storylines,
        events=[_event(event, ends, dates) for event in events],
        others=shown_curve(_curve(shares, len(shown), np.ones(len(shares.times), np.bool_))),
        n_storylines=len(stories),
        n_grouped=len(times),
        n_documents=len(corpus.times),
        memory_days=memory,
    )


def _described(story: Story, shares: StoryShares, row: int, corpus: Corpus, rows: Ints, dates: Dates) -> Storyline:
    words = [str(word) for word in story.words[:MOST_WORDS]]
    start, end = corpus.times[rows[[0, -1]]]
    has = (corpus.counts[rows][:, corpus.vocabulary.index(words)] > 0).sum(axis=1)
    typical = rows[[int(np.argmax(has))]]
    return Storyline(
        number=story.id,
        words=words,
        start=dates[start.item()],
        end=dates[end.item()],
        n_documents=story.size,
        curve=shown_curve(_curve(shares, row, _around(shares.times, start, end))),
        examples=examples_of(corpus, typical, n=1),
    )


def _around(times: np.ndarray, start: np.datetime64, end: np.datetime64) -> Bools:
    """Return the times at which a storyline is active, with those just before and after it."""
    low, high = np.searchsorted(times, [start, end])
    where = np.zeros(len(times), np.bool_)
    where[max(low - 2, 0) : high + 2] = True
    return where


def _curve(shares: StoryShares, row: int, where: Bools) -> Curve:
    share, lower, upper = (each[row, where] for each in (shares.share, shares.lower, shares.upper))
    return Curve(shares.times[where], share, lower, upper, np.ones(int(where.sum())))


def _event(event: StoryEvent, ends: Mapping[int, str], dates: Dates) -> StorylineEvent:
    time = ends[event.story] if event.kind == "ended" else dates[np.asarray(event.time, "datetime64[us]").item()]
    return StorylineEvent(event.kind, time, event.story, event.other, round(event.probability, 3))


def find(context: Context) -> StorylineFindings:
    """Group the documents of the stream."""
    return storylines_of(context.corpus, context.options.random_state)


STORYLINES = Finding("storylines", find, empty=StorylineFindings, since=19)
