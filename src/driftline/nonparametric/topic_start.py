"""The initial topics of a sampler: those of online LDA, drawn for every token; and the layout of tokens."""

from __future__ import annotations

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Ints
from driftline.core.randomness import seed_of
from driftline.engines.threads import Threads
from driftline.inference.lda_online import WARM_PASSES, OnlineLearner
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import SPREADS, TopicCounts, nearly_even, spread_of
from driftline.nonparametric.franchise import Tokens

WEIGHT = 5.0
"""Sum of the prior of topics in a document while online LDA learns the initial topics."""
EPOCHS = 15
"""Number of epochs of online LDA, which the sampler then refines."""
BLOCK_BYTES = 2**26


def lay_out(X: Counts, groups: Ints | None = None, n_groups: int = 1) -> Tokens:
    """Return the tokens of documents, sorted by group and then by word; the last of `n_groups` may have none.

    >>> import scipy.sparse as sp
    >>> lay_out(sp.csr_matrix([[2.0, 1.0], [0.0, 1.0]])).words
    array([0, 0, 1, 1], dtype=int32)
    """
    rows = np.zeros(X.shape[0], dtype=np.int64) if groups is None else np.asarray(groups, dtype=np.int64)
    times = X.data.astype(np.int64)
    documents = np.repeat(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), times)
    words = np.repeat(X.indices, times)
    order = np.lexsort((documents, words, rows[documents]))
    lengths = np.bincount(documents, minlength=X.shape[0])
    n_groups = max(n_groups, int(rows.max(initial=0)) + 1)
    bounds = np.searchsorted(rows[documents][order], np.arange(n_groups + 1))
    starts = np.cumsum(lengths) - lengths
    ordered = (words[order].astype(np.int32), documents[order].astype(np.int32))
    return Tokens(*ordered, bounds, starts, lengths.astype(np.float64), rows, X.shape[1])


def first_topics(X: Counts, tokens: Tokens, n_topics: int, eta: float, rng: np.random.Generator) -> np.ndarray:
    """Return a topic for every token, drawn given the topics of online LDA."""
    topics = np.zeros(len(tokens.words), dtype=np.int32)
    if n_topics == 1 or not len(topics):
        return topics
    prior = np.full(n_topics, WEIGHT / n_topics)
    said = np.asarray(X.sum(axis=0)).ravel()
    learned = TopicCounts.starting(nearly_even(said, n_topics, rng, spread_of(n_topics, SPREADS)), prior, eta)
    pairs = Pairs.of(X)
    with Threads(1) as engine:
        learner = OnlineLearner(learned, engine)
        learner.fit(pairs, EPOCHS, rng, tolerance=1e-4)
        expected = _expected(learner, pairs)
    inverse, beta = learned.inverse(), np.float32(learned.beta)
    scratch = current_kernels().lda_memory.scratch_rows(2, learned.width)
    known = (learned.values, inverse, learned.alpha, beta)
    current_kernels().lda_gibbs.start_tokens(
        tokens.words, tokens.documents, *known, expected, topics, seed_of(rng), 0, scratch
    )
    return topics


def _expected(learner: OnlineLearner, pairs: Pairs) -> np.ndarray:
    """Return the expected topic counts of all documents, without the prior."""
    width = learner.topics.width
    expected: np.ndarray = current_kernels().lda_memory.aligned((pairs.n_documents, width))
    size = max(1, BLOCK_BYTES // (4 * width))
    for begin in range(0, pairs.n_documents, size):
        rows = np.arange(begin, min(begin + size, pairs.n_documents))
        learner.warm(pairs, rows, WARM_PASSES, expected[rows[0] : rows[-1] + 1])
    return expected
