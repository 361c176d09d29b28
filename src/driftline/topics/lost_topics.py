"""Topics that lose the uses of their words while they are learned, and their new start.

In the first epochs a topic can drift: other topics take the documents that use its words, and it collects others. Prior
counts of its words do not bring it back, as documents keep the topics that most of their words have. Once all
topics have been learned, what the topic has collected goes to a free topic, and it starts again from the documents with
its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.inference.guide_arrays import GuideArrays
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts

LOST = 0.25
"""Share of its words' uses below which a topic is restarted."""


class WordsOfTopics(NamedTuple):
    """The words (rows of the counts) that topics were given, by topic, and the topics without a name."""

    words: Mapping[int, Ints]
    free: Sequence[int]


def free_topics(arrays: GuideArrays) -> tuple[int, ...]:
    """Return the topics of a guide without a name, a kept topic or words."""
    open_ = np.ones(len(arrays.names), dtype=bool) if arrays.start is None else arrays.start.open
    return tuple(k for k, name in enumerate(arrays.names) if name == str(k) and open_[k])


def lost_topics(topics: TopicCounts, held: WordsOfTopics) -> list[int]:
    """Return the topics with less than a quarter of their words' uses; the mean over the words, as in the report."""
    if not held.words:
        return []
    topics.settle()
    counts, found = counts_without_prior(topics), []
    for k, words in held.words.items():
        sums = counts[words].sum(axis=1)
        shares = np.divide(counts[words, k], sums, out=np.ones(len(words)), where=sums > 0)
        if shares.mean() < LOST:
            found.append(k)
    return found


def counts_without_prior(topics: TopicCounts) -> Floats:
    """Return the counts of words × topics without the prior counts of words; the topics must be settled."""
    counts = topics.values[:, : topics.n_topics].astype(np.float64)
    for row, extra in topics.seeds.items():
        counts[row] -= extra[: topics.n_topics]
    found: Floats = np.maximum(counts, 0.0)
    return found


def restart(topics: TopicCounts, pairs: Pairs, held: WordsOfTopics, lost: Sequence[int]) -> None:
    """Give lost topics all uses of their words, and the excess uses of others in the same documents (`context_counts`).

    The other uses of those words keep their topics, and the former counts of lost topics go to the smallest free ones.
    """
    counts, words = counts_without_prior(topics), held.words
    said = counts.sum(axis=1)
    smallest = sorted(held.free, key=lambda k: float(counts[:, k].sum()))
    for k, free in zip(lost, smallest):
        counts[:, free] += counts[:, k]
    counts[:, lost] = 0.0
    start = context_counts(pairs, words, *counts.shape)[:, lost]
    start[np.concatenate(list(words.values()))] = 0.0
    started = start.sum(axis=1)
    start *= np.divide(said, started, out=np.ones_like(said), where=started > said)[:, None]
    left = counts.sum(axis=1)
    counts *= np.divide(said - start.sum(axis=1), left, out=np.zeros_like(left), where=left > 0)[:, None]
    counts[:, lost] = start
    for k in lost:
        counts[words[k]] = 0.0
        counts[words[k], k] = said[words[k]]
    for row, extra in topics.seeds.items():
        counts[row] += extra[: topics.n_topics]
    values = np.zeros_like(topics.values)
    values[:, : topics.n_topics] = counts
    topics.take(values, topics.document_prior, topics.beta)


def context_counts(pairs: Pairs, words: Mapping[int, Ints], n_words: int, n_topics: int) -> Floats:
    """Return the uses of words in documents with a topic's words, in excess of the expected ones: words × topics.

    A document is divided among topics in proportion to the uses of their words in it.

    >>> X = sp.csr_array([[1, 1, 1], [0, 0, 1], [0, 0, 1]])
    >>> context_counts(Pairs.of(X), {0: np.array([0])}, 3, 1).ravel()  # the first document has three of the five words
    array([0.4, 0.4, 0. ])
    """
    X = sp.csr_array((pairs.counts.astype(np.float64), pairs.words, pairs.indptr), shape=(pairs.n_documents, n_words))
    columns = np.concatenate(list(words.values()))
    topics = np.repeat(list(words), [len(own) for own in words.values()])
    uses = sp.csr_array(X @ sp.csr_array((np.ones(len(columns)), (columns, topics)), shape=(n_words, n_topics)))
    sums = np.asarray(uses.sum(axis=1)).ravel()
    shares = sp.diags_array(np.divide(1.0, sums, out=np.zeros(len(sums)), where=sums > 0)) @ uses
    there = np.asarray((X.T @ sp.csr_array(shares)).toarray(), dtype=np.float64)
    said = np.asarray(X.sum(axis=0)).ravel()
    expected = said[:, None] * (there.sum(axis=0) / max(float(said.sum()), 1.0))
    found: Floats = np.maximum(there - expected, 0.0)
    return found
