r"""The beta process: random weights of features, from which every item draws a random set.

Round i adds :math:`\mathrm{Poisson}(\gamma c / (c + i - 1))` atoms whose weights are
:math:`\mathrm{Beta}(1, c + i - 1)` (1) (Thibaux and Jordan, 2007): the features that the i-th item of an Indian buffet
would add. After n rounds, the expected total weight of the remaining atoms is :math:`\gamma c / (c + n)` (2). Given n
items, :math:`m_k` of which have feature k, a weight is

.. math:: b_k \mid m_k \sim \mathrm{Beta}(m_k, n - m_k + c).                                                       (3)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator


@dataclass(frozen=True)
class BetaProcess:
    """Weights of infinitely many features, of total expected weight `mass`.

    Parameters
    ----------
    mass : float
        γ: the expected number of features of an item.
    concentration : float
        c: larger values give more, smaller weights.

    Examples
    --------
    >>> process = BetaProcess(mass=3.0, concentration=2.0)
    >>> weights = process.sample(1000, random_state=0)
    >>> process.expected_remainder(1000) < 0.01
    True
    >>> process.sample_features(weights, 4, random_state=0).shape == (4, len(weights))
    True
    """

    mass: float = 1.0
    concentration: float = 1.0

    def __post_init__(self) -> None:
        if not (0 < self.mass < np.inf and 0 < self.concentration < np.inf):
            raise InvalidInput("mass and concentration must be above 0")

    def sample(self, n_rounds: int, random_state: Seed = None) -> Floats:
        """Draw the weights of the atoms of the first rounds (1)."""
        rng = generator(random_state)
        later = self.concentration + np.arange(n_rounds)
        added = rng.poisson(self.mass * self.concentration / later)
        return np.asarray(rng.beta(1.0, np.repeat(later, added)))

    def expected_remainder(self, n_rounds: int) -> float:
        """Return the expected total weight of the atoms that later rounds would add (2)."""
        return self.mass * self.concentration / (self.concentration + n_rounds)

    def sample_features(self, weights: npt.ArrayLike, n: int, random_state: Seed = None) -> Ints:
        """Draw the features of n items given the weights (a Bernoulli process), items × features."""
        weights = np.asarray(weights, dtype=np.float64)
        return (generator(random_state).random((n, len(weights))) < weights).astype(np.int64)

    def posterior(self, uses: npt.ArrayLike, n: int) -> Floats:
        """Return the beta parameters of the weights of features, given the number of the n items that have each (3)."""
        uses = np.asarray(uses, dtype=np.float64)
        if (uses <= 0).any() or (uses > n).any():
            raise InvalidInput(f"every feature must be in at least one and at most {n} items")
        return np.column_stack([uses, n - uses + self.concentration])
