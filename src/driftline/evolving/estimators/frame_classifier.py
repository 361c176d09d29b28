"""Base of all classifiers of this family: frames, missing labels, classes that may be added."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from driftline.base.state_layout import (
    COLUMNS,
    TIME_AXIS,
    Array,
    Each,
    Either,
    Flag,
    Layout,
    Number,
    Optional,
    Part,
    Sparse,
)
from driftline.core.arrays import Bools, Counts, Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.core.labels import check_given, classes_of, codes_of, labelled_accuracy, labelled_values
from driftline.core.progress import track
from driftline.evolving.frames.frame_data import FrameData, class_probabilities, frame_edges
from driftline.evolving.frames.frame_input import FrameInput
from driftline.evolving.frames.neighbour_graph import weighted
from driftline.evolving.frames.suggestion import doubt, most_worth_labelling
from driftline.evolving.frames.tfidf import document_frequencies
from driftline.evolving.paper.paper_method import Chain
from driftline.evolving.pool.exponent_calibration import Calibration
from driftline.evolving.pool.member_pool import Pool
from driftline.evolving.pool.propagation import Propagation
from driftline.text.vocabulary import WordList

SUGGESTION_SMOOTHING = 0.7

Self = TypeVar("Self", bound="FrameClassifier")


class FrameClassifier(ClassifierMixin, FrameInput):
    """A classifier that learns frame by frame (time step by time step); only some documents have labels.

    Subclasses define how a frame is learned, by an inner model (`_new_model`) with the methods of `Chain` and `Pool`.
    """

    keep_history: bool

    # -- learning ------------------------------------------------------------------------------------------------------

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        "classes_": Array("classes", kind="any"),
        "_classes_before_": Optional(Array(None, kind="any")),
        "n_frames_": Number("frames", least=0),
        "frame_starts_": Each(Number(finite=False), "frames"),
        "_fixed_classes_": Flag(),
        "_n_documents_": Number(least=0, whole=True),
        "_weighs_words_": Optional(Flag()),
        "_document_frequencies_": Array("frequencies", least=0),
        "_frame_documents_": Either(Sparse("frame documents", None), Array("frame documents", None)),
        "_frame_codes_": Array("frame documents", kind="i", least=-1, below="classes"),
        "_frame_cross_": Optional(Array("frame documents", None)),
        "_context_documents_": Sparse("context", None),
        "_context_codes_": Array("context", kind="i", least=-1, below="classes"),
        "model_": Part(None, {"classes": "classes", "words": "words", "frame documents": "frame documents"}),
        "calibration_": Part(Calibration),
        "_records_": Each(Each(Number(finite=False), 6), "frames"),
        "_functions_": Each(Optional(Array(None, None)), "frames"),
        "_classes_then_": Each(Array(None, kind="any"), "frames"),
        "_classes_seen_": Array(None, kind="any"),
        "_classes_seen_before_": Array(None, kind="any"),
        "frame_rows_": Array("frame documents", kind="i", below="rows"),
        "label_distributions_": Array("rows", "classes", least=0),
        "transduction_": Array("rows", kind="any"),
    }

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes and not self._is_pairwise and sizes["frequencies"] != sizes["words"]:
            raise ModelFileError(
                f"the document frequencies of {type(self).__name__} do not match its words; the model is damaged"
            )
        return sizes

    def _fit(self, X: Matrix, y: Labels, times: Times, every: object, classes: Labels | None) -> None:
        check_given(y, type(self).__name__)
        X = self._check_documents(X, reset=True)
        values, labelled = labelled_values(y, X.shape[0])
        moments = self._check_times(times, X.shape[0], reset=True, decide=every is not None)
        known = classes_of(values[labelled] if classes is None else classes)
        if not len(known):
            raise InvalidInput("no document has a label; label some, or pass frames to partial_fit and call suggest")
        self._begin(X.shape[1], known)
        self._fixed_classes_ = classes is not None
        order = np.argsort(moments, kind="stable")
        edges, bounds = frame_edges(self._time_axis, moments[order], every)
        codes = codes_of(values, labelled, known)
        distributions = np.zeros((X.shape[0], len(known)))
        earlier = order[:0]
        for t in track(range(len(bounds) - 1), "learning frames"):
            rows = order[bounds[t] : bounds[t + 1]]
            documents, cross = self._rows_of(X, rows, earlier)
            self._next_frame(documents, codes[rows], start=float(edges[t]), cross=cross)
            distributions[rows] = self._frame_distributions()
            earlier = rows
        self._finish(rows, distributions)

    def _partial_fit(
        self, X: Matrix, y: Labels | None, times: Times, classes: Labels | None, cross: Floats | None = None
    ) -> None:
        first = not hasattr(self, "n_frames_")
        X = self._check_documents(X, reset=first or self._is_pairwise, may_be_empty=True)
        values, labelled = labelled_values(y, X.shape[0])
        moments = None
        if times is not None or first:
            moments = self._check_times(times, X.shape[0], reset=first, decide=False)
        if first:
            self._begin(X.shape[1], classes_of([] if classes is None else classes))
            self._fixed_classes_ = classes is not None
        codes = self._codes(values, labelled)
        start = (
            float(moments.min())
            if times is not None and moments is not None and len(moments)
            else self._default_start()
        )
        self._next_frame(X, codes, start=start, cross=cross)
        self._finish(np.arange(X.shape[0]), self._frame_distributions())

    def _begin(self, n_features: int, classes: np.ndarray) -> None:
        nothing = sp.csr_matrix((0, n_features))
        self.classes_ = classes
        self.n_frames_ = 0
        self.frame_starts_ = []
        self._fixed_classes_ = False
        self._n_documents_ = 0
        self._document_frequencies_ = np.zeros(n_features)
        self._frame_documents_: Counts = nothing
        self._frame_codes_ = np.zeros(0, dtype=np.int64)
        self._frame_cross_: Counts | None = None
        self._context_documents_: Counts = nothing
        self._context_codes_ = np.zeros(0, dtype=np.int64)
        self.model_ = self._new_model().begin(n_features)
        self.calibration_ = Calibration().begin()
        self._begin_records()
        if len(classes):
            self._add_classes(np.zeros(0, dtype=np.int64), len(classes))

    def _next_frame(self, X: Counts, codes: Ints, *, start: float, cross: Floats | None) -> None:
        if not self._is_pairwise:
            self._context_documents_, self._context_codes_ = self._next_context()
        self.model_.begin_frame(self.n_frames_)
        self.calibration_.begin_frame()
        self.n_frames_ += 1
        self.frame_starts_ = [*self.frame_starts_, start]
        self._set_frame(X, codes, cross)
        self._learn(np.flatnonzero(codes >= 0), same_frame=False)

    def _set_frame(self, X: Counts, codes: Ints, cross: Floats | None) -> None:
        for name in ("_cached_neighbours", "_cached_spread"):
            self.__dict__.pop(name, None)
        self._frame_documents_, self._frame_codes_, self._frame_cross_ = X, codes, cross
        if not self._is_pairwise:
            self._document_frequencies_ = self._document_frequencies_ + document_frequencies(X)
            self._n_documents_ += X.shape[0]

    def _learn(self, fresh: Ints, *, same_frame: bool) -> None:
        """Learn the current frame; the labels of the rows `fresh` are new to the model."""
        documents, codes = self._frame_documents_, self._frame_codes_
        n = documents.shape[0]
        if self._context_documents_.shape[0]:
            documents = sp.vstack([documents, self._context_documents_], format="csr")
            codes = np.concatenate([codes, self._context_codes_])
        features, cross = self._features(documents), self._frame_cross_
        if "_cached_neighbours" not in self.__dict__:
            self._cached_neighbours = self._neighbours(features)
        number = self.n_frames_ - 1
        frame = FrameData(features, self._cached_neighbours, codes, len(self.classes_), n, number, cross)
        self.model_.learn(frame, fresh)
        self.calibration_.learn(self.model_.held_out_, codes[fresh])
        self._record_frame(self._frame_codes_, fresh, keep_function=self.keep_history, same_frame=same_frame)

    def _finish(self, rows: Ints, distributions: Floats) -> None:
        self.frame_rows_ = rows
        self.label_distributions_ = distributions
        unknown = np.full(len(distributions), -1)
        self.transduction_ = self.classes_[np.argmax(distributions, axis=1)] if len(self.classes_) else unknown

    @abstractmethod
    def _new_model(self) -> Pool | Chain: ...

    def _next_context(self) -> tuple[Counts, Ints]:
        """Return the documents of earlier frames to be added to the next, and their labels."""
        return self._context_documents_, self._context_codes_

    # -- more labels for the current frame -----------------------------------------------------------------------------

    def suggest(self, n: int = 10) -> Ints:
        """Return the unlabelled documents of the current frame whose labels would be most useful, best first.

        They are row numbers of the last input of `fit`, `partial_fit` or `revise`.
        """
        check_is_fitted(self, "n_frames_")
        picked = most_worth_labelling(self._spread, doubt(self._frame_distributions()), self._frame_codes_ < 0, n)
        return self.frame_rows_[picked]

    def add_labels(self: Self, documents: Counts, labels: Labels | None) -> Self:
        """Label some more documents of the current frame, by their row numbers, and learn the frame again."""
        check_is_fitted(self, "n_frames_")
        rows = self._places_in_frame(np.atleast_1d(np.asarray(documents, dtype=np.int64)))
        values, labelled = labelled_values(labels, len(rows))
        new = self._codes(values, labelled)
        fresh = np.unique(rows[labelled & (self._frame_codes_[rows] < 0)])
        codes = self._frame_codes_.copy()
        codes[rows[labelled]] = new[labelled]
        self._frame_codes_ = codes
        self._learn(fresh, same_frame=True)
        distributions = np.zeros((len(self.label_distributions_), len(self.classes_)))
        distributions[:, np.searchsorted(self.classes_, self._classes_before_)] = self.label_distributions_
        distributions[self.frame_rows_] = self._frame_distributions()
        self._finish(self.frame_rows_, distributions)
        return self

    def revise(self: Self, X: Matrix, y: Labels) -> Self:
        """Learn the current frame again from these documents and labels, instead of the earlier ones."""
        check_is_fitted(self, "n_frames_")
        X = self._check_documents(X, reset=self._is_pairwise, may_be_empty=True)
        if self._is_pairwise and X.shape[0] != self._frame_documents_.shape[0]:
            raise InvalidInput(
                f"the frame has {self._frame_documents_.shape[0]} documents, the kernel {X.shape[0]}; "
                f"with a precomputed kernel only labels can be revised"
            )
        values, labelled = labelled_values(y, X.shape[0])
        codes = self._codes(values, labelled)
        if not self._is_pairwise:
            self._document_frequencies_ = self._document_frequencies_ - document_frequencies(self._frame_documents_)
            self._n_documents_ -= self._frame_documents_.shape[0]
        self.model_.restart_frame()
        self.calibration_.restart_frame()
        self._forget_predicted()
        self._set_frame(X, codes, self._frame_cross_)
        self._learn(np.flatnonzero(codes >= 0), same_frame=True)
        self._finish(np.arange(X.shape[0]), self._frame_distributions())
        return self

    @property
    def _spread(self) -> Propagation:
        if "_cached_spread" not in self.__dict__:
            neighbours = self._neighbours(self._features(self._frame_documents_))
            self._cached_spread = Propagation(weighted(neighbours, weights="cosine_squared"), SUGGESTION_SMOOTHING)
        return self._cached_spread

    def _places_in_frame(self, documents: Ints) -> Ints:
        order = np.argsort(self.frame_rows_)
        places = np.searchsorted(self.frame_rows_[order], documents)
        places = order[np.minimum(places, max(len(order) - 1, 0))] if len(order) else places[:0]
        if len(places) != len(documents) or (self.frame_rows_[places] != documents).any():
            raise InvalidInput(
                f"only the {len(self.frame_rows_)} documents of the current frame can be labelled; "
                f"take the numbers from frame_rows_ or from suggest()"
            )
        return places

    # -- classes and words that are added ------------------------------------------------------------------------------

    def _codes(self, values: np.ndarray, labelled: Bools) -> Ints:
        self._classes_before_ = self.classes_
        if not self._fixed_classes_ and labelled.any():
            grown = classes_of(self.classes_, values[labelled])
            if len(grown) > len(self.classes_):
                places = np.searchsorted(grown, self.classes_).astype(np.int64)
                self.classes_ = grown
                self._add_classes(places, len(grown))
                for name in ("_frame_codes_", "_context_codes_"):
                    codes = getattr(self, name)
                    setattr(self, name, np.where(codes >= 0, np.append(places, -1)[codes], codes))
        return codes_of(values, labelled, self.classes_)

    def _add_classes(self, places: Ints, n_classes: int) -> None:
        self.model_.grow_classes(places, n_classes)
        self.calibration_.grow_classes(places, n_classes)

    def grow_vocabulary(self: Self, vocabulary: WordList) -> Self:
        """Add new words: from now on X has the columns of `vocabulary`, which begins with those so far."""
        check_is_fitted(self, "n_frames_")
        words = list(vocabulary)
        known = self.n_features_in_
        if (
            self._is_pairwise
            or len(words) < known
            or (self.vocabulary is not None and words[:known] != list(self.vocabulary))
        ):
            raise InvalidInput(f"a grown vocabulary begins with the {known} words known so far, in the same order")
        for name in ("_frame_documents_", "_context_documents_"):
            documents = getattr(self, name).copy()
            documents.resize(documents.shape[0], len(words))
            setattr(self, name, documents)
        self._document_frequencies_ = np.append(self._document_frequencies_, np.zeros(len(words) - known))
        self.model_.grow_features(len(words))
        self.n_features_in_ = len(words)
        self.vocabulary = vocabulary
        return self

    # -- predicting ----------------------------------------------------------------------------------------------------

    def predict_proba(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return the probability of every class for every document, calibrated on labels before they were used.

        With `times`, each document is classified by the function of its frame (the first or last one if it is outside
        all of them); functions of earlier frames must have been kept (`keep_history`).
        """
        check_is_fitted(self, "n_frames_")
        X = self._check_documents(X, reset=False)
        if times is not None:
            return self._probabilities_then(X, self._check_times(times, X.shape[0], reset=False))
        return self.calibration_.apply(self._probabilities_now(X))

    def predict(self, X: Matrix, *, times: Times = None) -> np.ndarray:
        """Return the most probable class of every document; `times` as in `predict_proba`."""
        probabilities = self.predict_proba(X, times=times)
        if not len(self.classes_):
            raise InvalidInput("no document has been labelled yet, so there is no class to predict; label some first")
        found: np.ndarray = self.classes_[np.argmax(probabilities, axis=1)]
        return found

    def decision_function(self, X: Matrix, *, times: Times = None) -> Floats:
        """Return log-odds of the second class if there are two, otherwise the logarithm of every probability."""
        logs = np.log(np.maximum(self.predict_proba(X, times=times), 1e-300))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def score(self, X: Matrix, y: Labels | None, *, times: Times = None) -> float:
        """Return the accuracy on the documents that have a label."""
        return labelled_accuracy(self.predict(X, times=times), y, classes=self.classes_)

    def _probabilities_now(self, X: Matrix) -> Floats:
        found: Floats = self.model_.probabilities(self._features(X))
        return found

    def _probabilities_then(self, X: Counts, moments: Floats) -> Floats:
        starts = np.array(self.frame_starts_)
        order = np.argsort(starts, kind="stable")  # a caller may pass an earlier frame later
        frames = order[np.maximum(np.searchsorted(starts[order], moments, side="right") - 1, 0)]
        result = np.zeros((X.shape[0], len(self.classes_)))
        for frame in np.unique(frames):
            rows = np.flatnonzero(frames == frame)
            if frame == self.n_frames_ - 1:
                result[rows] = self._probabilities_now(X[rows])
                continue
            function = self._function_of(int(frame))
            columns = self._features(X[rows]) @ function[:-1] + function[-1]
            result[rows] = class_probabilities(columns[:, 1:] if columns.shape[1] == 2 else columns, len(self.classes_))
        return self.calibration_.apply(result)

    def _frame_distributions(self) -> Floats:
        """Return the probabilities of the frame's documents; those that have a label are certain."""
        probabilities = self.calibration_.apply(self.model_.frame_probabilities_).copy()
        known = np.flatnonzero(self._frame_codes_ >= 0)
        probabilities[known] = 0.0
        probabilities[known, self._frame_codes_[known]] = 1.0
        return probabilities

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._is_pairwise
        tags.input_tags.positive_only = self.weighting == "tfidf" and not self._is_pairwise
        tags.input_tags.pairwise = self._is_pairwise
        # Rows of unit length are for words; points in the plane would lose half of their information.
        tags.classifier_tags.poor_score = self.weighting is not None
        return tags
