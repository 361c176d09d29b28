r"""The Indian buffet process: a random binary matrix of items × features with an unknown number of features.

Item i has each feature of m earlier items with probability :math:`m / (c + i - 1)`, and
:math:`\mathrm{Poisson}(\gamma c / (c + i - 1))` new features (1). With N items and a feature k in :math:`m_k` of them,
the probability of the class of matrices that differ only in the order of features is

.. math:: \frac{(\gamma c)^K}{\prod_h K_h!} \exp\Bigl(-\gamma \sum_{i=1}^{N} \frac{c}{c + i - 1}\Bigr)
          \prod_k B(m_k, N - m_k + c),                                                                             (2)

where :math:`K_h` features have the same column h (Griffiths and Ghahramani for c = 1; Ghahramani et al., 2007).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, gammaln

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator


@dataclass(frozen=True)
class IndianBuffetProcess:
    """A distribution over sets of features (1).

    Parameters
    ----------
    mass : float
        γ: the expected number of features of an item.
    concentration : float
        c: larger values make items share fewer features. 1 gives the one-parameter process.

    Examples
    --------
    >>> process = IndianBuffetProcess(mass=2.0)
    >>> process.sample(3, random_state=0)
    array([[1, 1, 0, 0, 0, 0],
           [1, 0, 1, 1, 1, 0],
           [0, 0, 1, 0, 1, 1]])
    >>> round(process.expected_features(3), 3)
    3.667
    """

    mass: float = 1.0
    concentration: float = 1.0

    def __post_init__(self) -> None:
        if not (0 < self.mass < np.inf and 0 < self.concentration < np.inf):
            raise InvalidInput("mass and concentration must be above 0")

    def sample(self, n: int, random_state: Seed = None) -> Ints:
        """Draw a matrix of n items; features are in order of appearance."""
        rng = generator(random_state)
        columns: list[Ints] = []
        for item in range(n):
            for column in columns:
                column[item] = rng.random() * (self.concentration + item) < column[:item].sum()
            n_new = int(rng.poisson(self.mass * self.concentration / (self.concentration + item)))
            columns.extend((np.arange(n) == item).astype(np.int64) for _ in range(n_new))
        return np.column_stack(columns) if columns else np.zeros((n, 0), dtype=np.int64)

    def log_probability(self, features: npt.ArrayLike) -> float:
        """Return the log-probability of a matrix up to the order of its features (2); empty features do not count."""
        Z = np.asarray(features)
        if Z.ndim != 2 or not np.isin(Z, (0, 1)).all():
            raise InvalidInput("features must be a matrix of zeros and ones, items × features")
        Z = Z[:, Z.any(axis=0)]
        n, n_features = Z.shape
        same = np.unique(Z, axis=1, return_counts=True)[1] if n_features else np.zeros(0)
        uses = Z.sum(axis=0)
        logs = n_features * np.log(self.mass * self.concentration) - gammaln(same + 1.0).sum()
        return float(logs - self.expected_features(n) + betaln(uses, n - uses + self.concentration).sum())

    def expected_features(self, n: int) -> float:
        """Return the expected number of features of n items."""
        return float(self.mass * (self.concentration / (self.concentration + np.arange(n))).sum())
