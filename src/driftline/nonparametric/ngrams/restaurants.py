r"""Gibbs sampling for the hierarchical Pitman-Yor language model: seats of all tokens, then d and θ of every order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import seed_of
from driftline.inference.concentration import Process, draw_process
from driftline.inference.gibbs import Gibbs
from driftline.text.ngram_index import NGramIndex
from driftline.text.sequences import TokenSequences

FIRST_DISCOUNT, FIRST_CONCENTRATION = 0.7, 1.0
"""Initial d and θ, with which the first customers are seated."""


class Restaurants(NamedTuple):
    """The cells (n-grams) of a language model, and the tokens in them.

    `direct` contains the number of tokens whose longest n-gram is each cell; that n-gram is shorter near the beginning
    of a document. `starts` contains the positions of the tables of each cell. Cells of order m are those from
    ``orders[m - 1]`` to ``orders[m]``.
    """

    n_words: int
    orders: Ints
    direct: Ints
    context_of: Ints
    suffix_of: Ints
    starts: Ints

    @classmethod
    def of(cls, index: NGramIndex, sequences: TokenSequences) -> Restaurants:
        """Count the tokens of sequences in the cells of their index."""
        grams = index.grams(sequences)
        longest = np.where(grams >= 0, grams, 0).max(axis=1, initial=0)  # longer n-grams have higher numbers
        direct = np.bincount(longest, minlength=int(index.starts[-1]))
        raw = np.asarray(index.counts.sum(axis=0)).ravel().astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(raw)])
        return cls(index.n_words, index.starts, direct, index.context_of, index.suffix_of, starts)

    def contexts(self, m: int) -> slice:
        """Return the numbers of the restaurants whose contexts have m words."""
        n = int(self.orders[-1])
        return slice(n, n + 1) if m == 0 else slice(int(self.orders[m - 1]), int(self.orders[m]))


class Seating(NamedTuple):
    """A sample: customers and tables of every cell, sizes of tables, sums by restaurant, d and θ by length of context.

    `likelihood` is the sum of ln p(word | all others) of the last sweep.
    """

    customers: np.ndarray
    tables: np.ndarray
    sizes: np.ndarray
    totals: Ints
    n_tables: Ints
    discounts: Floats
    concentrations: Floats
    likelihood: float


def begin(problem: Restaurants, rng: np.random.Generator) -> Seating:
    """Seat the customers one after another."""
    n, order = len(problem.direct), len(problem.orders) - 1
    cells = (np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32))
    sizes = np.zeros(int(problem.starts[-1]), dtype=np.int32)
    sums = (np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64))
    parameters = (np.full(order, FIRST_DISCOUNT), np.full(order, FIRST_CONCENTRATION))
    return _swept(Seating(*cells, sizes, *sums, *parameters, 0.0), problem, False, rng)


def draw_seats(sample: Seating, problem: Restaurants, rng: np.random.Generator) -> Seating:
    """Seat every customer given all others."""
    return _swept(sample, problem, True, rng)


def _swept(sample: Seating, problem: Restaurants, seated: bool, rng: np.random.Generator) -> Seating:
    likelihood = current_kernels().ngram_seating.sweep_customers(
        problem.direct,
        problem.context_of,
        problem.suffix_of,
        problem.starts,
        sample.discounts,
        sample.concentrations,
        1.0 / problem.n_words,
        *sample[:5],
        seated,
        seed_of(rng),
    )
    return sample._replace(likelihood=float(likelihood))


def draw_parameters(sample: Seating, problem: Restaurants, rng: np.random.Generator) -> Seating:
    """Draw d and θ of every length of contexts, under uniform and Gamma(1, 1) priors."""
    found = []
    for m in range(len(problem.orders) - 1):
        where = problem.contexts(m)
        first, last = problem.starts[problem.orders[m]], problem.starts[problem.orders[m + 1]]
        process = Process(float(sample.concentrations[m]), float(sample.discounts[m]))
        found.append(draw_process(process, sample.totals[where], sample.n_tables[where], sample.sizes[first:last], rng))
    concentrations, discounts = np.array(found).T
    return sample._replace(discounts=discounts.copy(), concentrations=concentrations.copy())


def mean_likelihood(sample: Seating, problem: Restaurants) -> float:
    """Return the mean of ln p(word | all others) in the last sweep."""
    return sample.likelihood / max(int(problem.direct.sum()), 1)


SEATING_GIBBS: Gibbs[Restaurants, Seating] = Gibbs(begin, (draw_seats, draw_parameters), mean_likelihood)
"""Draws of the seats of all tokens, then of d and θ."""
