"""Base class of all driftline estimators: scikit-learn's contract, plus times, and saving without pickle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from driftline.base.checked_matrices import check_not_negative, row_not_finite, safe_rows
from driftline.base.learning import LEARNING, warn_without_times, whole_or_not_at_all
from driftline.base.state_layout import Layout, check_layout
from driftline.core.arrays import Counts, Floats, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.matrices import canonical_rows, check_values
from driftline.core.times import TimeAxis


class DriftEstimator(BaseEstimator):
    """Base of all estimators: `__init__` only stores, learned names end in ``_``, `save` writes a folder.

    The whole state of a fitted estimator is in attributes whose names end in ``_``; persistence writes exactly those
    (and the parameters), so private state is named ``_name_``. Their values are arrays, sparse matrices, plain values,
    lists, tuples and dictionaries of these, Arrow tables, vocabularies, and other estimators. A value that can be
    derived from them, and is recomputed if missing, may be stored as ``_cached_name``.
    """

    _timed: ClassVar[str] = "documents"
    """The rows, each of which has a time, as messages name them."""

    _changed_in_place: ClassVar[tuple[str, ...]] = ()
    """Names of arrays that `partial_fit` changes in place."""

    def __init_subclass__(cls, **keywords: object) -> None:
        for name in LEARNING:
            method = vars(cls).get(name)
            if method is not None and hasattr(
                method, "fn"
            ):  # available only under some parameters: scikit-learn's `available_if`
                method.fn = whole_or_not_at_all(method.fn)
            elif method is not None:
                setattr(cls, name, whole_or_not_at_all(method))
        super().__init_subclass__(**keywords)

    _state_layout: ClassVar[Layout | None] = None
    """Layout of the fitted state (see `driftline.base.state_layout`); None means unchecked."""

    def _state_sizes(self) -> dict[str, int]:
        """Return the sizes of `_state_layout` that the parameters determine."""
        return {}

    def _check_state(self) -> dict[str, int]:
        """Raise `ModelFileError` unless the learned state is consistent; return its sizes by name.

        `driftline.load` calls it before a model is used. A subclass with invariants that `_state_layout` does not
        express adds them here.
        """
        held = {name: value for name, value in vars(self).items() if name.endswith("_")}
        if self._state_layout is None or not held:
            return {}
        return check_layout(held, self._state_layout, type(self).__name__, self._state_sizes())

    def save(self, path: str | Path, *, trusted: Sequence[str] = ()) -> Path:
        """Write the model to the folder `path`; `driftline.load` reads it back.

        The folder contains ``model.safetensors``, ``manifest.json`` and, if there is one, ``vocabulary.arrow``: no
        pickle. Classes of packages other than driftline and scikit-learn are written only if the package is in
        `trusted`.
        """
        from driftline.persistence.model import save_model

        return save_model(self, path, trusted=trusted)

    def _check_times(self, times: Times, n: int, *, reset: bool, decide: bool = True) -> Floats:
        """Return one float per document; `reset` (while fitting) fixes the kind of time of the model.

        If the times decide what is learned, a warning says what is assumed without them.
        """
        if reset:
            self.time_axis_kind_ = TimeAxis.of(times).kind
            if decide:
                warn_without_times(self, times)
        return self._time_axis.values(times, n=n)

    @property
    def _time_axis(self) -> TimeAxis:
        return TimeAxis(self.time_axis_kind_)

    def _check_rows(self, X: Matrix, *, reset: bool) -> Counts:
        """Return documents × columns as a canonical CSR matrix of float64: finite and not extremely large.

        Equal matrices give equal arrays, whatever their layout; compiled code sees only checked indices.
        """
        X = safe_rows(X)
        try:
            checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        except ValueError as error:
            first = str(error).split("\n", 1)[0]
            row = row_not_finite(X) if "NaN" in first or "infinity" in first else None
            if row is None:
                raise
            raise InvalidInput(f"{first} It is in row {row}; replace or remove such values") from error
        rows = canonical_rows(checked)
        check_values(rows.data)
        return rows

    def _check_counts(self, X: Matrix, *, reset: bool) -> Counts:
        """Return counts, documents × words, in the same form; they must not be negative."""
        rows = self._check_rows(X, reset=reset)
        check_not_negative(rows, type(self).__name__)
        return rows
