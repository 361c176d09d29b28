r"""All frames jointly: the smoother for the online filter.

.. math:: J = \sum_t \Big[ \sum_{i\ labelled} \ell(y_i, f_t(x_i)) + \frac{\gamma_I}{n_t^2} f_t^\top L_t f_t \Big]
          + \gamma_A \|w_1\|^2 + \gamma_A \sum_{t \ge 2} \|w_t - w_{t-1}\|^2                                    \tag{6}

The Hessian is block-tridiagonal. It is never formed: conjugate gradients multiply by sparse matrices, preconditioned by
the part that couples each word only with itself in the frames before and after, which is a tridiagonal system per word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.evolving.paper.conjugate_gradients import conjugate_gradients
from driftline.evolving.paper.frame_problem import minimise
from driftline.evolving.paper.losses import LossName


class JointFrame(NamedTuple):
    """One frame of the joint problem: features (CSR), Laplacian, labelled rows and their ±1 per class."""

    features: sp.csr_matrix
    laplacian: sp.csr_matrix
    labelled: Ints
    targets: Floats


def solve_jointly(frames: Sequence[JointFrame], gamma_a: float, gamma_i: float, loss: LossName) -> Floats:
    """Return the weights that minimise (6): frames × features × classes."""
    quadratic = _JointQuadratic(frames, gamma_a, gamma_i)
    targets = np.concatenate([frame.targets for frame in frames])
    nothing = np.zeros((len(frames) * frames[0].features.shape[1], targets.shape[1]))
    found = minimise(quadratic, loss, targets, start=nothing, pull=nothing)
    return found.reshape(len(frames), -1, targets.shape[1])


class _JointQuadratic:
    """The regularisers of (6) on the weights of all frames, concatenated into one vector."""

    def __init__(self, frames: Sequence[JointFrame], gamma_a: float, gamma_i: float) -> None:
        self._frames, self._gamma_a = frames, gamma_a
        self._spatial = [gamma_i / max(frame.features.shape[0], 1) ** 2 for frame in frames]
        self.rows = sp.csr_matrix(sp.block_diag([frame.features[frame.labelled] for frame in frames], format="csr"))
        self._row_squares = self.rows.multiply(self.rows).tocsr()
        coupling = np.full((len(frames), 1), 4 * gamma_a)  # w_t is coupled to both neighbours …
        coupling[-1] = 2 * gamma_a  # … except for the last
        squares = [
            2 * weight * (frame.features.multiply(frame.features).T @ frame.laplacian.diagonal())
            for weight, frame in zip(self._spatial, frames)
        ]
        self._diagonal = coupling + np.stack(squares)

    def multiply(self, weights: Floats) -> Floats:
        shape = weights.shape
        w = weights.reshape(len(self._frames), -1, *shape[1:])
        change = np.diff(w, axis=0, prepend=np.zeros_like(w[:1]))
        result = change.copy()
        result[:-1] -= change[1:]
        result *= 2 * self._gamma_a
        for t, (weight, frame) in enumerate(zip(self._spatial, self._frames)):
            if weight and frame.features.shape[0]:
                result[t] += 2 * weight * (frame.features.T @ (frame.laplacian @ (frame.features @ w[t])))
        return result.reshape(shape)

    def solver(self, curvature: Floats) -> Callable[[Floats], Floats]:
        diagonal = self._diagonal + (self._row_squares.T @ curvature).reshape(self._diagonal.shape)
        precondition = _tridiagonal_solver(diagonal, -2 * self._gamma_a)

        def multiply(weights: Floats) -> Floats:
            found: Floats = self.multiply(weights) + self.rows.T @ (curvature[:, None] * (self.rows @ weights))
            return found

        def divide(right: Floats) -> Floats:
            columns = right if right.ndim == 2 else right[:, None]
            return conjugate_gradients(multiply, columns, precondition=precondition).reshape(right.shape)

        return divide


def _tridiagonal_solver(diagonal: Floats, off: float) -> Callable[[Floats], Floats]:
    """Return a solver of one tridiagonal system per word: `diagonal` is frames × words, `off` the off-diagonal."""
    T = len(diagonal)
    pivots = diagonal.copy()
    for t in range(1, T):
        pivots[t] -= off**2 / pivots[t - 1]

    def solve(right: Floats) -> Floats:
        x = right.reshape(T, -1, right.shape[1]).copy()
        for t in range(1, T):
            x[t] -= (off / pivots[t - 1])[:, None] * x[t - 1]
        x[-1] /= pivots[-1][:, None]
        for t in range(T - 2, -1, -1):
            x[t] = (x[t] - off * x[t + 1]) / pivots[t][:, None]
        return x.reshape(right.shape)

    return solve
