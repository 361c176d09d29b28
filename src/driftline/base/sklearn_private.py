"""Private names of scikit-learn, imported only here, so that a change there affects one file."""

from __future__ import annotations

from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _num_samples as num_samples

__all__ = ["HasMethods", "Interval", "StrOptions", "fit_context", "num_samples", "safe_indexing"]
