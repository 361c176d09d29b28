"""Slots for words in an unbounded stream: the mapping of columns to rows of the topic counts."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Counts, Ints

NO_SLOT = -1


def give_slots(slots: np.ndarray, n_columns: int, columns: np.ndarray, n_used: int) -> tuple[Ints, int]:
    """Return the slot of every column after assigning free ones to `columns`, and the number of slots in use.

    >>> slots, n_used = give_slots(np.array([0, -1]), 4, np.array([1, 3]), 1)
    >>> slots.tolist(), n_used
    ([0, 1, -1, 2], 3)
    """
    result = np.full(n_columns, NO_SLOT, dtype=np.int64)
    result[: len(slots)] = slots
    fresh = np.unique(columns)
    fresh = fresh[result[fresh] == NO_SLOT]
    result[fresh] = n_used + np.arange(len(fresh))
    return result, n_used + len(fresh)


def drop_lightest(slots: np.ndarray, counts: Counts, max_words: int) -> tuple[Ints, np.ndarray]:
    """Keep the `max_words` slots with the largest counts, renumber them, and return slots and counts.

    >>> slots, counts = drop_lightest(np.array([0, 1, 2]), np.array([[5.0], [1.0], [3.0]]), 2)
    >>> slots.tolist(), counts.tolist()
    ([0, -1, 1], [[5.0], [3.0]])
    """
    weight = counts.sum(axis=1, dtype=np.float64)
    kept = np.sort(np.argsort(-weight, kind="stable")[:max_words])
    renumbered = np.full(len(counts) + 1, NO_SLOT, dtype=np.int64)
    renumbered[kept] = np.arange(len(kept))
    return renumbered[slots], counts[kept]
