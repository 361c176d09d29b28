"""Records read and rejected, the title, and the version."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

import driftline
from driftline.analysis.finding import Finding
from driftline.core.arrays import Datetimes
from driftline.core.times import iso
from driftline.streams.corpus import Corpus
from driftline.streams.stream import Stream

if TYPE_CHECKING:
    from driftline.analysis.context import Context


FEWEST_DATES = 3
"""Minimum number of distinct first days of years, or of months, that are not taken for exact days."""


@dataclass(frozen=True)
class RejectedRecord:
    """A record that could not be read: its place and the reason."""

    source: str
    place: str
    reason: str


@dataclass(frozen=True)
class SourceSummary:
    """The records of the source: `n_documents` were read, `n_rejected` were not; the sum is all that were present.

    `dated_to` is the precision of all times: "year" if all are the first day of a year at midnight, and so on.
    """

    name: str
    n_documents: int
    n_rejected: int
    rejected_reasons: dict[str, int]
    rejected_examples: list[RejectedRecord]
    first: str
    last: str
    n_words: int
    vocabulary_size: int
    labels: dict[str, int] = field(default_factory=dict)
    dated_to: Literal["year", "month", "day", "minute"] = "minute"


def find_title(context: Context) -> str:
    """Return the requested title, or the name of the stream."""
    title = context.options.title
    return title if title is not None else context.stream.name


def find_source(context: Context) -> SourceSummary:
    """Summarise the stream."""
    corpus = None if context.counted is None else context.corpus
    return summarise(context.stream, context.times, corpus)


def find_version(context: Context) -> str:
    """Return the version that produced the findings."""
    return driftline.__version__


def summarise(stream: Stream, times: Datetimes, corpus: Corpus | None = None) -> SourceSummary:
    """Summarise what was read; first and last are those of the included `times`."""
    named = stream.table()["label"].value_counts()
    sizes = dict(zip(named.field("values").to_pylist(), named.field("counts").to_pylist()))
    rejections = stream.rejections
    return SourceSummary(
        name=stream.name,
        n_documents=len(stream.table()),
        n_rejected=rejections.count,
        rejected_reasons={str(reason): int(count) for reason, count in rejections.reasons.items()},
        rejected_examples=[RejectedRecord(r.source, r.place, r.reason) for r in rejections.examples],
        first=iso(times.min()) if len(times) else "",
        last=iso(times.max()) if len(times) else "",
        n_words=0 if corpus is None else int(corpus.counts.sum()),
        vocabulary_size=0 if corpus is None else corpus.counts.shape[1],
        labels={name: int(sizes[name]) for name in (() if corpus is None else corpus.label_names)},
        dated_to=precision(times),
    )


def precision(times: Datetimes) -> Literal["year", "month", "day", "minute"]:
    """Return the precision to which all times are given; several years or months are needed to tell.

    >>> precision(np.array(["2001-01-01", "2003-01-01", "2004-01-01"], "datetime64[us]"))
    'year'
    >>> precision(np.array(["2003-01-01", "2003-01-01"], "datetime64[us]"))
    'day'
    """
    distinct = np.unique(times)
    if len(distinct) >= FEWEST_DATES:
        if np.array_equal(distinct, distinct.astype("datetime64[Y]")):
            return "year"
        if np.array_equal(distinct, distinct.astype("datetime64[M]")):
            return "month"
    return "day" if np.array_equal(distinct, distinct.astype("datetime64[D]")) else "minute"


TITLE = Finding("title", find_title, position=0, since=1)
SOURCE = Finding("source", find_source, position=10, since=1)
VERSION = Finding("version", find_version, empty=str, position=260, always=True, since=1)
