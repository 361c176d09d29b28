"""A model together with its text preparation: it can be saved, moved and applied to raw documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, HasMethods, StrOptions, fit_context
from driftline.base.state_layout import Anything, Layout, Optional, Part
from driftline.core.arrays import Counts, Floats, Labels, Times
from driftline.text.counts import count_words
from driftline.text.rows import Texts, text_array
from driftline.text.sequences import TokenSequences, token_sequences
from driftline.text.tokenise import Tokenizer

_Method = TypeVar("_Method", bound=Callable[..., object])


def _inner_has(name: str) -> Callable[[_Method], _Method]:
    return available_if(lambda model: hasattr(getattr(model, "estimator_", model.estimator), name))


class TextModel(DriftEstimator):
    """Fit and apply a model with texts and times, rather than with counts.

    Parameters
    ----------
    estimator : estimator
        The model; a clone of it is fitted. If it has a parameter `vocabulary`, it receives the words.
    tokenizer : Tokenizer, optional
        The rules for splitting text into words; by default lower-case words of two letters or more.
    weighting : {"counts", "tf-idf", "sequences"}
        Input of the model: word counts (language models), sublinear tf-idf of unit length (linear classifiers), or the
        words in their order (n-grams).
    min_df, max_features :
        Words in fewer documents than `min_df` are ignored, and only the `max_features` most frequent are kept.

    Attributes
    ----------
    estimator_ : estimator
        The fitted model.
    vocabulary_ : Vocabulary
        The words it knows.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = TextModel(LogisticRegression(), weighting="tf-idf", min_df=1)
    >>> model.fit(["cheap pills", "cheap offer", "meeting notes", "notes attached"], ["spam", "spam", "ham", "ham"])
    TextModel(estimator=LogisticRegression(), min_df=1, weighting='tf-idf')
    >>> model.predict(["cheap notes cheap"]).tolist()
    ['spam']
    """

    _state_layout: ClassVar[Layout | None] = {
        "vocabulary_": Anything(),
        "estimator_": Part(),
        "_inverse_document_frequency_": Optional(Part()),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "estimator": [HasMethods("fit")],
        "tokenizer": [Tokenizer, None],
        "weighting": [StrOptions({"counts", "tf-idf", "sequences"})],
        "min_df": "no_validation",
        "max_features": "no_validation",
    }

    def __init__(
        self,
        estimator: Any,
        tokenizer: Tokenizer | None = None,
        weighting: str = "counts",
        min_df: int | float = 2,
        max_features: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.tokenizer = tokenizer
        self.weighting = weighting
        self.min_df = min_df
        self.max_features = max_features

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Texts, y: Labels | None = None, *, times: Times = None) -> TextModel:
        """Learn the words of the texts `X`, then the model; `times` go to the model if they are given."""
        X = text_array(X) if self.weighting == "sequences" else X  # it is read twice
        counts, self.vocabulary_ = count_words(X, self._tokenizer, min_df=self.min_df, max_features=self.max_features)
        if self.weighting == "tf-idf":
            self._inverse_document_frequency_ = TfidfTransformer(sublinear_tf=True).fit(counts)
        self.estimator_ = clone(self.estimator)
        if "vocabulary" in self.estimator_.get_params(deep=False):
            self.estimator_.set_params(vocabulary=self.vocabulary_)
        self.estimator_.fit(self._represent(X, counts), *([] if y is None else [y]), **_when(times))
        return self

    def transform_texts(self, X: Texts) -> Counts | TokenSequences:
        """Return the model's input for the texts `X`; unknown words are ignored."""
        check_is_fitted(self)
        if self.weighting == "sequences":
            return self._represent(X, None)
        return self._represent(X, count_words(X, self._tokenizer, vocabulary=self.vocabulary_)[0])

    @_inner_has("predict")
    def predict(self, X: Texts, *, times: Times = None) -> np.ndarray:
        """Return the label of each text."""
        inputs = self.transform_texts(X)
        found: np.ndarray = self.estimator_.predict(inputs, **_when(times))
        return found

    @_inner_has("predict_proba")
    def predict_proba(self, X: Texts, *, times: Times = None) -> Floats:
        """Return the probability of each label for each text, in the order of `classes_`."""
        inputs = self.transform_texts(X)
        found: Floats = self.estimator_.predict_proba(inputs, **_when(times))
        return found

    @_inner_has("score_samples")
    def score_samples(self, X: Texts, *, times: Times = None) -> Floats:
        """Return the log-likelihood of each text."""
        inputs = self.transform_texts(X)
        found: Floats = self.estimator_.score_samples(inputs, **_when(times))
        return found

    @property
    def classes_(self) -> np.ndarray:
        """The labels, if the model is a classifier."""
        found: np.ndarray = self.estimator_.classes_
        return found

    @property
    def _tokenizer(self) -> Tokenizer:
        return self.tokenizer if self.tokenizer is not None else Tokenizer()

    def _represent(self, X: Texts, counts: Counts) -> Counts | TokenSequences:
        if self.weighting == "sequences":
            return token_sequences(X, self._tokenizer, self.vocabulary_)
        if self.weighting == "tf-idf":
            return sp.csr_matrix(self._inverse_document_frequency_.transform(counts))
        return counts


def _when(times: Times) -> dict[str, Times]:
    return {} if times is None else {"times": times}
