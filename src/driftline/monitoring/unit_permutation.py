"""Permutation of whole units (days) between learned and new documents."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.randomness import Seed, generator
from driftline.smoothing.grouping import gathering, group_sums

_CHUNK = 50
"""Number of permutations that are evaluated at once."""


class UnitAssignments(NamedTuple):
    """Random assignments of units to the new documents, permutations × units.

    The first row is the true assignment. `of_document` is the unit of every document; a unit with documents of both
    kinds is divided in two.
    """

    of_document: Ints
    is_new: Bools

    @property
    def n_new(self) -> int:
        """The number of new units."""
        return int(self.is_new[0].sum())

    @property
    def smallest_p_value(self) -> float:
        """The smallest p-value that these units allow."""
        n_units = self.is_new.shape[1]
        possible = math.comb(n_units, self.n_new) if n_units < 1000 else math.inf
        return max(1 / len(self.is_new), 1 / possible) if possible > 1 else 1.0


def shuffle_units(unit: Ints, is_new: Bools, n_permutations: int, random_state: Seed) -> UnitAssignments:
    """Assign the units of documents at random to the learned and the new side, keeping the number of units of each.

    >>> shuffle_units(np.array([0, 0, 1, 2]), np.array([False, False, False, True]), 2, 0).is_new.sum(axis=1)
    array([1, 1, 1])
    """
    pairs, index = np.unique(np.column_stack([unit, is_new]), axis=0, return_inverse=True)
    true = pairs[:, 1].astype(bool)
    rng = generator(random_state)
    is_assigned = np.stack([true, *(rng.permutation(true) for _ in range(n_permutations))])
    return UnitAssignments(index.ravel(), is_assigned)


def p_value(statistics: Floats) -> float:
    """Return the share of the assignments whose statistic is at least that of the first, which is the true one.

    >>> p_value(np.array([3.0, 1.0, 2.0, 5.0]))
    0.5
    """
    return float(np.mean(statistics >= statistics[0] - 1e-12 * abs(statistics[0])))


def rate_differences(assigned: UnitAssignments, events: Floats, exposure: Floats) -> Floats:
    """Return the rate (events per exposure) of the new documents minus that of the others, for every assignment."""
    n_units = assigned.is_new.shape[1]
    happened = group_sums(assigned.of_document, events, n_units)
    exposed = group_sums(assigned.of_document, exposure, n_units)
    new: Floats = assigned.is_new.astype(np.float64) @ np.column_stack([happened, exposed])
    old: Floats = np.array([happened.sum(), exposed.sum()]) - new
    found: Floats = _ratio(new[:, 0], new[:, 1]) - _ratio(old[:, 0], old[:, 1])
    return found


def mean_distances(assigned: UnitAssignments, chances: Floats) -> Floats:
    """Return the total variation distance between mean label probabilities of new and others, for every assignment.

    `chances` are documents × labels.
    """
    n_units = assigned.is_new.shape[1]
    by_unit = np.stack([group_sums(assigned.of_document, column, n_units) for column in chances.T], axis=1)
    new = assigned.is_new @ by_unit
    old = by_unit.sum(axis=0) - new
    means = [_ratio(sums, sums.sum(axis=1, keepdims=True)) for sums in (new, old)]
    found: Floats = 0.5 * np.abs(means[0] - means[1]).sum(axis=1)
    return found


def word_divergences(assigned: UnitAssignments, contains: sp.csr_matrix) -> Floats:
    """Return the Jensen-Shannon divergence in bits between the words of new and other documents per assignment."""
    n_units = assigned.is_new.shape[1]
    by_unit = sp.csr_matrix(gathering(assigned.of_document, n_units) @ contains)
    total = np.asarray(by_unit.sum(axis=0)).ravel()
    found = np.empty(len(assigned.is_new))
    for start in range(0, len(found), _CHUNK):
        part = slice(start, start + _CHUNK)
        new = np.asarray((by_unit.T @ assigned.is_new[part].T.astype(np.float64)).T)
        found[part] = _jensen_shannon(new, total - new)
    return found


def _jensen_shannon(first: Floats, second: Floats) -> Floats:
    p = _ratio(first, first.sum(axis=1, keepdims=True))
    q = _ratio(second, second.sum(axis=1, keepdims=True))
    middle = (p + q) / 2
    found: Floats = 0.5 * (_relative_entropy(p, middle) + _relative_entropy(q, middle))
    return found


def _relative_entropy(p: Floats, q: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log2(p / q), 0.0)
    found: Floats = terms.sum(axis=1)
    return found


def _ratio(above: Floats, below: Floats) -> Floats:
    found: Floats = above / np.where(below > 0, below, 1.0)
    return found
