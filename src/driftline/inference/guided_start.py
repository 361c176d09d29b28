"""Initial topics of words: words of a guide, or with seeds, are entirely in their topics, others equally in all."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.inference.guide_arrays import WordStart


def start_seeds(counts: np.ndarray, said: np.ndarray, seeds: dict[int, Floats]) -> None:
    """Put words with seeds entirely into their topics, in place; `counts` are words × topics.

    >>> counts = np.full((2, 2), 3.0)
    >>> start_seeds(counts, np.array([6.0, 6.0]), {1: np.array([0.0, 50.0])})
    >>> counts
    array([[3., 3.],
           [0., 6.]])
    """
    for row, extra in seeds.items():
        counts[row] = said[row] * extra / extra.sum()


def start_words(counts: np.ndarray, said: np.ndarray, start: WordStart, columns: Ints) -> None:
    """Give words the initial topics of a guide, in place; the rest of a word is spread over the open topics as before.

    `columns` are those of the rows of `counts`.
    """
    placed = start.counts[columns].toarray()
    spread = np.where(start.open, counts, 0.0)
    rest = np.maximum(said - placed.sum(axis=1), 0.0)
    totals = spread.sum(axis=1)
    scale = np.divide(rest, totals, out=np.zeros_like(rest, dtype=np.float64), where=totals > 0)
    counts[:] = placed + spread * scale[:, None]
