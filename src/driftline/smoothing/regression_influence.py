r"""Errors of a weighted regression from the exact change of its coefficients if a unit is left out.

With rows :math:`Z_d` of weight :math:`L_d`, :math:`M = \sum_d L_d Z_d^\top Z_d` and :math:`M_u` the part of unit u,
leaving the unit out changes the coefficients by

.. math:: d_u = (M - M_u)^{-1} g_u, \qquad g_u = \sum_{d \in u} L_d Z_d^\top (y_d - Z_d \hat\beta),           \tag{1}

and their variance is :math:`\sum_u d_u d_u^\top` (the jackknife, or "CR3"): unlike the sandwich of the :math:`g_u`
alone, it is not too small if a coefficient depends on few units. The degrees of freedom of a combination :math:`c^\top
\hat\beta` are those of its variance if rows were independent (Bell and McCaffrey 2002): with :math:`a_u = (M -
M_u)^{-1} c` and :math:`b_u = M_u a_u`,

.. math:: \nu_c = \frac{(\operatorname{tr} Q)^2}{\lVert Q \rVert_F^2}, \qquad
          Q_{uv} = [u = v]\, a_u^\top b_u - b_u^\top M^{-1} b_v,                                               \tag{2}

which is Welch's number for the difference of two groups, and at most what the influences themselves allow
(`driftline.smoothing.unit_influence`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.smoothing.unit_influence import UnitErrors, unit_errors

ALONE = 1e-8
"""Minimum share of the information on a combination of coefficients that comes from other units than the largest."""
AT_ONCE = 4096
"""Number of units whose matrices are in memory at once."""


class UnitDesign(NamedTuple):
    """The design of a regression by units: rows of Z times √L, sorted by unit; where units begin; M, and R Rᵀ = M⁻¹."""

    rows: Floats
    order: Ints
    starts: Ints
    information: Floats
    root: Floats

    @classmethod
    def of(cls, Z: Floats, weight: Floats, unit: Ints, inverse: Floats) -> UnitDesign:
        """Sort the rows by unit; `inverse` is M⁻¹."""
        order = np.argsort(unit, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(unit[order]) != 0]).astype(np.int64)
        rows = (Z * np.sqrt(weight)[:, None])[order]
        root: Floats = np.linalg.cholesky(inverse).astype(np.float64)
        return cls(rows, order, starts, rows.T @ rows, root)

    @property
    def n_units(self) -> int:
        """The number of units."""
        return len(self.starts)

    def left_out(self) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield some units, the largest eigenvalue of Rᵀ M_u R, and (M − M_u)⁻¹ of each: units × columns × columns.

        An eigenvalue of one means that the unit alone determines a combination of coefficients.
        """
        ends = np.append(self.starts[1:], len(self.rows))
        for begin in range(0, self.n_units, AT_ONCE):
            units = slice(begin, min(begin + AT_ONCE, self.n_units))
            first, last = self.starts[begin], ends[units.stop - 1]
            scaled = self.rows[first:last] @ self.root
            if last - first == units.stop - units.start:  # units of one row: M_u has one eigenvalue
                largest, half = (scaled**2).sum(axis=1), (scaled @ self.root.T)[:, :, None]
                more = half * (1.0 / np.maximum(1.0 - largest, ALONE))[:, None, None]
                yield units, largest, self.root @ self.root.T + more @ half.transpose(0, 2, 1)
                continue
            products = scaled[:, :, None] * scaled[:, None, :]
            values, vectors = np.linalg.eigh(np.add.reduceat(products, self.starts[units] - first, axis=0))
            half = self.root @ vectors
            left = np.maximum(1.0 - values, ALONE)
            yield units, values[:, -1], (half / left[:, None, :]) @ half.transpose(0, 2, 1)

    def alone(self) -> tuple[int, int] | None:
        """Return a unit without which columns are not determined, and the last such column; None if there is none."""
        for units, largest, inverse in self.left_out():
            worst = int(largest.argmax())
            if largest[worst] > 1 - ALONE:
                larger = np.diagonal(inverse[worst]) / np.diagonal(self.root @ self.root.T)
                return units.start + worst, int(np.flatnonzero(larger > 0.01 * larger.max())[-1])
        return None

    def influence(self, residual: Floats) -> Floats:
        """Return d_u (1), units × columns × kinds, for residuals (rows × kinds) times √L."""
        kinds = residual[self.order]
        products = np.stack([self.rows * kind[:, None] for kind in kinds.T], axis=2)
        scores = np.add.reduceat(products, self.starts, axis=0)
        for units, _, inverse in self.left_out():
            scores[units] = inverse @ scores[units]
        return scores

    def freedom(self, combinations: Floats) -> Floats:
        """Return ν_c (2) for every row of combinations of coefficients."""
        n, whole = len(combinations), self.root @ self.root.T
        trace, squares, cross = np.zeros(n), np.zeros(n), np.zeros((n, *whole.shape))
        for _, _, inverse in self.left_out():
            a = np.einsum("uij,cj->cui", inverse, combinations)
            b = a @ self.information - combinations[:, None, :]  # M_u a_u = M a_u − (M − M_u) a_u
            own, shared = (a * b).sum(axis=2), ((b @ whole) * b).sum(axis=2)
            trace += (own - shared).sum(axis=1)
            squares += (own**2 - 2 * own * shared).sum(axis=1)
            cross += b.transpose(0, 2, 1) @ b
        product = cross @ whole
        squares += np.einsum("cij,cji->c", product, product)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = trace**2 / squares
        return np.maximum(np.nan_to_num(found, nan=1.0, posinf=1.0), 1.0)


def combination_errors(influence: Floats, combinations: Floats, freedom: Floats) -> UnitErrors:
    """Return the errors of combinations of coefficients, with at most the given degrees of freedom."""
    found = unit_errors(influence @ combinations.T)
    return found._replace(freedom=np.minimum(found.freedom, freedom))
