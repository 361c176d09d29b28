"""Gibbs sampling for LDA, started from the variational answer and averaged over samples.

Documents are cut into chunks; within a chunk the work is the same grid as in `driftline.topics.online`, so no two
pieces of work share a document or a word. Only the totals of the topics, which all share, are as they were when the
sub-step began. A small corpus is one block, and then the sampler is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.compute.cpu import lda_gibbs as compiled
from driftline.compute.cpu.lda_memory import aligned, scratch_rows
from driftline.compute.cpu.lda_online import arrange
from driftline.core.errors import InvalidInput
from driftline.engines.threads import Threads
from driftline.inference.variational import learn_concentration, learn_concentrations
from driftline.inference.variational_completion import Pairs
from driftline.topics.online import WARM_PASSES, OnlineLearner, blocks, document_lengths, grid_of, n_chunks
from driftline.topics.topic_counts import TopicCounts

MOST_TOKENS = 2**31


class Block(NamedTuple):
    """The tokens of one block of documents, sorted by (block of words, word), with their topics."""

    rows: Any
    words: Any
    documents: Any
    weights: Any
    topics: Any
    bounds: Any


class Tokens(NamedTuple):
    """All tokens in the order in which they are sampled: chunks of blocks, and the documents' lengths."""

    chunks: list[list[Block]]
    lengths: Any

    def assignments(self) -> Any:
        """Return the topics of all tokens as one array: with the documents, this is the whole state of a chain."""
        return np.concatenate([block.topics for chunk in self.chunks for block in chunk])

    def assigned(self, topics: Any) -> Tokens:
        """Return the same tokens with other topics; the arrays of topics are new."""
        ends = np.cumsum([len(block.topics) for chunk in self.chunks for block in chunk])
        parts = iter(np.split(np.array(topics, dtype=np.int32), ends[:-1]))
        return Tokens([[block._replace(topics=next(parts)) for block in chunk] for chunk in self.chunks], self.lengths)


class GibbsSampler:
    """Samples the topics of all tokens; `topics` holds the counts of the current sample.

    Parameters
    ----------
    topics : TopicCounts
        The counts that belong to the tokens' topics; changed in place.
    tokens : Tokens
        The tokens; their topics are changed in place.
    engine : Threads
        Where the work runs.
    seed : int
        What all random numbers depend on, together with the number of the piece of work.
    learn_document_prior, learn_word_prior : bool
        Whether α and β are learned along the way.
    """

    def __init__(
        self,
        topics: TopicCounts,
        tokens: Tokens,
        engine: Threads,
        seed: int,
        *,
        learn_document_prior: bool = False,
        learn_word_prior: bool = False,
    ) -> None:
        self.topics, self.engine = topics, engine
        self.learn_document_prior, self.learn_word_prior = learn_document_prior, learn_word_prior
        self.lengths = tokens.lengths
        self.words = float(self.lengths.sum())
        self._seed, self._piece = seed, 0
        self._chunks = tokens.chunks
        self._grid = len(tokens.chunks[0]) if tokens.chunks else 1

    def sweep(self) -> float:
        """Draw every topic anew; return the mean log-likelihood of a word given all others."""
        topics, likelihood = self.topics, 0.0
        for chunk in self._chunks:
            documents = self.engine.map(self._document_counts, [(block,) for block in chunk])
            alpha_sum = float(topics.document_prior.sum())
            lengths = [(self.lengths[block.rows] + alpha_sum).astype(np.float32) for block in chunk]
            for turn in range(self._grid):
                totals = [topics.totals.copy() for _ in chunk]
                pieces = []
                for i, block in enumerate(chunk):
                    word_block = (i + turn) % self._grid
                    part = slice(block.bounds[word_block], block.bounds[word_block + 1])
                    pieces.append(
                        (
                            block.words[part],
                            block.documents[part],
                            block.weights[part],
                            block.topics[part],
                            topics.values,
                            totals[i],
                            topics.n_words * topics.beta,
                            topics.alpha,
                            np.float32(topics.beta),
                            documents[i],
                            lengths[i],
                            self._seed,
                            self._piece,
                            scratch_rows(2, topics.width),
                        )
                    )
                    self._piece += 1
                likelihood += sum(self.engine.map(compiled.sweep_tokens, pieces))
                topics.totals = topics.totals + sum(own - topics.totals for own in totals)
            if self.learn_document_prior:
                counts = np.concatenate(documents)[:, : topics.n_topics]
                topics.set_priors(learn_concentrations(topics.document_prior, counts), topics.beta)
        if self.learn_word_prior:
            counts = topics.values[:, : topics.n_topics].T
            topics.set_priors(topics.document_prior, learn_concentration(topics.beta, counts))
        return likelihood / self.words if self.words else 0.0

    def _document_counts(self, block: Block) -> Any:
        counts = aligned((len(block.rows), self.topics.width))
        compiled.count_documents(block.documents, block.weights, block.topics, counts)
        return counts


def lay_out(pairs: Pairs, n_words: int, width: int) -> Tokens:
    """Lay out the tokens of documents for sampling; all topics are zero."""
    if pairs.counts.sum(dtype=np.float64) > MOST_TOKENS:
        raise InvalidInput(f"sampling holds every token, and there are more than {MOST_TOKENS:,}; use 'online'")
    n, grid = pairs.n_documents, grid_of(pairs)
    chunks = []
    for rows in np.array_split(np.arange(n), n_chunks(n, width)):
        chunk = []
        for part in blocks(len(rows), grid):
            words, documents, counts, bounds = arrange(rows[part], *pairs, n_words, grid)
            chunk.append(Block(rows[part], *_expanded(words, documents, counts, bounds)))
        chunks.append(chunk)
    return Tokens(chunks, document_lengths(pairs))


def draw_first(tokens: Tokens, pairs: Pairs, topics: TopicCounts, engine: Threads, seed: int) -> None:
    """Draw the first topic of every token from the variational answer in `topics`."""
    learner = OnlineLearner(topics, engine)
    inverse, beta = topics.inverse(), np.float32(topics.beta)
    for number, chunk in enumerate(tokens.chunks):
        pieces = []
        for i, block in enumerate(chunk):
            expected = learner.warmed(pairs, block.rows, WARM_PASSES)
            pieces.append(
                (
                    block.words,
                    block.documents,
                    topics.values,
                    inverse,
                    topics.alpha,
                    beta,
                    expected,
                    block.topics,
                    seed,
                    number * len(chunk) + i,
                    scratch_rows(2, topics.width),
                )
            )
        engine.map(compiled.start_tokens, pieces)


def count_tokens(tokens: Tokens, n_words: int, width: int) -> Any:
    """Return how often every word has every topic, words × topics, padded."""
    values = aligned((n_words, width))
    for chunk in tokens.chunks:
        for block in chunk:
            compiled.count_words(block.words, block.weights, block.topics, values)
    return values


def recount(topics: TopicCounts, counts: Any) -> None:
    """Replace the counts of the topics by those of a sample, keeping the seeds."""
    topics.values[:] = counts
    for row, extra in topics.seeds.items():
        topics.values[row] += extra
    topics.scale = 1.0
    topics.settle()


def _expanded(words: Any, documents: Any, counts: Any, bounds: Any) -> tuple[Any, ...]:
    """Turn pairs into tokens: whole ones, and one lighter token for the rest of a count that is no whole number."""
    times = np.ceil(counts).astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(times)])
    weights = np.ones(ends[-1], dtype=np.float32)
    weights[ends[1:][times > 0] - 1] = (counts - (times - 1))[times > 0]
    tokens = (np.repeat(words, times), np.repeat(documents, times), weights, np.zeros(ends[-1], dtype=np.int32))
    return (*tokens, ends[bounds])
