r"""Online collapsed variational inference: the topics learn from one chunk of documents at a time.

A chunk is learnt with step ρ: the topics keep :math:`1 - \rho f` of their counts, f being the chunk's share of all
words, and the chunk's expected counts are added ρ times (equations in `driftline.compute.cpu.lda_online`).

Within a chunk the work is a grid of blocks of documents × blocks of words. In each of as many sub-steps as there are
blocks, every block of documents meets another block of words, so no two pieces of work share a row and no locks are
needed. The grid does not depend on the number of threads, so neither does the answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from driftline.compute.cpu import lda_online as compiled
from driftline.compute.cpu.lda_memory import aligned, scratch_rows
from driftline.core.progress import track
from driftline.engines.threads import Threads
from driftline.inference.variational import learn_concentration, learn_concentrations
from driftline.inference.variational_completion import Pairs
from driftline.topics.topic_counts import TopicCounts

CHUNKS = 30
"""Chunks per epoch: fewer learn too seldom, more have too little to say each and lose time at the barriers."""
PARTS = 4
"""Into how many pieces work is cut that needs no grid."""
SMALL, LARGE = 20_000, 5_000_000
"""Numbers of pairs: below the first the grid is one block, so that every pair sees the answers of all before it; above
the second it is four by four, between them two by two, since larger blocks use the cache better."""
WARM_PASSES = 5
STREAM_PASSES = 5
BOLDEST = 0.5
"""The largest share of the counts that one chunk may replace."""
KEPT_BYTES = 2**29
"""Documents' counts are kept between epochs up to this size; beyond it they are found anew."""
LEARN_PRIORS_FROM = 3
_CHUNK_BYTES = 2**26


class OnlineLearner:
    """Learns topic counts from documents, in epochs or as a stream.

    Parameters
    ----------
    topics : TopicCounts
        What is learnt, in place.
    engine : Threads
        Where the work runs.
    learn_document_prior, learn_word_prior : bool
        Whether to learn α (one value per topic) and β.
    """

    def __init__(
        self,
        topics: TopicCounts,
        engine: Threads,
        *,
        learn_document_prior: bool = False,
        learn_word_prior: bool = False,
    ) -> None:
        self.topics = topics
        self.engine = engine
        self.learn_document_prior = learn_document_prior
        self.learn_word_prior = learn_word_prior

    def fit(
        self,
        pairs: Pairs,
        max_epochs: int,
        rng: Any,
        *,
        tolerance: float = 0.0,
        verbose: Any = False,
        after_epoch: Callable[[], bool] | None = None,
    ) -> int:
        """Go through all documents up to `max_epochs` times and return how often.

        It ends early once an epoch moves less than the share `tolerance` of all words to another topic, or when
        `after_epoch`, which may look at the topics, says that it is enough.
        """
        words = float(pairs.counts.sum(dtype=np.float64))
        if not words:
            return 0
        n, topics = pairs.n_documents, self.topics
        lengths = document_lengths(pairs)
        kept = aligned((n, topics.width)) if n * topics.width * 4 <= KEPT_BYTES else None
        for epoch in track(range(max_epochs), "learning topics", total=max_epochs, verbose=verbose):
            boldness, moved = max(1.0, 10.0 / (1 + epoch)), 0.0
            for rows in np.array_split(rng.permutation(n), n_chunks(n, topics.width)):
                if kept is None or epoch == 0:
                    old = self.warmed(pairs, rows, WARM_PASSES)
                else:
                    old = np.take(kept, rows, axis=0, out=aligned((len(rows), topics.width)), mode="clip")
                share = float(lengths[rows].sum()) / words
                step = min(boldness, BOLDEST / share) if share else 1.0
                topics.forget(1.0 - step * share)
                new, distance = self.learn(pairs, rows, old, step)
                moved += distance
                if kept is not None:
                    kept[rows] = new
                if self.learn_document_prior and epoch >= LEARN_PRIORS_FROM:
                    self._learn_document_prior(new)
            topics.settle()
            if self.learn_word_prior and epoch >= LEARN_PRIORS_FROM:
                self._learn_word_prior()
            if after_epoch is not None and after_epoch():
                return epoch + 1
            if epoch and moved < 2 * tolerance * words:
                return epoch + 1
        return max_epochs

    def stream(self, pairs: Pairs, step: float, keep: float) -> None:
        """Learn from one chunk of documents never seen before: keep some of the counts, add these `step` times."""
        rows = np.arange(pairs.n_documents)
        old = self.warmed(pairs, rows, STREAM_PASSES)
        self.topics.forget(keep)
        new, _ = self.learn(pairs, rows, old, step)
        if self.learn_document_prior:
            self._learn_document_prior(new)

    def warmed(self, pairs: Pairs, rows: Any, passes: int) -> Any:
        """Return the expected topic counts of some documents, the topics being held fixed."""
        topics = self.topics
        documents = aligned((len(rows), topics.width))
        documents += topics.alpha
        inverse, beta, scale = topics.inverse(), np.float32(topics.beta), np.float32(topics.scale)
        self.engine.map(
            compiled.warm_documents,
            [
                (
                    rows[block],
                    *pairs,
                    topics.values,
                    inverse,
                    topics.alpha,
                    beta,
                    scale,
                    passes,
                    documents[block],
                    scratch_rows(2, topics.width),
                )
                for block in blocks(len(rows), PARTS)
            ],
        )
        return documents

    def learn(self, pairs: Pairs, rows: Any, old: Any, step: float) -> tuple[Any, float]:
        """Add the expected counts of some documents to the topics; return the documents' own, and how much moved."""
        topics = self.topics
        new = aligned(old.shape)
        grid = grid_of(pairs)
        cut = blocks(len(rows), grid)
        arranged = self.engine.map(compiled.arrange, [(rows[block], *pairs, topics.n_words, grid) for block in cut])
        inverse, beta, scale = topics.inverse(), np.float32(topics.beta), np.float32(topics.scale)
        weight = np.float32(step / topics.scale)
        scratch = [scratch_rows(3, topics.width) for _ in cut]
        lengths = [np.bincount(found[1], found[2], len(old)).astype(np.float32) for found in arranged]
        left = [length.copy() for length in lengths]
        for turn in range(grid):
            pieces = []
            for i, block in enumerate(cut):
                words, documents, counts, bounds = arranged[i]
                word_block = (i + turn) % grid
                part = slice(bounds[word_block], bounds[word_block + 1])
                pieces.append(
                    (
                        words[part],
                        documents[part],
                        counts[part],
                        topics.values,
                        inverse,
                        topics.alpha,
                        beta,
                        scale,
                        weight,
                        old[block],
                        new[block],
                        lengths[i],
                        left[i],
                        scratch[i],
                    )
                )
            self.engine.map(compiled.learn_pairs, pieces)
        said = np.zeros(topics.width)
        moved = compiled.add_up(old, new, said)
        topics.totals += step * said
        return new, moved

    def _learn_document_prior(self, documents: Any) -> None:
        topics = self.topics
        counts = documents[:, : topics.n_topics]
        topics.set_priors(learn_concentrations(topics.document_prior, counts), topics.beta)

    def _learn_word_prior(self) -> None:
        topics = self.topics
        counts = topics.values[:, : topics.n_topics].T
        topics.set_priors(topics.document_prior, learn_concentration(topics.beta, counts))


def n_chunks(n_documents: int, width: int) -> int:
    """Return into how many chunks documents are cut: at least 30, more if one would be large in memory.

    >>> n_chunks(1000, 208), n_chunks(7, 208), n_chunks(10_000_000, 1008)
    (30, 7, 1202)
    """
    return max(1, min(n_documents, max(CHUNKS, -(-n_documents * width * 4 // _CHUNK_BYTES) * 2)))


def grid_of(pairs: Pairs) -> int:
    """Return the number of blocks of documents, and of words, into which a chunk is cut."""
    n = len(pairs.words)
    return 1 if n < SMALL else 2 if n < LARGE else 4


def document_lengths(pairs: Pairs) -> Any:
    """Return the number of words in every document."""
    running = np.concatenate([[0.0], np.cumsum(pairs.counts, dtype=np.float64)])
    return running[pairs.indptr[1:]] - running[pairs.indptr[:-1]]


def blocks(n: int, n_blocks: int) -> list[slice]:
    """Cut n documents into blocks of nearly the same size.

    >>> blocks(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    edges = np.arange(n_blocks + 1) * n // n_blocks
    return [slice(start, end) for start, end in itertools.pairwise(edges.tolist())]
