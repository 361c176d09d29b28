r"""An n-gram language model that changes over time."""

from __future__ import annotations

import functools
import math
import numbers
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from driftline.base.input_kinds import TakesSequences
from driftline.base.sequence_input import Sequences, as_sequences
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import TIME_AXIS, Anything, Array, Each, Layout, Number, Optional, Sparse
from driftline.base.word_numbers import HasWordNumbers, in_columns, numbers_in, words_of
from driftline.core.arrays import Bools, Floats, Ints, Labels, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import Duration
from driftline.local.bandwidths.pair_search import climb
from driftline.local.fit_times import resolve_bandwidths
from driftline.local.local_estimator import LocalEstimator
from driftline.local.ngram.ngram_scores import LocalCounts, distribution, log_probabilities
from driftline.smoothing.kernels import Side
from driftline.text.ngram_index import NGramIndex, check_index, index_ngrams, merge, renumbered
from driftline.text.sequences import TokenSequences
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import Words, columns_of

BACKGROUNDS = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
"""The weights of the whole stream that ``background="cv"`` tries."""

POINTS = 16
"""Number of grid times per bandwidth."""

FEWEST_DOCUMENTS = 8
"""Minimum number of documents in the mean window of the smallest candidate bandwidth."""

BURN_IN = 0.1
"""Initial share of a stream whose predictions do not count in a forward comparison."""


class LocalNGram(HasWordNumbers, TakesSequences, LocalEstimator):
    r"""Estimate the probability of a word after the words before it, at any time, from the documents near that time.

    A document has the weight (K((t - τ)/h)/K(0) + ρ) / (1 + ρ): near documents count fully, the others slightly.
    Contexts of every length are interpolated by Witten and Bell's rule, generalised to fractional counts,

    .. math:: p_t(w \mid c) = \frac{S_{cw} + T_c\, p_t(w \mid c')}{N_c + T_c}, \qquad
              T_c = \sum_w \min(1, \sqrt{S_{cw}}),

    down to the local distribution of single words. c' is c without its first word. The probabilities sum to one at
    every time and after every context; an infinite bandwidth is the ordinary model of the whole stream.

    Parameters
    ----------
    order : int
        The longest n-grams: 3 predicts a word from the two before it, 1 is the local word distribution.
    kernel : {"triangular", "uniform", "epanechnikov", "tricube", "gaussian"}
        The shape of the weights in time.
    bandwidth : number, duration, "cv", "global" or a list of these
        The width h. ``"cv"`` and lists are selected by the probability of every document given the others (past-only:
        given those before); the candidates of ``"cv"`` include the global model.
    side : {"both", "past"}
        Whether documents on both sides of a time count, or only those strictly before it.
    background : float or "cv"
        The weight ρ of the whole stream (past-only: of all earlier documents); ``"cv"`` selects it with the bandwidth.
    n_words : int, optional
        The number of words; by default that of the vocabulary, or the largest word number plus one, or, if word numbers
        exceed a million, the number of those that occur.
    grid : {"auto", "exact"}
        Whether sums are evaluated at 16 times per bandwidth and interpolated, or at every requested time.
    vocabulary : sequence of str or Vocabulary, optional
        The words, so that contexts can be given by name.
    verbose : bool
        Show progress.

    Attributes
    ----------
    bandwidth_, background_ : float
        The settings in use.
    candidates_ : list of (bandwidth, background, log-probability per word)
        The candidates compared in the selection.
    n_words_, n_ngrams_ : int
        The number of words, and of distinct n-grams of every order up to `order`.
    word_numbers_ : array of int, or None
        The word number of each column of `probabilities` if they are not 0, 1, … (see `n_words`).

    Examples
    --------
    >>> documents = [[0, 1, 0, 1]] * 5 + [[0, 2, 0, 2]] * 5
    >>> model = LocalNGram(order=2, bandwidth=3.0, background=0.0).fit(documents, times=range(10))
    >>> model.probabilities([0], [1.0, 8.0]).round(2)
    array([[0.08, 0.92, 0.  ], [0.08, 0.  , 0.92]])
    """

    _state_layout: ClassVar[Layout | None] = {
        **TIME_AXIS,
        "n_words_": Number("words", least=1),
        "word_numbers_": Optional(Array("words", kind="i8", least=0, ordered=True)),
        "_keys_": Each(Array(None, kind="i", least=0, ordered=True)),
        "_counts_": Sparse("documents", "n-grams", least=0),
        "_times_": Array("documents", finite=False, ordered=True),
        "n_ngrams_": Number("n-grams", least=1),
        "_anchor_": Number(finite=False),
        "_remembered_since_": Number(finite=False),
        "bandwidth_": Number(least=0, finite=False),
        "background_": Number(least=0),
        "candidates_": Anything(),
    }

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes:
            check_index(self._ngrams, self.order)
        return sizes

    _parameter_constraints: ClassVar[Constraints] = {
        **LocalEstimator._parameter_constraints,
        "order": [Interval(numbers.Integral, 1, 8, closed="both")],
        "background": [Interval(numbers.Real, 0, None, closed="left"), StrOptions({"cv"})],
        "n_words": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "grid": [StrOptions({"auto", "exact"})],
        "vocabulary": "no_validation",
    }

    def __init__(
        self,
        order: int = 3,
        kernel: str = "triangular",
        bandwidth: Duration = "cv",
        side: Side = "both",
        background: float | str = "cv",
        n_words: int | None = None,
        grid: str = "auto",
        vocabulary: WordList | None = None,
        verbose: bool = False,
    ) -> None:
        self.order = order
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.side = side
        self.background = background
        self.n_words = n_words
        self.grid = grid
        self.vocabulary = vocabulary
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Sequences, y: Labels | None = None, *, times: Times = None) -> LocalNGram:
        """Learn from token sequences (lists of word numbers, -1 unknown) and one time per document; `y` is ignored."""
        sequences = as_sequences(X)
        at = self._check_times(times, len(sequences), reset=True)
        self.word_numbers_ = words_of(sequences, self.n_words, self.vocabulary).numbers
        sequences = in_columns(sequences, self._numbers)
        self._anchor_, self._remembered_since_ = math.inf, -math.inf
        self._remember(self._index(sequences), at)
        self._choose(sequences, at)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Sequences, y: Labels | None = None, *, times: Times = None) -> LocalNGram:
        """Learn from more documents, which may use new words; the first call selects the open settings.

        With ``side="past"`` documents further back than two bandwidths are kept only as one sum of n-grams, and all
        past documents are used for times further back than one bandwidth. Without times, the documents follow those
        seen so far.
        """
        if not hasattr(self, "bandwidth_"):
            return self.fit(X, times=times)
        sequences = as_sequences(X)
        at = self._check_more_times(times, len(sequences), float(self._times_[-1]))
        if len(sequences):
            held = self._with_words_of(sequences)
            joined = merge(held, self._index(in_columns(sequences, self._numbers)))
            self._remember(joined, np.concatenate([self._times_, at]))
            self._forget()
        return self

    def score_samples(self, X: Sequences, *, times: Times = None) -> Floats:
        """Return the log-probability of every document at its time; unknown words (-1) are ignored."""
        check_is_fitted(self)
        sequences = in_columns(as_sequences(X), self._numbers, strict=True)
        when = self._check_times(times, len(sequences), reset=False)
        local = self._local
        self._warn_outside(when, local.supported(when))
        return log_probabilities(local, sequences, when, self._points)

    def score(self, X: Sequences, y: Labels | None = None, *, times: Times = None) -> float:
        """Return the mean log-probability of a word; `y` is ignored."""
        sequences = as_sequences(X)
        total = self.score_samples(sequences, times=times).sum()
        return float(total / max(int((sequences.ids >= 0).sum()), 1))

    def probabilities(self, context: Words, when: Times) -> Floats:
        """Return the probability of every word after a context (words or their numbers, the last one last).

        The result has one row per requested time. Only the last ``order - 1`` words of the context matter.
        """
        check_is_fitted(self)
        words = self._context(context)
        at = self._time_axis.values(when)
        local = self._local
        self._warn_outside(at, local.supported(at))
        return np.array([distribution(local, words, t) for t in at]).reshape(len(at), self.n_words_)

    def outside_support(self, when: Times) -> Bools:
        """Return for every time whether no document lies within the bandwidth, so that the result is extrapolated."""
        check_is_fitted(self)
        return ~self._local.supported(self._time_axis.values(when))

    @property
    def _points(self) -> int:
        return POINTS if self.grid == "auto" else 0

    @property
    def _ngrams(self) -> NGramIndex:
        return NGramIndex(self.n_words_, self._keys_, self._counts_)

    @property
    def _local(self) -> LocalCounts:
        return self._counts_under(self.bandwidth_, self.background_)

    def _counts_under(self, bandwidth: float, background: float) -> LocalCounts:
        return LocalCounts(
            self._ngrams,
            self._ngrams.context_of,
            self._times_,
            self._kernel,
            bandwidth,
            background,
            self._anchor_,
            self._remembered_since_,
        )

    def _index(self, sequences: TokenSequences) -> NGramIndex:
        if len(sequences) == 0:
            raise InvalidInput("there is no document; pass at least one token sequence")
        if self._numbers is not None:
            return index_ngrams(sequences, self.order, len(self._numbers))
        n_words = words_of(sequences, self.n_words, self.vocabulary).n_columns
        return index_ngrams(sequences, self.order, max(n_words, 1) if self.vocabulary is None else n_words)

    def _with_words_of(self, sequences: TokenSequences) -> NGramIndex:
        """Assign columns to the words of more documents, and return the index with those columns."""
        held, numbers = self._ngrams, self._numbers
        if numbers is None and words_of(sequences, self.n_words, self.vocabulary).numbers is None:
            return held
        used = np.unique(held.counts.indices[held.counts.indices < held.n_words])
        known = used if numbers is None else numbers[used]
        joined: Ints = np.union1d(known, numbers_in(sequences)).astype(np.int64)
        self.word_numbers_ = joined
        columns = np.full(held.n_words, -1, dtype=np.int64)
        columns[used] = np.searchsorted(joined, known)
        return renumbered(held, columns, len(joined))

    def _remember(self, index: NGramIndex, times: Floats) -> None:
        order = np.argsort(times, kind="stable")
        self.n_words_, self._keys_ = index.n_words, index.keys
        self._counts_, self._times_ = index.counts[order], times[order]
        self.n_ngrams_ = int(index.starts[-1])
        self._anchor_ = min(self._anchor_, float(self._times_[np.isfinite(self._times_)].min(initial=math.inf)))

    def _forget(self) -> None:
        """Replace documents further back than twice the support (and a grid step) of a past-only kernel by one sum."""
        reach = self._kernel.support * self.bandwidth_
        newest = float(self._times_[-1])
        old = int(np.searchsorted(self._times_, newest - 2 * reach - self.bandwidth_ / POINTS, side="left"))
        if self.side == "both" or math.isinf(reach) or not np.isfinite(self._times_[:old]).any():
            return
        total = sp.csr_matrix(self._counts_[:old].sum(axis=0))
        self._counts_ = sp.vstack([total, self._counts_[old:]], format="csr")
        self._times_ = np.concatenate([[-math.inf], self._times_[old:]])
        self._remembered_since_ = newest - reach

    def _choose(self, sequences: TokenSequences, at: Floats) -> None:
        """Select bandwidth and background by the probability of left-out documents; a local model must win clearly."""
        bandwidths = resolve_bandwidths(self.bandwidth, self._time_axis, self._times_, self._kernel, FEWEST_DOCUMENTS)
        backgrounds = list(BACKGROUNDS) if isinstance(self.background, str) else [float(self.background)]
        self.candidates_: list[tuple[float, float, float]] = []
        self.bandwidth_, self.background_ = bandwidths[0], backgrounds[0]
        if len(bandwidths) * len(backgrounds) == 1:
            return
        order = np.argsort(at, kind="stable")
        ordered = as_sequences([sequences[int(i)] for i in order])
        skipped = int(BURN_IN * len(order)) if self.side == "past" else 0
        n_tokens = max(sum(int((document >= 0).sum()) for document in ordered), 1)

        @functools.cache
        def gained(h: float, rho: float) -> Floats:
            local = self._counts_under(h, rho)
            found = log_probabilities(local, ordered, self._times_, POINTS, leave_out=True)[skipped:]
            self.candidates_.append((h, rho, float(found.sum() / n_tokens)))
            return found

        finite = [h for h in bandwidths if math.isfinite(h)]
        if finite:
            middle = backgrounds[len(backgrounds) // 2]
            self.bandwidth_, self.background_ = climb(
                lambda h, rho: -float(gained(h, rho).sum()), finite, backgrounds, middle, verbose=self.verbose
            )
        if math.inf in bandwidths and finite:
            gain = gained(self.bandwidth_, self.background_) - gained(math.inf, self.background_)
            if gain.mean() <= gain.std() / math.sqrt(max(len(gain), 1)):
                self.bandwidth_ = math.inf

    def _context(self, context: Words) -> list[int]:
        given: Sequence[str | int] = [context] if isinstance(context, str | int | numbers.Integral) else list(context)
        if not given:
            return []
        if self._numbers is not None:
            given = in_columns(as_sequences([given]), self._numbers, strict=True).ids.tolist()
        columns, _ = columns_of(given, self.vocabulary, self.n_words_)
        return columns[max(len(columns) - self.order + 1, 0) :].tolist() if self.order > 1 else []
