"""A classifier of raw text for a stream: trained, updated with new words, and compared with new documents."""

from __future__ import annotations

import math
from collections.abc import Collection, Sized
from typing import Any, ClassVar

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, StrOptions, fit_context
from driftline.base.state_layout import Array, Layout, Number
from driftline.base.text_model import TextModel
from driftline.core.arrays import Bools, Floats, Ints, Labels, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import TimeAxis
from driftline.labelling.known_documents import hashes
from driftline.monitoring.reference import REFERENCE, Reference
from driftline.text.counts import count_words
from driftline.text.rows import Texts
from driftline.text.tokenise import Tokenizer

MOST_WAITING = 200_000
"""Number of rare words that are counted until they are frequent enough for the vocabulary."""


class TextClassifier(TextModel):
    """Classify texts by a model that can be updated, and keep a reference for comparison with new documents.

    Unlike `TextModel`, it can be updated (`partial_fit`), and learns from each document once. Its vocabulary grows with
    the stream if the estimator has `grow_vocabulary`: a word that has been in `min_df` documents gets a column. The
    words (not the texts) of the latest 3,000 documents are kept for `driftline.monitoring.check_drift`.

    Parameters
    ----------
    estimator : estimator
        The classifier; a clone of it is fitted.
    tokenizer : Tokenizer, optional
        The rules for splitting text into words; by default lower-case words of two letters or more.
    weighting : {"tf-idf", "counts"}
        Input of the classifier: sublinear tf-idf of unit length, or word counts.
    min_df, max_features :
        Words in fewer documents than `min_df` are ignored, and only the `max_features` most frequent are kept.

    Attributes
    ----------
    estimator_ : estimator
        The fitted classifier.
    vocabulary_ : Vocabulary
        The words it knows.
    n_documents_ : int
        Number of documents learned from.

    Examples
    --------
    >>> from driftline.local import ForwardClassifier
    >>> texts = ["cheap pills", "cheap offer", "meeting notes", "notes attached"]
    >>> model = TextClassifier(ForwardClassifier(), min_df=1).fit(texts, ["spam", "spam", "ham", "ham"], times=range(4))
    >>> _ = model.partial_fit(["free crypto", "free crypto now"], ["spam", "spam"])
    >>> model.predict(["crypto"]).tolist(), "crypto" in model.vocabulary_
    (['spam'], True)
    """

    _state_layout: ClassVar[Layout | None] = {
        **(TextModel._state_layout or {}),
        "n_documents_": Number(least=0, whole=True),
        "_learned_": Array("learned", kind="i", ordered=True),
        "_waiting_": Array("waiting", kind="any"),
        "_waiting_documents_": Array("waiting", kind="i", least=0),
        "_reference_": REFERENCE,
    }

    _parameter_constraints: ClassVar[Constraints] = {
        **TextModel._parameter_constraints,
        "weighting": [StrOptions({"counts", "tf-idf"})],
    }

    def __init__(
        self,
        estimator: object,
        tokenizer: Tokenizer | None = None,
        weighting: str = "tf-idf",
        min_df: int | float = 2,
        max_features: int | None = None,
    ) -> None:
        super().__init__(estimator, tokenizer, weighting, min_df, max_features)

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Texts, y: Labels | None = None, *, times: Times = None) -> TextClassifier:
        """Learn words and labels of the texts `X`; without times, they are assumed to be in time order."""
        X = X if isinstance(X, Sized) else list(X)
        super().fit(X, y, times=times)
        at = TimeAxis.of(times).values(times, n=len(X))
        self.n_documents_ = len(X)
        self._learned_: Ints = np.sort(fingerprints(X, y, times))
        self._waiting_: np.ndarray = np.array([], dtype=str)
        self._waiting_documents_: Ints = np.zeros(0, dtype=np.int64)
        self._reference_: Any = tuple(Reference.of(X, at, self._tokenizer, self.vocabulary_, self.min_df))
        return self

    @available_if(lambda model: hasattr(getattr(model, "estimator_", model.estimator), "partial_fit"))
    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(
        self, X: Collection[object], y: Labels, classes: Labels | None = None, *, times: Times = None
    ) -> TextClassifier:
        """Learn from the documents that were not learned before; the first call must contain two labels.

        A document is known by its text, label and time; without times, documents follow those seen so far. Labels that
        are new are refused unless they are among `classes`, and the estimator has `learns_new_classes`.
        """
        if not hasattr(self, "estimator_"):
            if classes is not None:
                raise InvalidInput("the classes are those of the first documents; omit classes")
            return self.fit(X, y, times=times)
        if classes is not None and not getattr(self.estimator_, "learns_new_classes", False):
            raise InvalidInput(f"{type(self.estimator_).__name__} cannot learn new classes; omit classes")
        documents = _strings(X)
        keys = fingerprints(documents, y, times)
        fresh = np.flatnonzero(~self.is_learned(documents, y, times))
        if not len(fresh):
            return self
        texts, labels = [documents[i] for i in fresh], np.asarray(y, dtype=object)[fresh]
        when = None if times is None else _taken(times, fresh)
        at = self._times_of(when, len(fresh))
        reference = self.reference.followed_by(texts, at, self._tokenizer, self.vocabulary_)
        self._grow(texts)
        self.n_documents_ += len(fresh)
        inputs = self.transform_texts(texts)
        more = {"times": when, "classes": classes}
        self.estimator_.partial_fit(
            inputs, labels, **{name: value for name, value in more.items() if value is not None}
        )
        self._learned_ = np.sort(np.concatenate([self._learned_, keys[fresh]]))
        self._reference_ = tuple(reference)
        return self

    def is_learned(self, X: Collection[object], y: Labels | None = None, times: Times | None = None) -> Bools:
        """Return a mask of the documents (text, label and time) that were learned from."""
        check_is_fitted(self)
        if times is None:  # the order of the documents is their time, so they are new
            return np.zeros(len(X), dtype=bool)
        keys = fingerprints(X, y, times)
        places = np.minimum(np.searchsorted(self._learned_, keys), max(len(self._learned_) - 1, 0))
        found: Bools = self._learned_[places] == keys if len(self._learned_) else np.zeros(len(keys), dtype=bool)
        return found

    @property
    def reference(self) -> Reference:
        """The latest documents, with which new ones are compared."""
        return Reference(*self._reference_)

    @property
    def text_tokenizer(self) -> Tokenizer:
        """The rules for splitting text into words."""
        return self._tokenizer

    @property
    def inverse_document_frequencies(self) -> Floats:
        """The weights of the words, if `weighting` is "tf-idf"."""
        found: Floats = self._inverse_document_frequency_.idf_
        return found

    def _times_of(self, times: Times | None, n: int) -> Floats:
        if times is None:
            newest = float(self.reference.times[-1]) if len(self.reference.times) else 0.0
            return newest + 1 + np.arange(n, dtype=np.float64)
        return TimeAxis.of(times).values(times, n=n)

    def _grow(self, texts: Collection[object]) -> None:
        """Give a column to every new word that has now been in enough documents."""
        if not hasattr(self.estimator_, "grow_vocabulary"):
            return
        counts, words = count_words(texts, self._tokenizer, vocabulary=self.vocabulary_, grow=True)
        n_known = len(self.vocabulary_)
        new = words.words[n_known:].astype(str)
        documents = np.bincount(counts.indices, minlength=len(words))[n_known:]
        names, place = np.unique(np.concatenate([self._waiting_.astype(str), new]), return_inverse=True)
        total = np.bincount(place, np.concatenate([self._waiting_documents_, documents]), len(names)).astype(np.int64)
        n_after = self.n_documents_ + len(texts)
        least = self.min_df if isinstance(self.min_df, int) else math.ceil(self.min_df * n_after)
        enough = total >= least
        if self.max_features is not None:
            room = max(self.max_features - n_known, 0)
            ranked = np.argsort(-np.where(enough, total, 0), kind="stable")
            enough[ranked[room:]] = False
        rest = np.flatnonzero(~enough)
        rest = rest[np.argsort(-total[rest], kind="stable")[:MOST_WAITING]]
        self._waiting_, self._waiting_documents_ = names[rest], total[rest]
        if not enough.any():
            return
        self.vocabulary_ = self.vocabulary_.add(names[enough])
        self.estimator_.grow_vocabulary(self.vocabulary_)
        if self.weighting == "tf-idf":
            rarity = np.log((1 + n_after) / (1 + total[enough])) + 1
            self._inverse_document_frequency_ = _widened(self._inverse_document_frequency_, rarity)


def fingerprints(texts: Texts, labels: Labels | None, times: Times) -> Ints:
    """Return a 64-bit hash of the text, label and time of every document.

    >>> first, again, other = fingerprints(["a", "a", "a"], ["x", "x", "y"], [1.0, 1.0, 1.0])
    >>> bool(first == again), bool(first == other)
    (True, False)
    """
    given = _strings(texts)
    n = len(given)
    at = TimeAxis.of(times).values(times, n=n)
    labelled = [None] * n if labels is None else np.asarray(labels, dtype=object)
    names = [None if label is None else str(label) for label in labelled]
    return hashes(f"{when!r}\x1f{name}\x1f{text}" for text, name, when in zip(given, names, at.tolist()))


def _strings(texts: Texts) -> list[str]:
    given = texts.to_pylist() if hasattr(texts, "to_pylist") else texts
    return ["" if text is None else str(text) for text in given]


def _taken(times: Times, rows: Ints) -> np.ndarray:
    axis = TimeAxis.of(times)
    return axis.restore(axis.values(times)[rows])


def _widened(weights: TfidfTransformer, rarity: Floats) -> TfidfTransformer:
    """Append the weights of new words; the old ones stay unchanged, because learned rows were computed with them."""
    wider = TfidfTransformer(sublinear_tf=weights.sublinear_tf)
    wider.idf_ = np.concatenate([weights.idf_, rarity])
    wider.n_features_in_ = len(wider.idf_)
    return wider
