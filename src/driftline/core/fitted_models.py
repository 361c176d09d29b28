"""Interfaces of fitted models: the attributes and methods that functions of other layers use, whatever the class."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from driftline.core.arrays import Floats, Matrix


class FittedTopics(Protocol):
    """Anything that has topics: rows of word weights."""

    @property
    def components_(self) -> Floats:
        """Topics × words."""


class FittedTopicModel(FittedTopics, Protocol):
    """A fitted topic model."""

    def transform(self, X: Matrix, /) -> Floats:
        """Return the share of every topic in every document, documents × topics."""


class FittedClassifier(Protocol):
    """A fitted classifier that returns probabilities."""

    @property
    def classes_(self) -> np.ndarray:
        """The labels, in the order of the columns of probabilities."""

    def predict_proba(self, X: Matrix, /) -> Floats:
        """Return the probability of every label for every document, documents × labels."""
