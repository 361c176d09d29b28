"""The times at which the volume, or the share of a topic, label or word, changed from one level to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from driftline.analysis.finding import Finding
from driftline.analysis.findings.topics import TopicFinding, find_both
from driftline.core.arrays import Datetimes, Floats, Ints
from driftline.core.days_of_dates import unchangeable
from driftline.core.times import TimeAxis, iso
from driftline.sequences.regimes import LEVEL_COLUMNS, Regimes
from driftline.streams.corpus import Corpus

if TYPE_CHECKING:
    from driftline.analysis.context import Context

STEPS = (1.0, 7.0, 365.25 / 12, 365.25)
"""Lengths of a step in days: a day, a week, a month, a year."""
MOST_STEPS, FEWEST_STEPS = 400, 12
"""Maximum and minimum number of steps of a series."""
MOST_LABELS, MOST_WORDS = 12, 20
LEAST_DOCUMENTS = 50
"""Minimum number of documents of a label or word."""
LEAST_PROBABILITY = 0.9
"""Minimum probability of a change that the report lists."""
MOST_BY_CHANCE = 0.1
"""Largest share of the changes of labels and words that steps in random order may show; above it, none is listed."""
_DAYS = TimeAxis("datetime")

Series: TypeAlias = Sequence[tuple[str, Floats]]
"""Pairs of the name of a series and the share of each document that belongs to it."""


@dataclass(frozen=True)
class TurningPoint:
    """A change of level of one series, in the first step of the new level.

    `of` is "volume", "label", "topic" or "word", `name` the label, topic or word. Levels are documents per day, or
    shares of documents; `earliest` and `latest` limit the time of the change, and `step_days` is the length of a step.
    """

    of: str
    name: str
    time: str
    earliest: str
    latest: str
    probability: float
    before: float
    before_low: float
    before_high: float
    after: float
    after_low: float
    after_high: float
    step_days: float


class Steps(NamedTuple):
    """The step of every document, the start of every step, the number of documents in each, and its length in days."""

    of_document: Ints
    starts: Datetimes
    totals: Floats
    days: float


def steps_of(times: Datetimes, days: float | None = None) -> Steps:
    """Cut the time of documents into equal steps: by default the shortest of `STEPS` that are not too many."""
    moments = _DAYS.values(times)
    first = np.floor(moments.min()) if len(moments) else 0.0
    length = float(moments.max() - first) if len(moments) else 0.0
    if days is None:
        days = next((step for step in STEPS if length / step <= MOST_STEPS), STEPS[-1])
    place = np.floor((moments - first) / days).astype(np.int64)
    n = int(place.max(initial=-1)) + 1
    starts = np.asarray(_DAYS.restore(first + days * np.arange(n)), dtype="datetime64[us]")
    return Steps(place, unchangeable(starts), np.bincount(place, minlength=n).astype(np.float64), days)


def document_steps(context: Context) -> Steps:
    """Return the steps of the documents, for `Context.once`."""
    return steps_of(context.corpus.times)


def turning_points(steps: Steps, weights: Floats, of: str, name: str) -> list[TurningPoint]:
    """Return the changes of the share of documents; `weights` is the share of each document in the series."""
    counts = np.bincount(steps.of_document, weights=weights, minlength=len(steps.totals))
    return _described(Regimes().fit(counts, totals=steps.totals, times=steps.starts), of, name, 1.0, steps.days)


def volume_steps(times: Datetimes) -> Steps:
    """Cut the time of documents into weeks, if there are enough: days of the week differ."""
    steps = steps_of(times)
    return steps_of(times, 7.0) if steps.days < 7 and len(steps.totals) >= 7 * FEWEST_STEPS else steps


def volume_turning_points(times: Datetimes) -> list[TurningPoint]:
    """Return the changes of the number of documents."""
    steps = volume_steps(times)
    whole = steps.totals[:-1]  # the last step is rarely full
    if len(whole) < FEWEST_STEPS:
        return []
    found = Regimes().fit(whole, times=steps.starts[:-1])
    return _described(found, "volume", "", 1 / steps.days, steps.days)


def _described(found: Regimes, of: str, name: str, unit: float, days: float) -> list[TurningPoint]:
    rows = found.changes_.to_pylist()
    return [
        TurningPoint(
            of=of,
            name=name,
            time=iso(np.datetime64(row["time"], "us")),
            earliest=iso(np.datetime64(row["earliest"], "us")),
            latest=iso(np.datetime64(row["latest"], "us")),
            probability=round(row["probability"], 3),
            step_days=days,
            **{column: unit * row[column] for column in LEVEL_COLUMNS},
        )
        for row in rows
    ]


def label_turning_points(corpus: Corpus, steps: Steps) -> Iterator[TurningPoint]:
    """Yield the changes of the shares of frequent labels."""
    if corpus.labels is None:
        return
    sizes = np.bincount(corpus.labels[corpus.labels >= 0], minlength=len(corpus.label_names))
    for code in np.argsort(-sizes, kind="stable")[:MOST_LABELS].tolist():
        if sizes[code] >= LEAST_DOCUMENTS:
            yield from turning_points(steps, (corpus.labels == code).astype(float), "label", corpus.label_names[code])


def word_turning_points(corpus: Corpus, steps: Steps, columns: Ints) -> Iterator[TurningPoint]:
    """Yield the changes of the shares of documents with each of these words."""
    words, counts = corpus.vocabulary.words, corpus.counts.tocsc()
    for column in np.asarray(columns).tolist():
        rows = counts.indices[counts.indptr[column] : counts.indptr[column + 1]]
        if len(rows) >= LEAST_DOCUMENTS:
            present = np.zeros(corpus.counts.shape[0])
            present[rows] = 1.0
            yield from turning_points(steps, present, "word", str(words[column]))


def topic_name(topic: TopicFinding) -> str:
    """Return the name of a topic in turning points: its own, or its first words."""
    return topic.name or ", ".join(topic.words[:3])


def topic_series(context: Context) -> Iterator[tuple[str, Floats]]:
    """Yield the name of every topic that is not junk, and which documents are mainly about it."""
    found = context.once(find_both)
    names: set[str] = set()
    for place, topic in enumerate(found.topics):
        name = topic_name(topic)
        if topic.state != "junk" and name not in names:
            names.add(name)
            yield name, (found.main == place).astype(float)


def confirmed(corpus: Corpus, steps: Steps, columns: Ints, topics: Series = ()) -> list[TurningPoint]:
    """Return the changes of labels, topics and words, or none if many are also found in the same steps in random order.

    In some streams single steps differ so much that their order does not matter: then no change is credible.
    """
    order = np.random.default_rng(0).permutation(len(steps.totals))
    shuffled = steps._replace(of_document=order[steps.of_document], totals=steps.totals[np.argsort(order)])
    found, by_chance = (
        _probable(
            [
                *label_turning_points(corpus, each),
                *(point for name, weights in topics for point in turning_points(each, weights, "topic", name)),
                *word_turning_points(corpus, each, columns),
            ]
        )
        for each in (steps, shuffled)
    )
    return found if len(by_chance) <= MOST_BY_CHANCE * len(found) else []


def _probable(points: Iterable[TurningPoint]) -> list[TurningPoint]:
    return [point for point in points if point.probability >= LEAST_PROBABILITY]


def find(context: Context) -> list[TurningPoint]:
    """Describe the volume, the frequent labels, the topics, and the words that changed most, in this order."""
    corpus, tests = context.corpus, context.word_tests
    found = volume_turning_points(context.times)
    steps = context.once(document_steps)
    if len(steps.totals) >= FEWEST_STEPS:
        changed = tests.columns[tests.lasting]
        order = np.argsort(-tests.information[tests.lasting], kind="stable")
        single = changed[order][changed[order] < corpus.counts.shape[1]]
        topics = [(name, weights) for name, weights in topic_series(context) if weights.sum() >= LEAST_DOCUMENTS]
        found += confirmed(corpus, steps, single[:MOST_WORDS], topics)
    return _probable(found)


TURNING_POINTS = Finding("turning_points", find, empty=list[TurningPoint], since=14)
