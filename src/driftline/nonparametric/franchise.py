r"""The Chinese restaurant franchise by direct assignment (Teh et al., 2006): the sampler of all hierarchical models.

Topics have the global weights :math:`\beta \sim \mathrm{GEM}(\gamma)`; group g of documents (a corpus) has
:math:`\pi_g \sim \mathrm{DP}(\gamma_c, \beta)`, or β itself if there is only one group; document d has
:math:`\theta_d \sim \mathrm{DP}(\alpha_0, \pi_g)`, and topic k the words :math:`\phi_k \sim \mathrm{Dir}(\eta)`. θ and
φ are integrated out. A sweep draws

1. the topic of each token: the kernels' `franchise`, Eq. 1. A birth splits the remaining weight of every level:
   :math:`\beta_{new} = b \beta_u` with :math:`b \sim \mathrm{Beta}(1, \gamma)` (1),
2. the tables :math:`m_{gk}` of topics in documents, and of these in groups (Antoniak),
3. :math:`\beta \sim \mathrm{Dir}(m_k + m'_k, …, \gamma)` and
   :math:`\pi_g \sim \mathrm{Dir}(\gamma_c \beta_k + m_{gk} + m'_{gk}, …, \gamma_c \beta_u)` (2),
4. the concentrations, under Gamma(1, 1) priors.

The statistics of earlier epochs are `Carried`: counts of words, added to those of a topic, and tables :math:`m'`, added
in (2). A topic keeps its slot and its id as long as it has tokens or carried tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import seed_of
from driftline.inference.concentration import draw_dirichlet_concentration, draw_from_slice, draw_shared_concentration

ROOM = 16
"""Number of free slots kept for births; more are added when they are used up."""
FIRST_DOCUMENT_CONCENTRATION = 5.0
FIRST_CONCENTRATION = 1.0
LEAST_WEIGHT = 1e-30
"""Lower bound of the weight of a topic with tokens: rounding must not make it impossible."""


class Carried(NamedTuple):
    """Statistics of earlier epochs by slot: counts of words (words × slots), tables of groups and of all, and ids."""

    words: np.ndarray
    group_tables: Floats
    tables: Floats
    ids: Ints
    next_id: int

    @classmethod
    def nothing(cls, n_words: int, n_groups: int) -> Carried:
        """Return the state before the first epoch."""
        empty = (np.zeros((n_words, 0), dtype=np.float32), np.zeros((n_groups, 0)), np.zeros(0))
        return cls(*empty, np.zeros(0, dtype=np.int64), 0)


class Tokens(NamedTuple):
    """The tokens, sorted by group and word, and the documents: where packed lists begin, lengths, and groups."""

    words: np.ndarray
    documents: np.ndarray
    bounds: Ints
    starts: Ints
    lengths: Floats
    groups: Ints
    n_words: int

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.bounds) - 1

    def rows_of(self, group: int) -> Ints:
        """Return the documents of a group."""
        return np.flatnonzero(self.groups == group)


class Priors(NamedTuple):
    """α₀, γ, γ_c and η; zero means learned."""

    document: float = 0.0
    topic: float = 0.0
    group: float = 0.0
    word: float = 0.05


class Sample(NamedTuple):
    """A sample: the topics of all tokens, their counts, the weights of all levels, the concentrations, and ids.

    `weights` (β) has one value per slot; that of `rest` is the weight of all unused topics, and the other free slots
    have none. `group_weights` (π) is groups × slots. `ids` of free slots are -1.
    """

    topics: np.ndarray
    counts: np.ndarray
    totals: Floats
    packed: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
    weights: Floats
    group_weights: Floats
    tables: Floats
    group_tables: Floats
    rest: int
    ids: Ints
    next_id: int
    document_concentration: float
    concentration: float
    group_concentration: float
    word_prior: float
    likelihood: float
    n_sweeps: int


class Franchise(NamedTuple):
    """The problem: tokens, the topics of the first sample, the priors, and the statistics of earlier epochs."""

    tokens: Tokens
    first: np.ndarray
    priors: Priors
    carried: Carried
    n_restructured: int = 0


def begin(problem: Franchise, rng: np.random.Generator) -> Sample:
    """Count the topics of the first sample, and draw all weights."""
    tokens, carried = problem.tokens, problem.carried
    n_slots = max(int(problem.first.max(initial=-1)) + 1, len(carried.ids))
    width = current_kernels().lda_memory.padded(n_slots + ROOM)
    ids = np.full(width, -1, dtype=np.int64)
    ids[: len(carried.ids)] = carried.ids
    empty = (current_kernels().lda_memory.aligned((tokens.n_words, width)), np.zeros(width))
    priors = problem.priors
    first = (priors.document or FIRST_DOCUMENT_CONCENTRATION, priors.topic or FIRST_CONCENTRATION)
    sample = Sample(
        problem.first.astype(np.int32).copy(),
        *empty,
        pack(tokens, problem.first.astype(np.int32)),
        np.zeros(width),
        np.zeros((tokens.n_groups, width)),
        np.zeros(width),
        np.zeros((tokens.n_groups, width)),
        0,
        ids,
        carried.next_id,
        *first,
        priors.group or FIRST_CONCENTRATION,
        priors.word or Priors().word,
        np.nan,
        0,
    )
    return seated(recounted(sample, problem), problem, rng)


def pack(tokens: Tokens, topics: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the topics of all documents as lists: their sizes, topics, numbers of tokens, and weights."""
    n = len(tokens.words)
    packed = (
        np.zeros(len(tokens.starts), dtype=np.int32),
        np.zeros(n, dtype=np.int32),
        np.zeros(n, dtype=np.int32),
        np.zeros(n, dtype=np.float32),
    )
    ones = np.ones(n, dtype=np.float32)
    current_kernels().lda_gibbs.pack_documents(tokens.documents, topics, ones, tokens.starts, *packed)
    return packed


def recounted(sample: Sample, problem: Franchise) -> Sample:
    """Return the sample with the counts of its topics; a topic without an id gets one."""
    tokens, width = problem.tokens, len(sample.ids)
    counts: np.ndarray = current_kernels().lda_memory.aligned((tokens.n_words, width))
    counts[:, : len(problem.carried.ids)] = problem.carried.words
    ones = np.ones(len(tokens.words), dtype=np.float32)
    current_kernels().lda_gibbs.count_words(tokens.words, ones, sample.topics, counts)
    ids, next_id = sample.ids.copy(), sample.next_id
    for slot in np.flatnonzero(np.bincount(sample.topics, minlength=width)):
        if ids[slot] < 0:
            ids[slot], next_id = next_id, next_id + 1
    totals = counts.sum(axis=0, dtype=np.float64)
    packed = pack(tokens, sample.topics)
    return sample._replace(counts=counts, totals=totals, ids=ids, next_id=next_id, packed=packed)


def seated(sample: Sample, problem: Franchise, rng: np.random.Generator) -> Sample:
    """Return a sample with weights drawn from an initial guess that is proportional to the tokens of topics."""
    own = np.bincount(sample.topics, minlength=len(sample.ids)).astype(np.float64)
    weights = np.where(sample.ids >= 0, own + 1.0, 0.0)
    sample = with_rest(sample._replace(weights=weights, tables=own))
    sample.weights[sample.rest] = sample.concentration
    weights = sample.weights / sample.weights.sum()
    groups = np.tile(weights, (problem.tokens.n_groups, 1))
    return draw_weights(sample._replace(weights=weights, group_weights=groups), problem, rng)


def draw_topics(sample: Sample, problem: Franchise, rng: np.random.Generator) -> Sample:
    """Draw the topics of all tokens, group after group."""
    tokens, likelihood = problem.tokens, 0.0
    if not current_kernels().lda_memory.has_room(sample.counts):
        sample = sample._replace(counts=current_kernels().lda_memory.pad_columns(sample.counts, len(sample.ids)))
    for group in range(tokens.n_groups):
        part = slice(tokens.bounds[group], tokens.bounds[group + 1])
        lengths = (tokens.lengths + sample.document_concentration).astype(np.float32)
        done, n = 0, part.stop - part.start
        while done < n:
            shares = sample.document_concentration * sample.group_weights[group]
            alpha = current_kernels().lda_memory.pad_columns(shares, len(sample.ids))
            done, gain = current_kernels().franchise.sweep_until_birth(
                done,
                tokens.words[part],
                tokens.documents[part],
                sample.topics[part],
                sample.counts,
                sample.totals,
                tokens.n_words * sample.word_prior,
                alpha,
                np.float32(sample.word_prior),
                tokens.starts,
                *sample.packed,
                lengths,
                sample.rest,
                seed_of(rng),
                current_kernels().lda_memory.scratch_rows(5, max(len(alpha), 16)),
            )
            likelihood += gain
            if sample.topics[part.start + done - 1] == sample.rest:
                sample = born(sample, group, rng)
    likelihood /= max(len(tokens.words), 1)
    return sample._replace(likelihood=likelihood, n_sweeps=sample.n_sweeps + 1)


def born(sample: Sample, group: int, rng: np.random.Generator) -> Sample:
    """Assign an id to the slot `rest`, and share its weight with a new `rest` (1)."""
    slot, single = sample.rest, len(sample.group_weights) == 1
    sample.ids[slot] = sample.next_id
    sample = with_rest(sample._replace(next_id=sample.next_id + 1))
    whole = sample.weights[slot]
    share = rng.beta(1.0, sample.concentration)
    sample.weights[slot], sample.weights[sample.rest] = share * whole, (1.0 - share) * whole
    if single:
        sample.group_weights[0] = sample.weights
        return sample
    for g, row in enumerate(sample.group_weights):
        shapes = sample.group_concentration * sample.weights[[slot, sample.rest]] + [g == group, 0]
        part = rng.beta(*np.maximum(shapes, LEAST_WEIGHT))
        row[slot], row[sample.rest] = part * row[slot], (1.0 - part) * row[slot]
    return sample


def with_rest(sample: Sample) -> Sample:
    """Make a free slot `rest`; if there is none, add some."""
    free = np.flatnonzero(sample.ids < 0)
    if not len(free):
        sample = widened(sample)
        free = np.flatnonzero(sample.ids < 0)
    return sample._replace(rest=int(free[0]))


def widened(sample: Sample) -> Sample:
    """Add free slots."""
    extra = current_kernels().lda_memory.padded(len(sample.ids) + ROOM) - len(sample.ids)
    return sample._replace(
        counts=current_kernels().lda_memory.pad_columns(sample.counts, len(sample.ids) + extra),
        totals=np.pad(sample.totals, (0, extra)),
        weights=np.pad(sample.weights, (0, extra)),
        group_weights=np.pad(sample.group_weights, ((0, 0), (0, extra))),
        tables=np.pad(sample.tables, (0, extra)),
        group_tables=np.pad(sample.group_tables, ((0, 0), (0, extra))),
        ids=np.pad(sample.ids, (0, extra), constant_values=-1),
    )


def draw_weights(sample: Sample, problem: Franchise, rng: np.random.Generator) -> Sample:
    """Draw the tables of all levels, then β and π (2); topics with neither tokens nor carried tables end."""
    tokens, width, n_carried = problem.tokens, len(sample.ids), len(problem.carried.ids)
    group_tables = np.zeros((tokens.n_groups, width))
    for group, own in enumerate(group_tables):
        alpha = sample.document_concentration * sample.group_weights[group]
        rows, packed = tokens.rows_of(group), sample.packed[:3]
        current_kernels().franchise.draw_tables(
            rows, tokens.starts, *packed, np.maximum(alpha, LEAST_WEIGHT), seed_of(rng), own
        )
    carried, group_carried = np.zeros(width), np.zeros_like(group_tables)
    carried[:n_carried] = problem.carried.tables
    group_carried[:, :n_carried] = problem.carried.group_tables
    if tokens.n_groups == 1:
        tables = group_tables[0].copy()
    else:
        tables = _base_draws(group_tables, group_carried, sample.group_concentration * sample.weights, rng)
    alive = tables + carried + (group_tables + group_carried).sum(axis=0) > 0
    ids = np.where(alive, sample.ids, -1)
    sample = with_rest(sample._replace(ids=ids, tables=tables, group_tables=group_tables))
    width = len(sample.ids)
    carried, group_carried = np.resize(carried, width), _widen(group_carried, width)
    carried[len(alive) :] = 0.0
    shapes = np.where(sample.ids >= 0, sample.tables + carried, 0.0)
    shapes[sample.rest] = sample.concentration
    weights = _dirichlet(shapes, rng)
    if tokens.n_groups == 1:
        return sample._replace(weights=weights, group_weights=weights[None].copy())
    below = sample.group_concentration * weights + sample.group_tables + group_carried
    below[:, (sample.ids < 0) & (np.arange(width) != sample.rest)] = 0.0
    return sample._replace(weights=weights, group_weights=np.array([_dirichlet(row, rng) for row in below]))


def _base_draws(tables: Floats, carried: Floats, base: Floats, rng: np.random.Generator) -> Floats:
    """Return the number of tables of groups drawn from the base: customer i + 1 with probability a / (a + m' + i)."""
    found = np.zeros(tables.shape[1])
    for group in range(len(tables)):
        for k in np.flatnonzero(tables[group]):
            i, a = np.arange(int(tables[group, k])), max(base[k], LEAST_WEIGHT)
            found[k] += (rng.random(len(i)) * (a + carried[group, k] + i) < a).sum()
    return found


def _widen(rows: Floats, width: int) -> Floats:
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])))


def _dirichlet(shapes: Floats, rng: np.random.Generator) -> Floats:
    """Draw weights, which are zero where the shape is zero."""
    drawn = np.zeros(len(shapes))
    some = shapes > 0
    logs = np.log(rng.gamma(shapes[some] + 1.0)) + np.log(rng.random(int(some.sum()))) / shapes[some]
    drawn[some] = np.maximum(np.exp(logs - np.logaddexp.reduce(logs)), LEAST_WEIGHT)
    return drawn


def draw_concentrations(sample: Sample, problem: Franchise, rng: np.random.Generator) -> Sample:
    """Draw the concentrations that are learned, given the tables."""
    priors, carried = problem.priors, problem.carried
    if not priors.document:
        n_tables = int(sample.group_tables.sum())
        value = draw_shared_concentration(sample.document_concentration, problem.tokens.lengths, n_tables, rng)
        sample = sample._replace(document_concentration=value)
    if not priors.topic:
        new = np.ones(len(sample.ids), dtype=bool)
        new[: len(carried.ids)] = carried.tables <= 0
        n_new = int((new & (sample.tables > 0)).sum())
        customers = (sample.tables.sum(), carried.tables.sum())
        sample = sample._replace(concentration=_drawn(sample.concentration, n_new, [customers], rng))
    if not priors.group and problem.tokens.n_groups > 1:
        customers_of = [*zip(sample.group_tables.sum(axis=1), carried.group_tables.sum(axis=1))]
        value = _drawn(sample.group_concentration, int(sample.tables.sum()), customers_of, rng)
        sample = sample._replace(group_concentration=value)
    if not priors.word:
        counts = sample.counts[:, sample.ids >= 0].T
        value = draw_dirichlet_concentration(sample.word_prior, counts[counts.sum(axis=1) > 0], rng)
        sample = sample._replace(word_prior=value)
    return sample


def _drawn(value: float, n_new: int, customers: list[tuple[float, float]], rng: np.random.Generator) -> float:
    r"""Draw γ given draws from the base and customers T of restaurants with carried customers C, by slice sampling.

    .. math:: p(\gamma) \propto e^{-\gamma} \gamma^{K} \prod \Gamma(\gamma + C) / \Gamma(\gamma + C + T)
    """

    def log_density(log_value: float) -> float:
        g = float(np.exp(log_value))
        seats = sum(float(gammaln(g + before) - gammaln(g + before + own)) for own, before in customers)
        return (n_new + 1) * log_value - g + seats

    return float(np.exp(draw_from_slice(float(np.log(value)), log_density, rng)))
