"""The table of words that the counting kernels fill and read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class WordTable(NamedTuple):
    """Distinct words in order of first occurrence, and an open-addressing index over them.

    Word i is ``letters[ends[i]:ends[i + 1]]`` and hashes to ``hashes[i]``; ``slots`` contains word numbers, −1 where
    free, and its length is a power of two above the number of words; ``key`` makes the hash secret.
    """

    letters: np.ndarray
    ends: np.ndarray
    hashes: np.ndarray
    slots: np.ndarray
    key: np.ndarray
