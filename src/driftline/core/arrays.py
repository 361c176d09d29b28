"""Names for the array types that pass between layers."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Datetimes: TypeAlias = npt.NDArray[np.datetime64]
Counts: TypeAlias = Any
"""A SciPy CSR matrix or array of non-negative counts, documents × words."""
