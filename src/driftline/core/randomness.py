"""Independent random generators from one seed."""

from __future__ import annotations

import numbers
from typing import Any, TypeAlias

import numpy as np

Seed: TypeAlias = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None
"""Source of randomness that every random routine accepts; None gives different results each time."""


def generator(random_state: Seed = None) -> np.random.Generator:
    """Return a generator for a seed, ``None``, a ``RandomState`` or a generator (returned unchanged).

    >>> int(generator(7).integers(100)) == int(generator(7).integers(100))
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1, size=4))
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, numbers.Integral):
        return np.random.default_rng(int(random_state))
    raise TypeError(f"random_state must be None, an integer, a RandomState or a Generator, not {random_state!r}")


def spawn(random_state: Seed, n: int) -> list[np.random.Generator]:
    """Return `n` independent generators; the i-th depends only on the seed and on i, never on the threads.

    >>> first, second = spawn(0, 2)
    >>> bool(first.random() == second.random())
    False
    """
    return generator(random_state).spawn(n)


def seed_of(random_state: Seed) -> int:
    """Draw one 31-bit seed, for libraries and compiled kernels that need an integer."""
    return int(generator(random_state).integers(0, 2**31 - 1))
