"""One chain of the hierarchical Dirichlet process: sampled, and averaged over its samples by the ids of topics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Counts, Floats, Ints
from driftline.inference.gibbs import Gibbs
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.nonparametric.franchise import (
    Carried,
    Franchise,
    Priors,
    Sample,
    begin,
    draw_concentrations,
    draw_topics,
    draw_weights,
)
from driftline.nonparametric.restructured_topics import restructure
from driftline.nonparametric.topic_start import first_topics, lay_out

FRANCHISE_GIBBS: Gibbs[Franchise, Sample] = Gibbs(
    begin, (draw_topics, restructure, draw_weights, draw_concentrations), lambda sample, problem: sample.likelihood
)
"""Draws of the topics of all tokens, merges and splits during the burn-in, weights of all levels, concentrations."""

FEWEST = 0.5
"""Minimum mean number of tokens of a reported topic."""


class Averages(NamedTuple):
    """Sums over samples, by slot, since the slot got its id; the number of these samples; and numbers of topics."""

    counts: np.ndarray
    prior: Floats
    tables: Floats
    ids: Ints
    n_samples: Ints
    n_topics: Ints


class FoundTopics(NamedTuple):
    """The topics of a chain, largest first: mean counts (topics × words), prior, tables, ids, priors, and a record."""

    counts: np.ndarray
    document_prior: Floats
    tables: Floats
    ids: Ints
    next_id: int
    document_concentration: float
    concentration: float
    word_prior: float
    n_topics: Ints
    trace: Floats
    likelihood: float


class Kept(NamedTuple):
    """The averages, and the parameters of the last sample."""

    averages: Averages
    next_id: int
    document_concentration: float
    concentration: float
    word_prior: float


def run_chain(
    X: Counts,
    n_topics: int,
    priors: Priors,
    rng: np.random.Generator,
    burn_in: int,
    n_samples: int,
    restructured: bool,
    verbose: bool,
) -> FoundTopics:
    """Sample from a start with this many topics."""
    tokens = lay_out(X)
    first = first_topics(X, tokens, n_topics, priors.word or Priors().word, rng)
    nothing = Carried.nothing(X.shape[1], 1)
    problem = Franchise(tokens, first, priors, nothing, burn_in if restructured else 0)
    stop, keep = Stop(burn_in + n_samples), Keep(burn_in, fold=add_sample)
    done = run(FRANCHISE_GIBBS, problem, stop=stop, keep=keep, rng=rng, progress="sampling topics", verbose=verbose)
    kept: Kept = done.result[0]
    averages = kept.averages
    trace = done.objective[0]
    counts = averages.counts / np.maximum(averages.n_samples, 1)
    some = np.flatnonzero((averages.ids >= 0) & (counts.sum(axis=0) >= FEWEST))
    if not len(some):
        some = np.flatnonzero(averages.ids >= 0)[:1]
    order = some[np.argsort(-counts[:, some].sum(axis=0), kind="stable")]
    means = [(total / np.maximum(averages.n_samples, 1))[order] for total in (averages.prior, averages.tables)]
    topics = np.ascontiguousarray(counts[:, order].T, dtype=np.float32)
    likelihood = float(np.nan_to_num(trace[burn_in:].mean(), nan=-np.inf))
    return FoundTopics(topics, means[0], means[1], averages.ids[order], *kept[1:], averages.n_topics, trace, likelihood)


def add_sample(kept: Kept | None, sample: Sample) -> Kept:
    """Add a sample; a slot whose id has changed starts again."""
    last = (sample.next_id, sample.document_concentration, sample.concentration, sample.word_prior)
    width, numbers = len(sample.ids), numbers_of_topics(sample)
    empty = (np.zeros_like(sample.counts, dtype=np.float64), np.zeros(width), np.zeros(width))
    if kept is None:
        before = Averages(*empty, sample.ids.copy(), np.zeros(width, dtype=np.int64), numbers[:0])
    else:
        before = _widened(kept.averages, width)
    changed = before.ids != sample.ids
    for total in (before.counts, before.prior, before.tables, before.n_samples):
        total[..., changed] = 0
    before.counts[:] += sample.counts
    before.prior[:] += sample.document_concentration * sample.weights
    before.tables[:] += sample.tables
    before.n_samples[:] += 1
    n_topics = np.concatenate([before.n_topics, numbers])
    return Kept(before._replace(ids=sample.ids.copy(), n_topics=n_topics), *last)


def numbers_of_topics(sample: Sample) -> Ints:
    """Return the number of topics with tokens, and the smallest that covers 99 % of all tokens, as a row."""
    sizes = np.sort(sample.totals[sample.totals > 0])[::-1]
    n_99 = int(np.searchsorted(sizes.cumsum(), 0.99 * sizes.sum())) + 1 if len(sizes) else 0
    return np.array([[len(sizes), min(n_99, len(sizes))]])


def _widened(kept: Averages, width: int) -> Averages:
    extra = width - len(kept.ids)
    if not extra:
        return kept
    wide = (np.pad(kept.counts, ((0, 0), (0, extra))), np.pad(kept.prior, (0, extra)), np.pad(kept.tables, (0, extra)))
    ids = np.pad(kept.ids, (0, extra), constant_values=-1)
    return Averages(*wide, ids, np.pad(kept.n_samples, (0, extra)), kept.n_topics)
