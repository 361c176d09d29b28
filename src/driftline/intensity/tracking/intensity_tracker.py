"""Topics and their intensities, tracked together through a stream of documents."""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import TIME_AXIS, Array, Layout, Number, Optional, Text
from driftline.core.arrays import Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.core.times import Moment
from driftline.engines.choose import NEAR_ENGINES, choose_engine, traits_of
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop
from driftline.intensity.bursts.topic_bursts import topic_bursts, usual_level
from driftline.intensity.tracking.document_evidence import known_topics, text_evidence, unsorted
from driftline.intensity.tracking.exact import best_levels
from driftline.intensity.tracking.expectation_propagation import infer_ep
from driftline.intensity.tracking.gaps import gaps_between
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior, LevelStatistics
from driftline.intensity.tracking.information_gain import Suggestions, most_informative
from driftline.intensity.tracking.intensity_interval import TRACKED, HasIntensityInterval
from driftline.intensity.tracking.levels import LevelParameters, ladder, level_em
from driftline.intensity.tracking.methods import METHODS, Options, infer
from driftline.intensity.tracking.online_state import FILTER, IntensityUpdate, advance_filter, begin_filter

MOST_STATES = 4096
MOST_WORK = 4e8
"""Largest number of documents × joint levels for which "auto" selects exact inference."""
LARGE = 200_000_000
"""Minimum number of documents × topics × levels at which "auto" prefers the graphics processor: a quarter of that on
which it was 24 times as fast as sixteen threads (`benchmarks/topics/gpu_models.py`); with fewer, compilation takes up
much of the gain."""
MOST_DEVICE_LEVELS = 32
"""Largest number of levels on a graphics processor."""

SETTLED = 1e-2
"""Convergence threshold of EM: the largest change of a logarithm of a rate or of θ, or of a prior probability."""


class IntensityTracker(HasIntensityInterval, DriftEstimator):
    r"""Infer each document's topic and each topic's intensity jointly, from text and times (IDA-IT).

    Every topic has an intensity that rises and falls on a ladder of levels. The next document belongs to the topic
    whose clock expires first: busy topics often win, after short gaps. A document with ambiguous text therefore more
    likely belongs to a bursting topic, and an uncertain document counts in part towards each topic's burst. X contains
    the logarithm of p(document | topic), documents × topics, up to a constant per document, from any classifier.

    .. math:: p(\Delta_t, w_t \mid l_t) = e^{-\Lambda\Delta_t} \sum_k \lambda(l_{tk})\, p(w_t \mid k),
              \qquad \Lambda = \sum_k \lambda(l_{tk})

    Parameters
    ----------
    levels : rates, in documents per unit of time (a day for dates); "auto" for a geometric ladder from the data;
        "learn" to fit the rates to the data from there, by EM.
    n_levels : the number of levels, unless they are given.
    transition : the probability θ that a topic's level changes between two documents; "learn" for EM.
    level_prior : the distribution of the first levels: "uniform", or "learn".
    inference : "exact" over all joint levels (few topics); "ep", expectation propagation (many topics; nearly exact if
    the text is informative); "structured" (variational), "gibbs", "particle", "mean-field" for comparison;
        "auto" is exact if it is affordable on the processor, otherwise ep.
    continuous : let levels change with time (θ per mean gap) rather than per document.
    time : "gap"; "operational" divides gaps by their local mean, for collections with gaps; "index" ignores the clock.
    clip_gaps : bounds on the gaps, in mean gaps, or None.
    interval : the probability of the interval from `intensity_lower_` to `intensity_upper_`.
    decode : also find the most probable joint path of levels, `level_path_` (with exact inference only).
    lag : `update` returns the smoothed result for the document this many places back.
    n_samples, n_particles : for "gibbs" and "particle".
    tolerance, max_sweeps : for "ep", "structured" and "mean-field"; `max_rounds` bounds EM.
    engine : "threads", or "gpu" for "ep" on a graphics processor, with at most 32 levels; "auto" is "gpu" if there is
        one and the problem is large.

    Attributes
    ----------
    topic_proba_ : p(topic | whole stream), documents × topics, in the order of X; `labels_` its best column.
    intensity_, intensity_lower_, intensity_upper_ : mean and quantiles of the topics' rates at each document.
    level_ : the median level (an index into `levels_`); `usual_level_` is the median level of each topic over time.
    bursts_ : Arrow table of bursts, in order of weight: topic, start, end, level (steps above the topic's usual one),
        weight, rate, n_documents, probability, parent.
    levels_, transition_, level_prior_ : as given or learned.
    log_evidence_ : log-likelihood of the stream, up to X's constants: exact; one document ahead for "ep"; a bound for
        "structured"; an estimate for "particle"; None for the others.
    inference_, n_sweeps_ : the method used, and its number of sweeps.

    >>> text = np.log([[0.9, 0.1], [0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.9, 0.1], [0.1, 0.9], [0.2, 0.8], [0.1, 0.9]])
    >>> tracker = IntensityTracker(levels=[0.05, 0.2, 0.8]).fit(text, times=[0, 1, 2, 3, 4, 30, 31, 32])
    >>> tracker.labels_  # the fourth document's text is ambiguous, but the first topic is busy
    array([0, 0, 0, 0, 0, 1, 1, 1])
    >>> update = tracker.update(np.log([0.5, 0.5]), time=33)
    >>> update.topic_proba.round(2)
    array([0.44, 0.56])
    """

    _state_layout: ClassVar[Layout | None] = {
        "n_features_in_": Number("topics", least=1),
        "feature_names_in_": Optional(Array("topics", kind="any")),
        **{name: Optional(held) for name, held in {**TIME_AXIS, **TRACKED}.items() if name != "levels_"},
        "levels_": Array("levels", least=0),
        "inference_": Optional(Text()),
        "_filter_": FILTER,
        "usual_level_": Optional(Array("topics", kind="i", below="levels")),
        "level_path_": Optional(Array("documents", "topics", kind="i", below="levels")),
        "transition_": Number(least=0),
        "level_prior_": Array("levels", least=0),
        "log_evidence_": Optional(Number(finite=False)),
        "n_sweeps_": Optional(Number(least=0, whole=True)),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "levels": [StrOptions({"auto", "learn"}), "array-like"],
        "n_levels": [Interval(Integral, 1, 255, closed="both")],
        "transition": [Interval(Real, 0, 1, closed="right"), StrOptions({"learn"})],
        "level_prior": [StrOptions({"uniform", "learn"})],
        "inference": [StrOptions({"auto", *METHODS})],
        "continuous": ["boolean"],
        "time": [StrOptions({"gap", "operational", "index"})],
        "clip_gaps": [tuple, list, None],
        "interval": [Interval(Real, 0, 1, closed="neither")],
        "decode": ["boolean"],
        "lag": [Interval(Integral, 0, None, closed="left")],
        "n_samples": [Interval(Integral, 1, None, closed="left")],
        "n_particles": [Interval(Integral, 2, None, closed="left")],
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "max_sweeps": [Interval(Integral, 1, None, closed="left")],
        "max_rounds": [Interval(Integral, 1, None, closed="left")],
        "engine": [StrOptions({*NEAR_ENGINES, "auto"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        levels: npt.ArrayLike = "auto",
        n_levels: int = 8,
        transition: float | str = 0.1,
        level_prior: str = "uniform",
        inference: str = "auto",
        continuous: bool = False,
        time: str = "gap",
        clip_gaps: tuple[float, float] | None = None,
        interval: float = 0.9,
        decode: bool = False,
        lag: int = 10,
        n_samples: int = 200,
        n_particles: int = 1000,
        tolerance: float = 1e-3,
        max_sweeps: int = 50,
        max_rounds: int = 20,
        engine: str = "threads",
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.levels = levels
        self.n_levels = n_levels
        self.transition = transition
        self.level_prior = level_prior
        self.inference = inference
        self.continuous = continuous
        self.time = time
        self.clip_gaps = clip_gaps
        self.interval = interval
        self.decode = decode
        self.lag = lag
        self.n_samples = n_samples
        self.n_particles = n_particles
        self.tolerance = tolerance
        self.max_sweeps = max_sweeps
        self.max_rounds = max_rounds
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: None = None, *, times: Times = None, labels: Labels | None = None) -> IntensityTracker:
        """Track the topics of a stream. X is log p(document | topic); `labels` are known topics (columns), or -1.

        Documents need not be in time order; results are in the order of X.
        """
        model, moments, order, mean_gap = self._prepare(X, times, labels, reset=True)
        rng = generator(self.random_state)
        self.inference_ = self._method(model)
        if self.decode and self.inference_ != "exact":
            raise InvalidInput(f"decode=True needs exact inference, not {self.inference_}; set inference='exact'")
        model = self._learn(model, rng)
        self._filter_ = begin_filter(model, mean_gap, float(moments[-1]), self.lag)
        posterior = self._infer(model, self.inference_, rng, over=True)
        if self.decode:
            self.level_path_ = unsorted(best_levels(model), order)
        tail = (1 - self.interval) / 2
        self.bursts_ = topic_bursts(
            posterior, moments, model.gaps * mean_gap, model.rates / mean_gap, self._time_axis, tail=tail
        )
        self.usual_level_ = np.array([usual_level(posterior.middle[:, k], model.gaps) for k in range(model.shape[1])])
        self.levels_ = model.rates / mean_gap
        self.transition_, self.level_prior_ = float(model.theta), model.prior
        self.log_evidence_, self.n_sweeps_ = posterior.log_evidence, posterior.n_sweeps
        self.topic_proba_ = unsorted(posterior.topic_proba, order)
        self.labels_ = self.topic_proba_.argmax(axis=1)
        intensity = posterior.intensity
        intensity /= intensity.dtype.type(mean_gap)
        self.intensity_ = unsorted(intensity, order)
        self.level_ = unsorted(posterior.middle, order)
        self._lower_ = unsorted(posterior.lower, order)
        self._upper_ = unsorted(posterior.upper, order)
        return self

    def update(self, log_likelihood: npt.ArrayLike, time: Moment, label: int | None = -1) -> IntensityUpdate:
        """Process one more document: return its topics now, and the smoothed result `lag` documents back.

        Continues where `fit` ended; if levels and transition were given as numbers it may also start a stream. The time
        is of the same kind as in `fit`; a late document counts as arriving now. -1 or None: no label.
        """
        row = np.asarray(log_likelihood, dtype=np.float64).reshape(-1)
        if not hasattr(self, "_filter_"):
            self._begin(len(row), time)
        if len(row) != self.n_features_in_:
            raise InvalidInput(f"the document has {len(row)} topics, the stream {self.n_features_in_}; pass one each")
        plain = self.time_axis_kind_ == "number" and isinstance(time, float) and abs(time) < 1e90
        moment = time if plain else float(self._time_axis.values([time])[0])
        known = -1 if label is None or label == -1 else int(known_topics([label], 1, len(row))[0])
        if known >= 0:
            row = np.where(np.arange(len(row)) == known, 0.0, -np.inf)
        found = advance_filter(self._filter_, row, moment, self.time, self.clip_gaps)  # type: ignore[arg-type]
        if found is None:
            text_evidence(row[None], np.array([-1]))  # raises an error with the reason
            raise InvalidInput("the document is impossible under every topic")
        return found

    def suggest(
        self,
        X: Matrix,
        n: int = 10,
        *,
        times: Times = None,
        labels: Labels | None = None,
        window: int = 30,
        n_candidates: int = 50,
    ) -> Suggestions:
        """Return the documents whose labels are most informative, with the expected information gain (in nats).

        Of the `n_candidates` most uncertain documents, each is tried with every topic it may have, and the remaining
        uncertainty around it (`window` documents on either side) is compared with the current one.
        """
        check_is_fitted(self)
        model, _, order, mean_gap = self._prepare(X, times, labels, reset=False)
        model = model._replace(
            rates=self.levels_ * mean_gap, theta=self.transition_, prior=self.level_prior_, timed=self.continuous
        )
        known = known_topics(labels, *model.text.shape)[order]
        rng = generator(self.random_state)
        method = self._method(model)
        topic_proba = self._infer(model, method, rng).topic_proba
        found = most_informative(
            model,
            lambda part: self._infer(part, self._method(part), rng),
            topic_proba,
            known,
            n=n,
            window=window,
            n_candidates=n_candidates,
        )
        return Suggestions(order[found.documents], found.gains)

    def _prepare(
        self, X: Matrix, times: Times, labels: Labels | None, *, reset: bool
    ) -> tuple[IntensityModel, Floats, Ints, float]:
        """Return the model with its starting parameters, sorted times, the order of sorting, and the mean gap."""
        X = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_all_finite=False, reset=reset, ensure_min_samples=1
        )
        moments = self._check_times(times, len(X), reset=reset)
        text = text_evidence(X, known_topics(labels, *X.shape))
        order = np.argsort(moments, kind="stable")
        if (order[1:] < order[:-1]).any():
            text, moments = text[order], moments[order]
        gaps, mean_gap = gaps_between(moments, self.time, self.clip_gaps)  # type: ignore[arg-type]
        rates = self._rates(text, gaps, mean_gap)
        theta = 0.1 if isinstance(self.transition, str) else float(self.transition)
        prior = np.full(len(rates), 1 / len(rates))
        return IntensityModel(text, gaps, rates, theta, prior, self.continuous), moments, order, mean_gap

    def _rates(self, text: Floats, gaps: Floats, mean_gap: float) -> Floats:
        if isinstance(self.levels, str):
            return ladder(text, gaps, self.n_levels)
        rates = np.asarray(self.levels, dtype=np.float64)
        if rates.ndim != 1 or not len(rates) or not (rates > 0).all() or not np.isfinite(rates).all():
            raise InvalidInput(f"levels must be positive rates, such as [0.1, 0.5, 2.0], not {self.levels!r}")
        if len(rates) > 255:
            raise InvalidInput(f"there are {len(rates)} levels; the maximum is 255, and 8 are usually enough")
        return np.sort(rates) * mean_gap

    def _method(self, model: IntensityModel) -> str:
        every_method = traits_of(self.engine).every_method
        if not every_method and self.inference not in ("auto", "ep"):
            raise InvalidInput(
                f"engine={self.engine!r} supports only inference='ep', not {self.inference!r}; use engine='threads'"
            )
        if not every_method:
            return "ep"
        if self.inference != "auto":
            return self.inference
        n, n_topics, n_levels = model.shape
        states = float(n_levels) ** n_topics
        return "exact" if states <= MOST_STATES and n * states <= MOST_WORK else "ep"

    def _engine(self, model: IntensityModel, method: str) -> str:
        """Return the engine for a method; the choice of "auto" depends on documents × topics × levels."""
        if self.engine != "auto":
            return self.engine
        possible = method == "ep" and model.shape[2] <= MOST_DEVICE_LEVELS
        return choose_engine(self.engine, float(np.prod(model.shape)), possible=possible, large=LARGE).name

    def _infer(
        self, model: IntensityModel, method: str, rng: np.random.Generator, *, count: bool = False, over: bool = False
    ) -> IntensityPosterior:
        options = Options(
            tail=(1 - self.interval) / 2,
            count=count,
            overwrite=over,
            tolerance=self.tolerance,
            max_sweeps=self.max_sweeps,
            n_samples=self.n_samples,
            n_particles=self.n_particles,
            n_jobs=self.n_jobs,
            verbose=bool(self.verbose),
            engine=self._engine(model, method),
        )
        return infer(method, model, options, rng)

    def _learn(self, model: IntensityModel, rng: np.random.Generator) -> IntensityModel:
        """Alternate inference and the optimal parameters for its counts until convergence."""
        wishes = {"transition": self.transition, "prior": self.level_prior, "levels": self.levels}
        names = frozenset(name for name, value in wishes.items() if isinstance(value, str) and value == "learn")
        if "transition" in names and self.continuous:
            model = self._most_probable_transition(model)
            names -= {"transition"}
        if not names:
            return model

        def expect(
            parameters: LevelParameters, model: IntensityModel, rng: np.random.Generator
        ) -> tuple[LevelStatistics | None, float]:
            found = self._infer(parameters.of(model), self.inference_, rng, count=True)
            return found.statistics, np.nan if found.log_evidence is None else found.log_evidence

        stop = Stop(self.max_rounds, LittleMoved(SETTLED))
        learned = run(level_em(expect, names), model, stop=stop, rng=rng, progress="EM", verbose=self.verbose).result
        return learned.of(model)

    def _most_probable_transition(self, model: IntensityModel) -> IntensityModel:
        """Select θ by the filter's likelihood: with transitions in continuous time EM has no closed form."""

        def cost(log_theta: float) -> float:
            tried = model._replace(theta=float(np.exp(log_theta)))
            found = infer_ep(tried, max_sweeps=1, engine=self._engine(tried, "ep"), n_jobs=self.n_jobs)
            return -(found.log_evidence or 0.0)

        best = minimize_scalar(cost, bounds=(np.log(1e-4), 0.0), method="bounded", options={"xatol": 0.05})
        return model._replace(theta=float(np.exp(best.x)))

    def _begin(self, n_topics: int, time: Moment) -> None:
        """Start a stream without `fit`: possible if the parameters are given."""
        if isinstance(self.levels, str) or isinstance(self.transition, str) or self.time == "operational":
            check_is_fitted(self, "_filter_")
        self._validate_params()
        self.n_features_in_ = n_topics
        self._check_times([time], 1, reset=True)
        rates = self._rates(np.ones((1, n_topics)), np.zeros(1), 1.0)
        prior = np.full(len(rates), 1 / len(rates))
        model = IntensityModel(
            np.empty((0, n_topics)), np.empty(0), rates, float(self.transition), prior, self.continuous
        )
        self._filter_ = begin_filter(model, 1.0, None, self.lag)
        self.levels_, self.transition_, self.level_prior_ = rates, float(self.transition), prior
