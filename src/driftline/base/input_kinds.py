"""Kinds of input that an estimator accepts, declared for scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Tags, get_tags


class TakesCounts:
    """Mixin of estimators whose input is counts, documents × words, sparse or not; it comes before the estimator."""

    def __sklearn_tags__(self) -> Tags:
        """Declare that input is counts, sparse or not."""
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


class TakesRows:
    """Mixin of estimators whose input is rows of numbers of any sign, sparse or not; it comes before the estimator."""

    def __sklearn_tags__(self) -> Tags:
        """Declare that rows may be sparse."""
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags


class TakesInputOfEstimator:
    """Mixin of estimators whose input is that of `estimator`, by default a logistic regression; it comes first."""

    estimator: Any

    def __sklearn_tags__(self) -> Tags:
        """Declare that input is of the kind that `estimator` accepts."""
        from sklearn.linear_model import LogisticRegression  # a slow import, which other estimators do not need

        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        accepted = get_tags(LogisticRegression() if self.estimator is None else self.estimator).input_tags
        tags.input_tags.sparse = accepted.sparse
        tags.input_tags.string = accepted.string
        return tags


class TakesSequences:
    """Mixin of estimators whose input is token sequences, one per document; it comes before the estimator."""

    def __sklearn_tags__(self) -> Tags:
        """Declare that input is not a table."""
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


class TakesSeries:
    """Mixin of estimators whose input is one series of numbers; it comes before the estimator."""

    def __sklearn_tags__(self) -> Tags:
        """Declare that input is a series, not a table."""
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags
