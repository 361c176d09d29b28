"""Every order of a few units, one by one: what cosine energies really do under a random order."""

from __future__ import annotations

from itertools import permutations

import numpy as np


def energies_of_all_orders(residuals, features):
    """Σ_k (Σ_i r_i φ_k(place of i))² for every order of the units."""
    return np.array([((residuals[list(order)] @ features) ** 2).sum() for order in permutations(range(len(residuals)))])
