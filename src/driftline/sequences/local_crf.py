r"""A conditional random field that learns from sentences weighted by their distance in time."""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.input_kinds import TakesSequences
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import TIME_AXIS, Anything, Array, Each, Layout, Number, Text
from driftline.core.arrays import Floats, Times
from driftline.core.errors import InvalidInput
from driftline.core.progress import track
from driftline.core.randomness import Seed, generator
from driftline.core.times import Duration
from driftline.sequences.crf import CRF
from driftline.sequences.crf_parameters import FieldParameters
from driftline.sequences.forgetting import (
    Candidate,
    Rehearsal,
    Trial,
    bandwidths_to_try,
    compared,
    described,
    fit_of,
    fit_times,
    in_words,
    rehearsals,
    selected,
)
from driftline.sequences.tag_input import Tags, tag_score
from driftline.sequences.tagging_problem import Forbidden, TaggingProblem, tagging_problem
from driftline.sequences.templates import Templates
from driftline.sequences.token_input import TokenLists, as_tokens
from driftline.smoothing.kernels import KERNEL_NAMES, Kernel, Side
from driftline.streams.units import units_on_axis

_OF_THE_CRF = ("features", "l2", "l1", "solver", "max_iter", "tolerance", "epochs", "forbidden")
_SHARED = ("classes_", "values_", "keys_", "pointers_", "pair_tags_", "allowed_", "starts_")
"""Attributes that all fits have in common."""


class LocalCRF(TakesSequences, FieldParameters):
    r"""Tag the tokens of sentences whose language changes over time.

    At time t the weights of a `CRF` minimise

    .. math:: -\sum_d \frac{K((t - \tau_d)/h)}{K(0)} \log p(y_d \mid x_d) + \lambda_2 \lVert w \rVert^2
       + \lambda_1 \lVert w \rVert_1

    (1), where sentence d is from time :math:`\tau_d`. An infinite bandwidth h gives all sentences equal weights.

    Taggers seldom benefit from forgetting: words change their frequency more often than their part of speech. The
    bandwidth is therefore selected by validation, and a finite one only if it is clearly better; ``chosen_`` states the
    selected bandwidth and the reason.

    Parameters
    ----------
    features : Templates or str, as in `CRF`.
    bandwidth : number, duration, "cv", "global" or a list of these
        The width h. "cv" compares halves, quarters, … of the span with equal weights; "global" is infinite.
    kernel : {"triangular", "uniform", "epanechnikov", "tricube", "gaussian"}
        The shape of the weights in time.
    side : {"past", "both"}
        Whether to use only earlier sentences, or those on both sides of a time.
    n_fits : int
        The number of times, spread evenly over the sentences, at which (1) is minimised if h is finite. A sentence is
        tagged by the last fit before it ("past"), or by the nearest ("both").
    n_splits : int
        Number of origins ("past"), or of groups of days that are held out in turn ("both"), to compare bandwidths.
    l2, l1, solver, max_iter, tolerance, epochs, forbidden, random_state, verbose : as in `CRF`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_tags,), the tags.
    bandwidth_ : float, h in days (or in units of numeric times).
    chosen_ : str, the selected bandwidth, and the reason.
    candidates_ : list of dict, a dict per bandwidth, the best first
        `bandwidth`, `name`, `loss` (nats per token) and `accuracy`; `loss_gain` and `accuracy_gain` are (mean, low,
        high) of the improvement over equal weights, with 95 % intervals over days. Empty if h was given.
    weights_, transition_ : ndarray of shape (n_fits, n_pairs), (n_fits, n_tags, n_tags), those of every fit.

    Examples
    --------
    The word "post" was a noun, and became a verb:

    >>> tokens = [["we", "post"]] * 240
    >>> tags = [["P", "N"]] * 120 + [["P", "V"]] * 120
    >>> words = Templates(((("word", 0),),))
    >>> model = LocalCRF(words, bandwidth=60.0, l2=0.1).fit(tokens, tags, times=range(240))
    >>> [tag.tolist() for tag in model.predict([["we", "post"]] * 2, times=[100, 230])]
    [['P', 'N'], ['P', 'V']]
    """

    _timed: ClassVar[str] = "sentences"
    _state_layout: ClassVar[Layout | None] = {
        **TIME_AXIS,
        "classes_": Array("tags", kind="any"),
        "values_": Each(Each(Text())),
        "keys_": Each(Array(None, kind="i8", ordered=True)),
        "pointers_": Array("attributes+1", kind="i4", least=0, ordered=True),
        "pair_tags_": Array("pairs", kind="i2", below="tags"),
        "weights_": Array("fits", "pairs", kind="f4"),
        "transition_": Array("fits", "tags", "tags", kind="f8"),
        "allowed_": Array("tags", "tags", kind="b"),
        "starts_": Array("tags", kind="b"),
        "bandwidth_": Number(least=0, finite=False),
        "chosen_": Text(),
        "candidates_": Anything(),
        "_fit_times_": Array("fits", ordered=True),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        **FieldParameters._parameter_constraints,
        "bandwidth": [
            *(np.timedelta64, datetime.timedelta, str, list, tuple),
            Interval(numbers.Real, 0, None, closed="right"),
        ],
        "kernel": [StrOptions(set(KERNEL_NAMES))],
        "side": [StrOptions({"past", "both"})],
        "n_fits": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_splits": [Interval(numbers.Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        features: Templates | str = "parts_of_speech",
        bandwidth: Duration | list[Duration] = "cv",
        kernel: str = "triangular",
        side: Side = "past",
        n_fits: int = 8,
        n_splits: int = 3,
        l2: float = 1.0,
        l1: float = 0.0,
        solver: str = "auto",
        max_iter: int = 200,
        tolerance: float = 1e-6,
        epochs: int = 16,
        forbidden: Forbidden = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(features, l2, l1, solver, max_iter, tolerance, epochs, forbidden, random_state, verbose)
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.side = side
        self.n_fits = n_fits
        self.n_splits = n_splits

    classes_: np.ndarray
    weights_: np.ndarray
    transition_: np.ndarray

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes:
            self._fit_at(0)._check_state()
        return sizes

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: TokenLists, y: Tags, *, times: Times | None = None) -> LocalCRF:
        """Learn from sentences, their tags (as in `CRF`) and their times; None means document order."""
        tokens = as_tokens(X, self._crf()._templates.n_columns)
        when = self._check_times(times, len(tokens), reset=True)
        problem = tagging_problem(self._crf()._templates, tokens, y, self.forbidden)
        order = np.argsort(when, kind="stable")
        problem = problem._replace(sentences=problem.sentences.rows(order, np.ones(len(order))))
        when, seed = when[order], int(generator(self.random_state).integers(2**31))
        self._select(problem, when, seed)
        single = math.isinf(self.bandwidth_)
        at = np.nextafter(when[-1:], np.inf) if single else fit_times(when, self._kernel, self.n_fits)
        fits = [
            self._learned(problem, self._weights(when, self.bandwidth_, moment), seed)
            for moment in track(at.tolist(), "fits", verbose=self.verbose)
        ]
        for name in _SHARED:
            setattr(self, name, getattr(fits[0], name))
        self.weights_ = np.stack([fit.weights_ for fit in fits])
        self.transition_ = np.stack([fit.transition_ for fit in fits])
        self._fit_times_ = at
        return self

    def predict(self, X: TokenLists, *, times: Times | None = None) -> list[np.ndarray]:
        """Return the most probable tags of every sentence at its time; None means after all training sentences."""
        return self._by_fit(X, times, lambda fit, part: fit.predict(part))

    def predict_marginals(self, X: TokenLists, *, times: Times | None = None) -> list[Floats]:
        """Return p(tag | sentence), tokens × tags, for every sentence, in the order of ``classes_``."""
        return self._by_fit(X, times, lambda fit, part: fit.predict_marginals(part))

    def score(self, X: TokenLists, y: Tags, *, times: Times | None = None) -> float:
        """Return the F1 of spans if tags are B-X, I-X and O, otherwise the share of correct tags."""
        return tag_score(self.predict(X, times=times), y, self.classes_)

    @property
    def fit_times_(self) -> np.ndarray:
        """The times at which the weights were learned."""
        check_is_fitted(self)
        found: np.ndarray = self._time_axis.restore(self._fit_times_)
        return found

    @property
    def _kernel(self) -> Kernel:
        return Kernel(self.kernel, self.side)

    def _crf(self, seed: Seed = None) -> CRF:
        return CRF(**{name: getattr(self, name) for name in _OF_THE_CRF}, random_state=seed)

    def _weights(self, when: Floats, bandwidth: float, at: float) -> Floats:
        return np.ones(len(when)) if math.isinf(bandwidth) else self._kernel.relative_weights(at - when, bandwidth)

    def _learned(self, problem: TaggingProblem, weights: Floats, seed: int) -> CRF:
        return self._crf(seed)._learn(problem.weighted(weights))

    def _select(self, problem: TaggingProblem, when: Floats, seed: int) -> None:
        """Choose the bandwidth, and record the reason."""
        widths, dated = self._bandwidths(when), self.time_axis_kind_ != "number"
        self.candidates_: list[dict[str, object]] = []
        if len(widths) == 1 and self.bandwidth != "cv":
            self.bandwidth_, self.chosen_ = widths[0], f"{described(widths[0], dated=dated)}: as requested"
            return
        unit = units_on_axis(self._time_axis, when).index
        plan = rehearsals(when, unit, self._kernel, self.n_splits, self.n_fits) if len(widths) > 1 else []
        widths = widths if plan else [math.inf]
        trials = [
            self._tried(problem, when, width, plan, seed) for width in track(widths, "bandwidths", verbose=self.verbose)
        ]
        places = np.concatenate([np.empty(0, dtype=np.int64), *(one.predicted for one in plan)])
        lengths = np.diff(problem.sentences.offsets)[places].astype(np.float64)
        found = compared(trials, lengths, unit[places])
        self.bandwidth_, self.chosen_ = selected(found).bandwidth, in_words(found, dated=dated)
        self.candidates_ = [_as_dict(one, dated=dated) for one in found] if plan else []

    def _bandwidths(self, when: Floats) -> list[float]:
        given = self.bandwidth if isinstance(self.bandwidth, list | tuple) else [self.bandwidth]
        found: set[float] = {math.inf} if len(given) != 1 else set()
        for one in given:
            if isinstance(one, str) and one == "cv":
                found.update(bandwidths_to_try(when, self._kernel))
                continue
            width = math.inf if isinstance(one, str) and one == "global" else self._time_axis.span(one)
            if not width > 0:
                raise InvalidInput(f"a bandwidth must be positive, not {one!r}; 'global' weights sentences equally")
            found.add(width)
        return sorted(found)

    def _tried(
        self, problem: TaggingProblem, when: Floats, bandwidth: float, plan: list[Rehearsal], seed: int
    ) -> Trial:
        losses, right = [np.empty(0)], [np.empty(0)]
        fit: CRF | None = None
        for number, one in enumerate(plan):
            same = number > 0 and plan[number - 1].learned is one.learned and math.isinf(bandwidth)
            if fit is None or not same:
                weights = np.zeros(len(when))
                weights[one.learned] = self._weights(when[one.learned], bandwidth, one.at)
                fit = self._learned(problem, weights, seed)
            attributes, offsets, tags, _ = problem.sentences.rows(one.predicted, np.ones(len(when)))
            losses.append(-fit._log_probabilities(offsets, attributes, tags))
            hits = (fit._best(offsets, attributes) == tags).astype(np.float64)
            right.append(np.diff(np.concatenate([[0.0], np.cumsum(hits)])[offsets]))
        return Trial(bandwidth, np.concatenate(losses), np.concatenate(right))

    def _fit_at(self, place: int) -> CRF:
        """Return one of the fits as a `CRF`, which shares the arrays of the model."""
        fit = self._crf()
        for name in _SHARED:
            setattr(fit, name, getattr(self, name))
        fit.weights_, fit.transition_, fit.objective_ = self.weights_[place], self.transition_[place], np.empty(0)
        return fit

    def _by_fit(
        self, X: TokenLists, times: Times | None, answer: Callable[[CRF, TokenLists], list[np.ndarray]]
    ) -> list[np.ndarray]:
        """Return the predictions for all sentences, each by the fit of its time."""
        check_is_fitted(self)
        tokens = as_tokens(X, self._crf()._templates.n_columns)
        last = np.full(len(tokens), len(self._fit_times_) - 1)
        if times is not None:
            last = fit_of(self._check_times(times, len(tokens), reset=False), self._fit_times_, self._kernel)
        found: list[np.ndarray] = [np.empty(0)] * len(tokens)
        for place in np.unique(last).tolist():
            rows = np.flatnonzero(last == place)
            for row, one in zip(rows.tolist(), answer(self._fit_at(place), tokens.rows(rows))):
                found[row] = one
        return found


def _as_dict(candidate: Candidate, *, dated: bool) -> dict[str, object]:
    return {
        "bandwidth": candidate.bandwidth,
        "name": described(candidate.bandwidth, dated=dated),
        "loss": candidate.loss,
        "accuracy": candidate.accuracy,
        "loss_gain": [float(end) for end in candidate.loss_gain],
        "accuracy_gain": [float(end) for end in candidate.accuracy_gain],
    }
