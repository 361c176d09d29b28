"""Names for the array types that pass between layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Datetimes: TypeAlias = npt.NDArray[np.datetime64]
Counts: TypeAlias = Any
"""A SciPy CSR matrix or array of non-negative counts, documents × words."""


DeviceArray: TypeAlias = Any
"""An array of the current device: NumPy's on the processor, Numba's on a graphics processor; opaque to families."""


class SparseMatrix(Protocol):
    """Common interface of SciPy's sparse matrices and arrays."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""

    def tocsr(self) -> Counts:
        """Return the same matrix in compressed rows."""


Matrix: TypeAlias = npt.ArrayLike | SparseMatrix
"""Input of an estimator before it is checked: a dense or sparse matrix, a data frame, a list of rows."""
Times: TypeAlias = npt.ArrayLike | Sequence[object] | None
"""Times of documents before they are checked: numbers, dates, or strings that are dates; None is document order."""
Labels: TypeAlias = npt.ArrayLike
"""Labels of documents before they are checked; -1, None and NaN mark documents that have none."""
