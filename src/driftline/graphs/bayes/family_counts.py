"""Counts of a variable's states by those of its parents, observed or expected, and EM for missing values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.graphs.bayes.structure import Structure
from driftline.inference.elimination import Exact, Factor, eliminate, log_sum
from driftline.inference.em import EM

Tables = tuple[Floats, ...]
"""p(variable | parents) of every variable: one axis for each parent, the last for the variable."""


class Rows(NamedTuple):
    """Distinct rows of a table as codes (−1: missing), the number of each, and the structure of the network."""

    parents: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    codes: Ints
    counts: Floats
    prior: float


def distinct_rows(structure: Structure, sizes: tuple[int, ...], codes: Ints, prior: float) -> Rows:
    """Return every distinct row once."""
    rows, counts = np.unique(codes, axis=0, return_counts=True)
    return Rows(structure.parents, sizes, rows, counts.astype(np.float64), prior)


def family_sizes(rows: Rows, v: int) -> tuple[int, ...]:
    """Return the shape of a variable's table."""
    return (*(rows.sizes[one] for one in rows.parents[v]), rows.sizes[v])


def count_families(rows: Rows, v: int, chosen: Ints | slice = slice(None)) -> Floats:
    """Return the counts of the joint states of a variable and its parents, in rows where none of them is missing."""
    family = [*rows.parents[v], v]
    codes, counts = rows.codes[chosen][:, family], rows.counts[chosen]
    known = (codes >= 0).all(axis=1)
    shape = family_sizes(rows, v)
    at = np.ravel_multi_index(tuple(codes[known].T), shape)
    found: Floats = np.bincount(at, weights=counts[known], minlength=int(np.prod(shape))).astype(np.float64)
    return found.reshape(shape)


def begin(rows: Rows, rng: np.random.Generator) -> Tables:
    """Start from the rows in which a family is complete, with random deviations to break ties between states."""
    found = []
    for v in range(len(rows.sizes)):
        counts = count_families(rows, v) + max(rows.prior, 1.0)
        found.append(normalised(counts * rng.uniform(0.9, 1.1, counts.shape)))
    return tuple(found)


def expect(tables: Tables, rows: Rows, rng: np.random.Generator) -> tuple[Tables, float]:
    """Return expected counts of all families, and the log posterior up to a constant."""
    complete = (rows.codes >= 0).all(axis=1)
    sums = [count_families(rows, v, np.flatnonzero(complete)) for v in range(len(rows.sizes))]
    with np.errstate(divide="ignore"):
        logs = [np.log(table) for table in tables]
    objective = 0.0
    for counts, table in zip(sums, logs):
        weights = counts + rows.prior
        objective += float(np.where(weights > 0, weights * np.where(weights > 0, table, 0.0), 0.0).sum())
    for row, count in zip(rows.codes[~complete], rows.counts[~complete]):
        exact, axes = posterior(rows.parents, rows.sizes, logs, row)
        objective += count * exact.log_partition
        for v in range(len(rows.sizes)):
            _add_expected(sums[v], rows.parents[v], v, row, count, exact, axes)
    return tuple(sums), objective


def maximise(sums: Tables, tables: Tables, rows: Rows) -> Tables:
    """Return the normalised sums of counts and prior; parent states that never occur give equal shares."""
    return tuple(normalised(counts + rows.prior) for counts in sums)


def posterior(
    parents: tuple[tuple[int, ...], ...], sizes: tuple[int, ...], logs: list[Floats], row: Ints
) -> tuple[Exact, dict[int, int]]:
    """Return the exact distribution of the missing variables of a row, and their axes in it."""
    missing = [v for v in range(len(sizes)) if row[v] < 0]
    axes = {v: i for i, v in enumerate(missing)}
    factors: list[Factor] = []
    for v, above in enumerate(parents):
        family = (*above, v)
        reduced = logs[v][tuple(slice(None) if row[one] < 0 else int(row[one]) for one in family)]
        factors.append((tuple(axes[one] for one in family if row[one] < 0), np.asarray(reduced)))
    try:
        return eliminate([sizes[v] for v in missing], factors), axes
    except InvalidInput as error:
        if "no joint state" not in str(error):
            raise
        raise InvalidInput("the observed values have probability 0 in this network; use a prior above 0") from error


def normalised(counts: Floats) -> Floats:
    """Return shares along the last axis; equal ones where all counts are zero."""
    totals = counts.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(totals > 0, counts / totals, 1 / counts.shape[-1])
    return found


def _add_expected(
    sums: Floats, above: tuple[int, ...], v: int, row: Ints, count: float, exact: Exact, axes: dict[int, int]
) -> None:
    """Add one row's distribution over a family to its counts."""
    family = (*above, v)
    inner = [axes[one] for one in family if row[one] < 0]
    at = tuple(slice(None) if row[one] < 0 else int(row[one]) for one in family)
    if not inner:
        sums[at] += count
        return
    clique, joint = next(pair for pair in zip(exact.cliques, exact.joints) if set(inner) <= set(pair[0].members))
    kept = log_sum(joint, tuple(axis for axis, one in enumerate(clique.members) if one not in inner))
    # The axes of the joint are sorted by variable, those of the family are not
    sums[at] += count * np.exp(np.transpose(kept, np.argsort(np.argsort(inner))))


FAMILY_EM = EM(begin, expect, maximise)
"""EM for the tables of a Bayesian network when values are missing."""
