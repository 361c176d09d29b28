r"""Start with several times the requested number of topics, and keep the largest.

Topics that start nearly equal often combine two themes in one topic, or divide one theme between two. With many more
topics than themes, almost every theme gets a topic of its own, which grows to the size of its theme, and the remaining
topics stay small. Therefore a few epochs with :math:`4K` topics are followed by a few with the :math:`2K` largest of
them, and the :math:`K` largest of those are the start of :math:`K` topics. Whenever topics are dropped, the tokens of
every word are redistributed among those that are kept,

.. math:: M_{wk} \leftarrow M_w \, M_{wk} / \sum_{j\ \mathrm{kept}} M_{wj}. \qquad (1)

A sample of the documents is enough: the topics are learned from all of them afterwards.

The largest :math:`K` topics may share a theme, and lack others. If there are enough tokens for later passes to sample,
what is left is mostly due to that. The most alike of the :math:`2K` topics are then merged instead (`alike_topics`),
first to somewhat more topics than requested; these are learned from all documents, and merged once more
(`surplus_topics`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats
from driftline.engines.contract import Engine
from driftline.inference.lda_online import OnlineProblem
from driftline.inference.learned_priors import NONE_LEARNED
from driftline.inference.pairs import Pairs
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.inference.topic_counts import SPREADS, TopicCounts, nearly_even, spread_of
from driftline.topics.alike_topics import merged
from driftline.topics.lda_epochs import (
    FROM_SAMPLE,
    FROM_TOPICS,
    Schedule,
    epochs_method,
    fetched_counts,
    random_parts,
    samples,
)
from driftline.topics.surplus_topics import FROM_SURPLUS, learn_surplus, with_surplus


class Stage(NamedTuple):
    """Multiple of the requested number of topics that is learned, and the number of epochs."""

    times: int
    n_epochs: int


STAGES = {2048: (Stage(4, 8), Stage(2, 5)), 4096: (Stage(4, 4), Stage(2, 3))}
"""Stages before the requested number of topics, by the largest number of topics that they may start with
(`benchmarks/topics/gpu_start.py`). With more topics, the stages take longer than the fit itself, and are left out."""
SAMPLED = (Stage(1, 8),)
"""The stage for larger numbers of topics, if there are more documents than in the sample."""
SAMPLE_PAIRS = 2**25
"""Maximum number of pairs in the sample."""
SMALL_SHARE = 0.25
"""Largest sampled share of the pairs after which few epochs are stepwise, because each then sees many documents."""
LONGEST = 256
"""Maximum number of pairs per document of the sample; longer documents are divided into several."""
_LEAST = 1e-9
"""Added to the counts of kept topics, so that a word that none of them contains is divided evenly."""


def begin_with_many(
    topics: TopicCounts,
    pairs: Pairs,
    engine: Engine,
    rng: np.random.Generator,
    *,
    deterministic: bool,
    share: float = 1.0,
    parts: Sequence[Pairs] | None = None,
    verbose: bool | int = False,
) -> Schedule | None:
    """Replace the initial topics by the largest of many, or by these merged, learned from a sample of the documents.

    `share` is the share of all pairs that are given: it is below one if they are already a sample. All documents are
    then in `parts`.

    Return the schedule of the learning that follows; None if there are too many topics to start with more.
    """
    given, n_tokens = share, float(pairs.counts.sum(dtype=np.float64)) / share
    share *= min(1.0, SAMPLE_PAIRS / max(len(pairs.words), 1))
    stages = stages_of(topics.n_topics, sampled=share < 1.0)
    if not stages:
        return None
    sample = in_pieces(random_sample(pairs, rng), LONGEST)
    said = words_of(sample, topics.n_words)
    first = stages[0].times * topics.n_topics
    counts = nearly_even(said, first, rng, spread_of(first, SPREADS))
    for stage in stages:
        counts = largest(counts, stage.times * topics.n_topics, said)
        counts = _learned(counts, topics, sample, engine, rng, stage.n_epochs, deterministic=deterministic)
    schedule = FROM_TOPICS if share > SMALL_SHARE else FROM_SAMPLE
    if stages is not SAMPLED and samples(n_tokens, topics.n_words, topics.n_topics):
        many = with_surplus(topics.n_topics, n_tokens, topics.n_words)
        counts = merged(counts, many)
        if many > topics.n_topics:
            counts = largest(counts, many, words_of(pairs, topics.n_words))
            parts = parts or random_parts(pairs, many, rng)
            scale = 1.0 / given
            counts = learn_surplus(
                counts, topics, parts, engine, rng, scale=scale, deterministic=deterministic, verbose=verbose
            )
            schedule = FROM_SURPLUS
    values = np.zeros_like(topics.values)
    values[:, : topics.n_topics] = largest(counts, topics.n_topics, words_of(pairs, topics.n_words))
    topics.take(values, topics.document_prior, topics.beta)
    return schedule


def stages_of(n_topics: int, *, sampled: bool) -> tuple[Stage, ...]:
    """Return the stages before `n_topics` topics are learned; none if there are too many.

    >>> [stages_of(n, sampled=False)[:1] for n in (100, 1000, 5000)]
    [(Stage(times=4, n_epochs=8),), (Stage(times=4, n_epochs=4),), ()]
    """
    for most, stages in STAGES.items():
        if stages and stages[0].times * n_topics <= most:
            return stages
    return SAMPLED if sampled else ()


def in_pieces(pairs: Pairs, longest: int) -> Pairs:
    """Return the pairs with long documents divided into several of about the same size.

    >>> in_pieces(Pairs(np.array([0, 2, 7]), np.arange(7), np.ones(7)), 2).indptr
    array([0, 2, 3, 5, 7])
    """
    lengths = np.diff(pairs.indptr)
    n = np.maximum(1, -(-lengths // longest))
    owner = np.repeat(np.arange(len(n)), n)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(n) - n, n)
    starts = pairs.indptr[:-1][owner] + lengths[owner] * number // n[owner]
    return Pairs(np.append(starts, pairs.indptr[-1]), pairs.words, pairs.counts)


def words_of(pairs: Pairs, n_words: int) -> Floats:
    """Return the number of uses of every word."""
    return np.bincount(pairs.words, weights=pairs.counts, minlength=n_words).astype(np.float64)


def random_sample(pairs: Pairs, rng: np.random.Generator) -> Pairs:
    """Return all documents, or, if there are too many, a random sample of about `SAMPLE_PAIRS` pairs.

    >>> pairs = Pairs(np.array([0, 1, 3]), np.array([0, 0, 1]), np.ones(3))
    >>> random_sample(pairs, np.random.default_rng(0)).n_documents
    2
    """
    share = SAMPLE_PAIRS / max(len(pairs.words), 1)
    if share >= 1.0:
        return pairs
    drawn = rng.permutation(pairs.n_documents)[: max(1, int(share * pairs.n_documents))]
    return pairs.take(np.sort(drawn))


def largest(counts: Floats, n_topics: int, said: Floats) -> Floats:
    """Return the largest topics, among which the tokens of every word are divided (1); words × topics.

    >>> largest(np.array([[3.0, 0.0, 1.0], [0.0, 1.0, 9.0]]), 2, np.array([4.0, 10.0])).round(2)
    array([[ 3.,  1.],
           [ 0., 10.]])
    """
    kept = np.sort(np.argsort(-counts.sum(axis=0, dtype=np.float64), kind="stable")[:n_topics])
    found = np.asarray(counts[:, kept] + np.float32(_LEAST))
    found *= (said / found.sum(axis=1, dtype=np.float64)).astype(found.dtype)[:, None]
    return found


def _learned(
    counts: Floats,
    topics: TopicCounts,
    sample: Pairs,
    engine: Engine,
    rng: np.random.Generator,
    n_epochs: int,
    *,
    deterministic: bool,
) -> Floats:
    """Return the counts of words × topics after some epochs; the sum of the document prior is that of `topics`."""
    n_topics = counts.shape[1]
    prior = np.full(n_topics, topics.document_prior.sum() / n_topics)
    problem = OnlineProblem(sample, TopicCounts.starting(counts, prior, topics.beta).state(), n_topics, {})
    parts = random_parts(sample, n_topics, rng)
    method = epochs_method(engine, parts, n_topics, NONE_LEARNED, deterministic=deterministic)
    done = run(method, problem, stop=Stop(n_epochs), rng=rng)
    return fetched_counts(done.result, topics.n_words, n_topics)
