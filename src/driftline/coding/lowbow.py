r"""Documents as curves in the simplex: locally weighted bags of words."""

from __future__ import annotations

import math
import numbers
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import ndtr
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSequences
from driftline.base.sequence_input import Sequences, as_sequences, as_words
from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import Array, Layout, Number, Optional
from driftline.base.word_numbers import HasWordNumbers, in_columns, words_of
from driftline.coding.local_contexts import known_words
from driftline.core.arrays import Floats, Ints, Labels
from driftline.core.errors import InvalidInput
from driftline.text.vocabulary import WordList

AT_A_TIME = 256
"""Number of documents whose curves are computed together."""


class LocallyWeightedBagOfWords(TransformerMixin, HasWordNumbers, TakesSequences, DriftEstimator):
    r"""Turn a document into a curve: the distribution of its words near each of several relative positions.

    A document of N words occupies the interval from 0 to 1, and word j that from (j − 1)/N to j/N. At position μ a word
    is weighted by the integral of a Gaussian of width h around μ over its interval, truncated at 0 and 1 and
    normalised:

    .. math:: \gamma_\mu(v) = \sum_{j : w_j = v} \int_{(j-1)/N}^{j/N} K_{\mu,h}(t)\,dt .

    Documents of any length have curves of one shape, which can be compared, classified and drawn. As h → ∞, every point
    becomes the ordinary bag of words; as h → 0, it becomes the word at that position.

    Parameters
    ----------
    bandwidth : float
        h, as a part of the document.
    positions : int
        Number of evenly spaced positions: the midpoints of equal parts of the document.
    smoothing : float
        Pseudo-count of every word of the vocabulary before normalising; above zero a curve is not sparse.
    n_words, vocabulary :
        The number of words, or the words themselves; by default the words of the documents in `fit`: a word number is
        then the column of the word, or, if numbers exceed a million, only those that occur have columns
        (``word_numbers_``).

    Examples
    --------
    >>> model = LocallyWeightedBagOfWords(bandwidth=0.1, positions=3).fit([[0, 0, 0, 1, 1, 1]])
    >>> model.curve([0, 0, 0, 1, 1, 1]).toarray().round(2)
    array([[1. , 0. ], [0.5, 0.5], [0. , 1. ]])
    """

    _state_layout: ClassVar[Layout | None] = {
        "n_words_": Number("words", least=1),
        "word_numbers_": Optional(Array("words", kind="i8", least=0, ordered=True)),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "bandwidth": [Interval(numbers.Real, 0, None, closed="right")],
        "positions": [Interval(numbers.Integral, 1, None, closed="left")],
        "smoothing": [Interval(numbers.Real, 0, None, closed="left")],
        "n_words": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "vocabulary": "no_validation",
    }

    def __init__(
        self,
        bandwidth: float = 0.1,
        positions: int = 10,
        smoothing: float = 0.0,
        n_words: int | None = None,
        vocabulary: WordList | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.positions = positions
        self.smoothing = smoothing
        self.n_words = n_words
        self.vocabulary = vocabulary

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Sequences, y: Labels | None = None) -> LocallyWeightedBagOfWords:
        """Determine the number of words; `y` is ignored."""
        documents = as_sequences(X)
        if len(documents) == 0:
            raise InvalidInput("there is no document; pass at least one token sequence")
        words = words_of(documents, self.n_words, self.vocabulary)
        if words.n_columns == 0:
            raise InvalidInput("no document has a known word; pass n_words or documents with words")
        self.n_words_, self.word_numbers_ = words
        return self

    def curve(self, tokens: npt.ArrayLike) -> sp.csr_matrix:
        """Return the curve of one document, positions × words; unknown words are ignored, an empty one is zero."""
        check_is_fitted(self)
        return self._points(self._known([as_words(tokens)])).reshape((self.positions, self.n_words_)).tocsr()

    def transform(self, X: Sequences) -> sp.csr_matrix:
        """Return documents × (positions · words): the concatenated points of every curve."""
        check_is_fitted(self)
        documents, step = self._known(X), 1 if self.smoothing else AT_A_TIME
        parts = [self._points(documents[first : first + step]) for first in range(0, len(documents), step)]
        return sp.vstack([sp.csr_matrix((0, self.positions * self.n_words_)), *parts], format="csr")

    def _known(self, X: Sequences) -> list[np.ndarray]:
        """Return the columns of the known words of every document."""
        return list(known_words(in_columns(as_sequences(X), self._numbers), self.n_words_))

    def _points(self, documents: list[np.ndarray]) -> sp.csr_matrix:
        """Return the concatenated points of the documents' curves."""
        starts = self.n_words_ * np.arange(self.positions)[:, None]
        lengths = np.array([len(words) for words in documents])
        weights = {
            int(n): place_weights(int(n), self.positions, self.bandwidth) for n in np.unique(lengths[lengths > 0])
        }
        columns = [np.empty(0, dtype=np.int64), *((starts + words).ravel() for words in documents if len(words))]
        data = [np.empty(0), *(weights[n].ravel() for n in lengths.tolist() if n)]
        indptr = self.positions * np.concatenate([[0], np.cumsum(lengths)])
        shape = (len(documents), self.positions * self.n_words_)
        found = sp.csr_matrix((np.concatenate(data), np.concatenate(columns), indptr), shape=shape)
        found.sum_duplicates()
        found.eliminate_zeros()
        return self._smoothed(found, lengths) if self.smoothing else found

    def _smoothed(self, points: sp.csr_matrix, lengths: Ints) -> sp.csr_matrix:
        """Add the smoothing to every point of documents that have words, and divide by the sum."""
        spread = points.toarray().reshape((-1, self.positions, self.n_words_))
        spread[lengths > 0] += (self.smoothing / lengths[lengths > 0])[:, None, None]
        spread[lengths > 0] /= spread[lengths > 0].sum(axis=2, keepdims=True)
        return sp.csr_matrix(spread.reshape(points.shape))

    def speed(self, tokens: npt.ArrayLike) -> Floats:
        """Return the geodesic distance of the simplex between the curve at each position and at the next.

        The distance is 2 arccos Σ_v √(γ_μ(v) γ_ν(v)), from 0 to π; it peaks where the document changes its subject.
        """
        roots = self.curve(tokens).sqrt()
        overlap = np.asarray(roots[:-1].multiply(roots[1:]).sum(axis=1)).ravel()
        return 2 * np.arccos(np.clip(overlap, 0.0, 1.0)) if roots.nnz else np.zeros(max(self.positions - 1, 0))

    def picture(self, tokens: npt.ArrayLike) -> Floats:
        """Return the curve in the two principal directions of its square roots, positions × 2, for drawing."""
        roots = self.curve(tokens).sqrt()
        used = np.unique(roots.indices)
        points = roots[:, used].toarray()
        points = points - points.mean(axis=0) if len(used) else np.zeros((self.positions, 1))
        left, lengths, _ = np.linalg.svd(points, full_matrices=False)
        flat = np.zeros((self.positions, 2))
        kept = min(2, len(lengths))
        flat[:, :kept] = left[:, :kept] * lengths[:kept]
        signs = np.sign(flat[np.abs(flat).argmax(axis=0), [0, 1]])
        return flat * np.where(signs == 0, 1, signs)

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> np.ndarray:
        """Return ``place0 word0``, … for every column of `transform`; words by name if there is a vocabulary."""
        check_is_fitted(self)
        numbers = range(self.n_words_) if self._numbers is None else self._numbers
        words = numbers if self.vocabulary is None else list(self.vocabulary)
        return np.array([f"place{place} {word}" for place in range(self.positions) for word in words], dtype=object)


def place_weights(n: int, positions: int, bandwidth: float) -> Floats:
    """Return the weight of each of n words at each position; every row sums to one.

    >>> place_weights(2, 2, float("inf"))
    array([[0.5, 0.5], [0.5, 0.5]])
    """
    if math.isinf(bandwidth):
        return np.full((positions, n), 1.0 / n)
    places = (np.arange(positions) + 0.5) / positions
    standard = (np.arange(n + 1) / n - places[:, None]) / bandwidth
    # Differences of the distribution function are accurate if both ends lie on the side where it is small.
    mirrored = np.where((standard[:, :-1] + standard[:, 1:]) > 0, -1.0, 1.0)
    low, high = standard[:, :-1] * mirrored, standard[:, 1:] * mirrored
    weights = np.abs(ndtr(high) - ndtr(low))
    found: Floats = weights / weights.sum(axis=1, keepdims=True)
    return found
