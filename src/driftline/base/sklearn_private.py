"""Private names of scikit-learn, imported only here, so that a change there affects one file."""

from __future__ import annotations

from typing import Any, TypeAlias

from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _num_samples as num_samples

Constraints: TypeAlias = dict[str, Any]
"""Constraints of the values of each parameter of an estimator, in the terms of scikit-learn's validation."""

__all__ = ["Constraints", "HasMethods", "Interval", "StrOptions", "fit_context", "num_samples", "safe_indexing"]
