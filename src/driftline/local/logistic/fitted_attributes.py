"""A fitted logistic regression as plain attributes, which can be saved, and as the values that the fits work on."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.local.local_estimator import LocalClassifier
from driftline.local.logistic.fit_contest import Contest, Settings, latest, standing
from driftline.local.logistic.fit_path import Background, Path
from driftline.local.logistic.fitted_path import POINTS, State
from driftline.local.logistic.local_fit import Linear, Objective, Training

PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)
"""Values of C that ``C="cv"`` tries."""


class FittedAttributes(LocalClassifier):
    """Converts the state of the fits to attributes and back, and interprets the parameters."""

    penalty: str
    C: float | str | list[float] | tuple[float, ...]
    l1_ratio: float
    center: str
    grid: int | str
    fit_intercept: bool
    max_iter: int
    tol: float
    n_jobs: int | None
    verbose: bool
    bandwidth_: float
    C_: float
    global_C_: float  # noqa: N815 (of the parameter C)
    _documents_: sp.csr_matrix
    _labels_: Ints
    _document_times_: Floats

    @property
    def _n_outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    @property
    def _state(self) -> State:
        return State(
            self._objective(self.C_),
            self.bandwidth_,
            self._points,
            Training(self._documents_, self._labels_, self._document_times_, self._n_outputs),
            Background(self._background_times_, self._background_coefficients_, self._background_intercepts_),
            Path(self._path_times_, self._path_base_, self._path_coefficients_, self._path_intercepts_),
            self._anchor_,
            self._newest_,
            self._remembered_since_,
            self._precision_,
            None if self._latest_ is None else Linear(*self._latest_),
        )

    @property
    def _contest(self) -> Contest | None:
        if self._rivals_ is None:
            return None
        X, labels, times, n_unseen, coefficients, intercepts, losses, evidence = self._rivals_
        return Contest(
            Training(X, labels, times, self._n_outputs), n_unseen, coefficients, intercepts, losses, evidence
        )

    @property
    def _settings(self) -> Settings:
        return Settings(self._objective(self.C_), self._objective(self.global_C_), self.bandwidth_)

    def _keep(self, state: State, contest: Contest | None) -> None:
        """Store the state in plain attributes, which can be saved."""
        self._rivals_: Any = None
        self._latest_: tuple[np.ndarray, ...] | None = None
        self.standing_: list[tuple[str, float]] = []
        if contest is not None:
            self._rivals_ = (*contest.recent[:3], *contest[1:])
            self._latest_ = tuple(latest(contest, state.background, self._settings))
            self.standing_ = list(standing(contest))
        self._documents_, self._labels_, self._document_times_ = state.training[:3]
        self._background_times_, self._background_coefficients_, self._background_intercepts_ = state.background
        self._path_times_, self._path_base_, self._path_coefficients_, self._path_intercepts_ = state.path
        self._anchor_, self._newest_, self._remembered_since_ = state.anchor, state.newest, state.remembered_since
        self._precision_ = state.precision
        self.coef_ = self._background_coefficients_[-1]
        self.intercept_ = self._background_intercepts_[-1]

    def _objective(self, C: float) -> Objective:
        ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": float(self.l1_ratio)}[self.penalty]
        return Objective(
            self._kernel, C, ratio, self.center, self.fit_intercept, self.tol, self.max_iter, self.n_jobs, self.verbose
        )

    def _penalties(self) -> list[float]:
        if isinstance(self.C, str):
            return list(PENALTIES)
        if isinstance(self.C, list | tuple):
            if not self.C or not all(0 < C < np.inf for C in self.C):
                raise InvalidInput(f"C must be positive and finite, or a list of such numbers, not {self.C!r}")
            return sorted({float(C) for C in self.C})
        return [float(self.C)]

    @property
    def _points(self) -> int:
        """Number of fits per bandwidth; 0 if they are made on request."""
        return {"auto": POINTS[self.side], "exact": 0}[self.grid] if isinstance(self.grid, str) else int(self.grid)
