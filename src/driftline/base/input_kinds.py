"""Kinds of input that an estimator accepts, declared for scikit-learn."""

from __future__ import annotations

from sklearn.utils import Tags


class TakesCounts:
    """Mixin of estimators whose input is counts, documents × words, sparse or not; it comes before the estimator."""

    def __sklearn_tags__(self) -> Tags:
        """Declare that input is counts, sparse or not."""
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
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
