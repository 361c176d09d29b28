r"""Smoothing of sparse local counts towards a background.

With local counts :math:`S_{tw}`, local tokens :math:`N_t` and the background :math:`\theta_w \propto C_w + \beta`:

- Dirichlet: :math:`(S_{tw} + \beta N_t/N + \mu\theta_w) / (N_t (1 + \beta V/N) + \mu)`
- Jelinek-Mercer: :math:`(1-\lambda)(S_{tw} + \beta N_t/N) / (N_t (1 + \beta V/N)) + \lambda\theta_w`
- additive: :math:`(S_{tw} + \alpha) / (N_t + \alpha V)`

Weights are relative to the kernel's peak and the small count :math:`\beta` is scaled by the local share of tokens, so
an infinite bandwidth is exactly the global model whatever the strength. Otherwise the choice of bandwidth would be
biased.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute.variant_codes import ADDITIVE, DIRICHLET, JELINEK_MERCER
from driftline.core.arrays import Floats

SMALL_COUNT = 0.1
"""β: pseudo-count of every word of the vocabulary in the background."""

_CODES = {"dirichlet": DIRICHLET, "additive": ADDITIVE, "jelinek-mercer": JELINEK_MERCER}
_GRIDS = {
    "dirichlet": 4.0 ** np.arange(0, 11),
    "additive": 4.0 ** np.arange(-8, 3),
    "jelinek-mercer": np.array([0.001, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.95, 0.99]),
}


class Prior(NamedTuple):
    """One kind of smoothing with its strength; ``Prior.bare()`` is the paper's unsmoothed estimator."""

    kind: str = "dirichlet"
    strength: float = 0.0
    small_count: float = SMALL_COUNT

    @classmethod
    def bare(cls) -> Prior:
        """Return the prior without smoothing: ratios of weighted sums, Eq. (8)."""
        return cls("dirichlet", 0.0, 0.0)

    @property
    def code(self) -> int:
        """The number of the kind in compiled code."""
        return _CODES[self.kind]

    @property
    def strengths(self) -> Floats:
        """The candidate strengths."""
        return _GRIDS[self.kind]

    def background(self, totals: Floats, tokens: Floats, n_words: int) -> Floats:
        """Return the background: one row per row of totals; uniform if there are no tokens."""
        tokens = np.asarray(tokens, dtype=np.float64)[..., None]
        mass = tokens + self.small_count * n_words
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(tokens > 0, (totals + self.small_count) / mass, 1.0 / n_words)

    def smooth(
        self, local: Floats, local_tokens: Floats, background: Floats, total_tokens: Floats, n_words: int
    ) -> Floats:
        """Return probabilities, one row per row of local counts; the background where there are no local tokens.

        Columns may be a few of the `n_words` words.
        """
        has_data = (local_tokens > 0) & (np.asarray(total_tokens) > 0)
        tokens = np.where(has_data, local_tokens, 1.0)[..., None]
        if self.kind == "additive":
            result = (local + self.strength) / (tokens + self.strength * n_words)
        else:
            share = self.small_count * tokens / np.where(has_data, total_tokens, 1.0)[..., None]
            if self.kind == "dirichlet":
                mass = tokens + share * n_words + self.strength
                result = (local + share + self.strength * background) / mass
            else:
                own = (local + share) / (tokens + share * n_words)
                result = (1 - self.strength) * own + self.strength * background
        return np.where(has_data[..., None], result, background)

    def linear(self, tokens: Floats, total_tokens: Floats | float, n_words: int) -> tuple[Floats, Floats, Floats]:
        """Return a, b and e of θ̂ = a S + b + e θ, valid for every word; `tokens` are the local ones."""
        has_data = (tokens > 0) & (np.asarray(total_tokens) > 0)
        known = np.where(has_data, tokens, 1.0)
        share = self.small_count * known / np.where(has_data, total_tokens, 1.0)
        if self.kind == "additive":
            slope = 1 / (known + self.strength * n_words)
            parts = slope, slope * self.strength, np.zeros_like(known)
        elif self.kind == "dirichlet":
            slope = 1 / (known + share * n_words + self.strength)
            parts = slope, slope * share, slope * self.strength
        else:
            slope = (1 - self.strength) / (known + share * n_words)
            parts = slope, slope * share, np.full_like(known, self.strength)
        slope, constant, background = parts
        return np.where(has_data, slope, 0.0), np.where(has_data, constant, 0.0), np.where(has_data, background, 1.0)
