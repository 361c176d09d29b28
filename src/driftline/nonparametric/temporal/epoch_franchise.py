r"""Topics of successive epochs: the franchise of each epoch, given the statistics of earlier epochs.

Epoch e has the tables :math:`m_{ke}` of topic k. Earlier tables and words are carried over with decay,

.. math:: m'_{ke} = \sum_{\delta \ge 1} e^{-\delta / \lambda} m_{k, e - \delta}, \qquad
          \phi_{ke} \sim \mathrm{Dir}\bigl(\eta + \sum_{\delta \ge 1} e^{-\delta / \kappa} x_{k, e - \delta}\bigr), (1)

as `Carried` of `driftline.nonparametric.franchise`, whose sampler processes one epoch after another, each given the
last sample of the previous one. Later epochs do not revise earlier ones. A topic whose carried tables fall below
`LEAST_TABLES` has ended.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Counts, Floats, Ints
from driftline.inference.plain_values import copied
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.nonparametric.franchise import Carried, Franchise, Priors, Sample, Tokens
from driftline.nonparametric.hdp_chains import FEWEST, FRANCHISE_GIBBS
from driftline.nonparametric.topic_start import first_topics, lay_out

LEAST_TABLES = 0.05
"""Minimum number of carried tables of a topic that can return."""
LIVE = 0.01
"""Minimum share of an epoch's tokens for a topic to be live in it; ended topics may keep a few stray tokens."""


class Schedule(NamedTuple):
    """Topics of the start, sweeps, samples, merges and splits, λ and κ in epochs, and progress."""

    start: int
    burn_in: int
    n_samples: int
    restructure: bool
    timescale: float
    word_timescale: float
    verbose: bool


class EpochSums(NamedTuple):
    """Sums over samples by slot, since the slot got its id: counts, priors of groups, own tokens; and the last sample.

    For every sample, `numbers` contains the number of topics with tokens, the smallest number that covers 99 % of the
    tokens, and the number of live topics.
    """

    counts: Floats
    prior: Floats
    own: Floats
    ids: Ints
    n_samples: Ints
    numbers: Ints
    last: Sample


class EpochTopics(NamedTuple):
    """The topics of an epoch, largest first: mean counts, priors of groups, own tokens, ids; and numbers, and trace."""

    counts: np.ndarray
    prior: Floats
    own: Floats
    ids: Ints
    numbers: Ints
    trace: Floats
    concentrations: tuple[float, float, float, float]


def sample_epoch(
    X: Counts,
    groups: Ints,
    n_groups: int,
    carried: Carried,
    priors: Priors,
    schedule: Schedule,
    rng: np.random.Generator,
) -> tuple[EpochTopics, Sample]:
    """Sample the topics of an epoch given the carried statistics; return their averages, and the last sample."""
    tokens = lay_out(X, groups, n_groups)
    eta = priors.word or Priors().word
    if len(carried.ids):
        first = carried_topics(tokens, carried, eta, rng)
    else:
        first = first_topics(X, tokens, schedule.start, eta, rng)
    restructured = schedule.burn_in if schedule.restructure and n_groups == 1 else 0
    problem = Franchise(tokens, first, priors, carried, restructured)
    keep, stop = Keep(schedule.burn_in, fold=add_sample), Stop(schedule.burn_in + schedule.n_samples)
    done = run(FRANCHISE_GIBBS, problem, stop=stop, keep=keep, rng=rng, verbose=schedule.verbose)
    sums: EpochSums = done.result[0]
    return _averaged(sums, done.objective[0]), sums.last


def carried_topics(tokens: Tokens, carried: Carried, eta: float, rng: np.random.Generator) -> np.ndarray:
    """Draw a carried topic for every token, in proportion to its tables times the share of the word."""
    shares = (carried.words + eta) / (carried.words.sum(axis=0) + tokens.n_words * eta)
    sums = np.cumsum(shares * carried.tables, axis=1, dtype=np.float64)
    points = rng.random(len(tokens.words)) * sums[tokens.words, -1]
    drawn = (sums[tokens.words] <= points[:, None]).sum(axis=1)
    return np.asarray(np.minimum(drawn, len(carried.ids) - 1), dtype=np.int32)


def add_sample(kept: EpochSums | None, sample: Sample) -> EpochSums:
    """Add a sample; a slot whose id has changed starts again."""
    width, own = len(sample.ids), np.bincount(sample.topics, minlength=len(sample.ids)).astype(np.float64)
    if kept is None:
        shape = (len(sample.group_weights), width)
        empty = (np.zeros(sample.counts.shape), np.zeros(shape), np.zeros(width))
        none = np.zeros((0, 3), dtype=np.int64)
        kept = EpochSums(*empty, sample.ids.copy(), np.zeros(width, dtype=np.int64), none, sample)
    extra = width - len(kept.ids)
    counts, prior = (np.pad(total, ((0, 0), (0, extra))) for total in (kept.counts, kept.prior))
    owns, n_samples = np.pad(kept.own, (0, extra)), np.pad(kept.n_samples, (0, extra))
    changed = np.pad(kept.ids, (0, extra), constant_values=-1) != sample.ids
    for total in (counts, prior, owns, n_samples):
        total[..., changed] = 0
    sizes = np.sort(own[own > 0])[::-1]
    n_99 = int(np.searchsorted(sizes.cumsum(), 0.99 * sizes.sum())) + 1 if len(sizes) else 0
    row = np.array([[len(sizes), min(n_99, len(sizes)), int((sizes >= LIVE * sizes.sum()).sum())]])
    return EpochSums(
        counts + sample.counts,
        prior + sample.document_concentration * sample.group_weights,
        owns + own,
        sample.ids.copy(),
        n_samples + 1,
        np.concatenate([kept.numbers, row]),
        copied(sample),
    )


def _averaged(sums: EpochSums, trace: Floats) -> EpochTopics:
    n = np.maximum(sums.n_samples, 1)
    own = sums.own / n
    some = np.flatnonzero((sums.ids >= 0) & (own >= FEWEST))
    if not len(some):
        some = np.flatnonzero(sums.ids >= 0)[:1]
    counts = sums.counts / n
    order = some[np.argsort(-own[some], kind="stable")]
    last = sums.last
    found = (last.document_concentration, last.concentration, last.group_concentration, last.word_prior)
    topics = np.ascontiguousarray(counts[:, order].T, dtype=np.float32)
    return EpochTopics(topics, (sums.prior / n)[:, order], own[order], sums.ids[order], sums.numbers, trace, found)


def carried_over(sample: Sample, carried: Carried, gap: float, schedule: Schedule) -> Carried:
    """Return the statistics that are carried over to an epoch that is `gap` epochs later (1)."""
    n = len(carried.ids)
    group_tables, tables = sample.group_tables.copy(), sample.tables.copy()
    group_tables[:, :n] += carried.group_tables
    tables[:n] += carried.tables
    fades, words_fade = np.exp(-gap / schedule.timescale), np.exp(-gap / schedule.word_timescale)
    slots = np.flatnonzero((sample.ids >= 0) & (fades * tables >= LEAST_TABLES))
    words = np.ascontiguousarray(words_fade * sample.counts[:, slots], dtype=np.float32)
    return Carried(words, fades * group_tables[:, slots], fades * tables[slots], sample.ids[slots], sample.next_id)
