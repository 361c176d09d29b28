r"""The weights of a Dirichlet or Pitman-Yor process by stick-breaking (GEM), and the process itself.

.. math:: \pi_k = v_k \prod_{j < k} (1 - v_j), \qquad v_k \sim \mathrm{Beta}(1 - d, \alpha + k d), \quad k = 1, 2, … (1)

A draw G of the process puts weight :math:`\pi_k` on an atom :math:`\theta_k` drawn from the base distribution (2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaln

from driftline.core.arrays import Floats
from driftline.core.randomness import Seed, generator
from driftline.inference import crp
from driftline.inference.stick_breaking import weights_of


@dataclass(frozen=True)
class StickBreaking:
    """The distribution GEM(α), or with a discount GEM(d, α), of weights that sum to one (1).

    >>> StickBreaking(1.0).expected_weights(3)
    array([0.5  , 0.25 , 0.125])
    """

    concentration: float = 1.0
    discount: float = 0.0

    def __post_init__(self) -> None:
        crp.check_process(self.concentration, self.discount)

    def sample(self, n: int, random_state: Seed = None) -> Floats:
        """Draw the first n weights; the remainder to one is the weight of all others."""
        return weights_of(generator(random_state).beta(*self._parameters(n)))[:n]

    def expected_weights(self, n: int) -> Floats:
        """Return the expectation of the first n weights."""
        first, second = self._parameters(n)
        return weights_of(first / (first + second))[:n]

    def log_density(self, weights: npt.ArrayLike) -> float:
        """Return the log-density of the first weights, in the order of the sticks.

        >>> float(np.exp(StickBreaking(1.0).log_density([0.25])))
        1.0
        """
        weights = np.asarray(weights, dtype=np.float64)
        left = 1.0 - np.concatenate([[0.0], np.cumsum(weights)[:-1]])
        with np.errstate(divide="ignore", invalid="ignore"):
            sticks = weights / left
        first, second = self._parameters(len(weights))
        if not ((sticks > 0) & (sticks < 1)).all():
            return -np.inf
        logs = (first - 1) * np.log(sticks) + (second - 1) * np.log1p(-sticks) - betaln(first, second)
        return float(logs.sum() - np.log(left).sum())

    def _parameters(self, n: int) -> tuple[Floats, Floats]:
        return np.full(n, 1.0 - self.discount), np.asarray(self.concentration + self.discount * np.arange(1.0, n + 1.0))


class Measure(NamedTuple):
    """The first atoms of a random measure with their weights; `remainder` is the weight of all others."""

    weights: Floats
    atoms: npt.NDArray[np.generic]
    remainder: float


@dataclass(frozen=True)
class DirichletProcess:
    """A random distribution, centred at a base distribution (2).

    Parameters
    ----------
    base : function of a number and a generator
        Returns that number of draws from the base distribution, one per row.
    concentration, discount : float
        α and d. The smaller α is, the fewer atoms have most of the weight.

    Examples
    --------
    >>> process = DirichletProcess(lambda n, rng: rng.normal(size=n), concentration=2.0)
    >>> measure = process.sample_measure(50, random_state=0)
    >>> len(measure.atoms), round(float(measure.weights.sum() + measure.remainder), 6)
    (50, 1.0)
    >>> len(np.unique(process.sample(100, random_state=0))) < 20  # draws repeat
    True
    """

    base: Callable[[int, np.random.Generator], npt.NDArray[np.generic]]
    concentration: float = 1.0
    discount: float = 0.0

    def __post_init__(self) -> None:
        crp.check_process(self.concentration, self.discount)

    def sample_measure(self, n_atoms: int, random_state: Seed = None) -> Measure:
        """Draw G: its first atoms, in the order of the sticks."""
        rng = generator(random_state)
        weights = StickBreaking(self.concentration, self.discount).sample(n_atoms, rng)
        return Measure(weights, np.asarray(self.base(n_atoms, rng)), max(1.0 - float(weights.sum()), 0.0))

    def sample(self, n: int, random_state: Seed = None) -> npt.NDArray[np.generic]:
        """Draw n values from a random G, which is integrated out (the Pólya urn)."""
        rng = generator(random_state)
        labels = crp.draw_partition(n, self.concentration, rng, discount=self.discount)
        atoms = np.asarray(self.base(int(labels.max(initial=-1)) + 1, rng))
        return np.asarray(atoms[labels])
