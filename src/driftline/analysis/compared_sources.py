"""Documents of two sources, or groups of one source, prepared for a comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Unpack

import numpy as np
import pyarrow as pa

from driftline.analysis.group_differences import (
    GroupDifferences,
    NamedTopics,
    comparable_groups,
    describe_differences,
)
from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.core.progress import announce
from driftline.core.times import TimeAxis
from driftline.streams.corpus import Corpus
from driftline.streams.document_groups import DocumentGroups, document_groups, exchanged_groups
from driftline.streams.exchange import exchange_units
from driftline.streams.preparation import Preparation, Prepared, prepare
from driftline.streams.stream import Stream
from driftline.topics import TopicMap

FEWEST_FOR_TOPICS = 60
"""Minimum number of documents for topics."""
MOST_FREQUENT = 0.5
"""Largest share of documents that contain a word used for topics."""


class Grouped(NamedTuple):
    """Prepared documents and the group of each, by the kind of the groups."""

    prepared: Prepared
    groups: DocumentGroups
    kind: str


def groups_by_source(first: Stream, second: Stream, **options: Unpack[Preparation]) -> Grouped:
    """Return the documents of two sources; duplicates are removed within each, not between them."""
    parts = [prepare(stream, **options) for stream in (first, second)]
    names = [stream.name for stream in (first, second)]
    if names[0] == names[1]:
        names = [f"{names[0]} (A)", f"{names[1]} (B)"]
    documents = pa.concat_tables([part.documents for part in parts])
    counted = pa.chunked_array([chunk for part in parts for chunk in part.counted.chunks], pa.large_string())
    stop_words = tuple(dict.fromkeys(word for part in parts for word in part.stop_words))
    codes = np.repeat([0, 1], [len(part) for part in parts])
    joined = replace(parts[0], documents=documents, counted=counted, stop_words=stop_words)
    order = np.argsort(joined.document_times, kind="stable")
    index = pa.array(order)
    joined = replace(joined, documents=documents.take(index), counted=counted.take(index))
    return Grouped(joined, DocumentGroups(codes[order], tuple(names), "source"), "source")


def groups_by_column(stream: Stream, **options: Unpack[Preparation]) -> Grouped:
    """Return the documents of a source, grouped by their labels."""
    return grouped_by_label(prepare(stream, **options), stream)


def grouped_by_label(prepared: Prepared, stream: Stream) -> Grouped:
    """Return prepared documents of a source, grouped by their labels."""
    groups = document_groups(prepared.documents, "label")
    if groups is None:
        raise InvalidInput(f"no document of {stream.name} has a value in that column; name another one")
    return Grouped(prepared, groups, stream.columns.get("label") or "label")


def groups_by_date(stream: Stream, before: str | None, after: str | None, **options: Unpack[Preparation]) -> Grouped:
    """Return the documents of a source before one date, and those since another; a single date serves as both."""
    limits = [before if before is not None else after, after if after is not None else before]
    axis = TimeAxis("datetime")
    try:
        low, high = (float(axis.values([each])[0]) for each in limits)
    except ValueError as error:
        raise InvalidInput(f"--before and --after are dates such as 2003-04-12: {error}") from error
    if low > high:
        raise InvalidInput(f"--before {limits[0]} is later than --after {limits[1]}; a document would be in both")
    prepared = prepare(stream, **options)
    at = axis.values(prepared.document_times)
    codes: Ints = np.where(at < low, 0, np.where(at >= high, 1, -1))
    return Grouped(prepared, DocumentGroups(codes, (f"before {limits[0]}", f"from {limits[1]} on"), "period"), "period")


def compare_groups(
    grouped: Grouped,
    *,
    n_topics: int = 20,
    n_words: int = 12,
    unit: str = "auto",
    random_state: int = 0,
    topics: NamedTopics | None = None,
) -> GroupDifferences:
    """Return the differences between groups: topics, words, and words within topics.

    With `n_topics` of zero, or few documents, only words are compared. `topics` are those of the same documents, if
    they have already been learned.
    """
    groups = comparable_groups(grouped.groups)
    if groups is None:
        sizes = np.bincount(grouped.groups.codes[grouped.groups.codes >= 0], minlength=len(grouped.groups.names))
        largest = ", ".join(
            f"{grouped.groups.names[g]}: {sizes[g]:,}" for g in np.argsort(-sizes, kind="stable")[:3].tolist()
        )
        raise InvalidInput(f"a comparison needs two groups of at least 30 documents each; the largest are {largest}")
    if grouped.kind in ("source", "period"):  # in the given order, not by size
        groups = grouped.groups
    corpus = grouped.prepared.corpus(min_df=3)
    named = exchanged_groups(grouped.prepared.documents, unit)
    units = exchange_units(corpus.times, unit=unit if named is None else named, n=len(corpus))
    words = [str(word) for word in corpus.vocabulary.words]
    if topics is None and n_topics and len(corpus) >= FEWEST_FOR_TOPICS:
        announce(f"learning {n_topics} topics from {len(corpus):,} documents")
        topics = fitted_topics(corpus, n_topics, random_state)
    return describe_differences(
        corpus.counts,
        words,
        units,
        groups,
        kind=grouped.kind,
        topics=topics,
        within=True,
        n_words=n_words,
        languages=grouped.prepared.language.codes,
        random_state=random_state,
    )


def fitted_topics(corpus: Corpus, n_topics: int, random_state: int) -> NamedTopics | None:
    """Return a topic map of the documents, with its names and words; None if all words are too frequent for topics."""
    in_documents = np.asarray((corpus.counts > 0).sum(axis=0)).ravel()
    if not (in_documents <= MOST_FREQUENT * len(corpus)).any():
        return None
    corpus = corpus.prune(max_df=MOST_FREQUENT)
    model = TopicMap(n_topics, n_jobs=-1, random_state=random_state, vocabulary=corpus.vocabulary)
    model.fit(corpus.counts, texts=corpus.texts, times=corpus.times)
    cards = model.topics_
    return NamedTopics(
        model, corpus.counts, [card.name for card in cards], [[str(word) for word in card.words] for card in cards]
    )
