r"""Probabilistic latent semantic analysis: documents are mixtures of topics, without priors."""

from __future__ import annotations

import numbers
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number
from driftline.base.topic_model import AdmixtureModel
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, DeviceArray, Floats, Labels, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.engines.choose import ENGINES, choose_engine, engine_of, traits_of
from driftline.engines.contract import Engine
from driftline.guidance.guide import Guide
from driftline.guidance.heeded import Evidence
from driftline.guidance.wishes import KeepWish
from driftline.inference.em import EM
from driftline.inference.guide_arrays import Bounds, GuideArrays
from driftline.inference.guided_em import EmWishes, guided_start
from driftline.inference.own_priors import given_counts, rows_of_priors
from driftline.inference.pairs import Pairs, document_lengths
from driftline.inference.projection import OUTSIDE, Multipliers, distance_of, next_multipliers, worth_of
from driftline.inference.run import run
from driftline.inference.stopping import Both, LittleMoved, Rule, SmallChange, SmallRise, Stop
from driftline.text.vocabulary import WordList
from driftline.topics.em_topics import EM_PARAMETERS
from driftline.topics.fitting import PARTS, partition
from driftline.topics.guided import GUIDED, GuidedModel
from driftline.topics.guided_learning import LINK_ROUNDS, guided_priors, summed_priors

LEAST_PRIOR = 1e-6
"""Prior of a topic that neither labels nor links give to a document."""
TINY = 1e-300
"""Smallest share whose logarithm is taken."""
LARGE = 80_000_000
"""Minimum number of pairs × topics for which "auto" prefers the graphics processor (`benchmarks/topics/gpu.py`)."""


class PLSA(GuidedModel, AdmixtureModel):
    r"""Find topics by maximum likelihood.

    :math:`p(w|d) = \sum_k \theta_{dk}\,\phi_{kw}`, fitted by EM (Hofmann). Tempered EM raises the posterior of the
    topics to a power below one, which is decreased as long as that improves the prediction of held-out documents.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    max_steps : int
        Maximum number of EM steps (at each temperature).
    tolerance : float
        Stop when the likelihood increases by less than this share.
    temperature : float or "held-out"
        The power. ``"held-out"`` starts at one and decreases it while the prediction of a tenth of the documents,
        folded in, improves.
    smoothing : float
        Added to the count of every word in every topic, so that no word is impossible.
    engine : {"threads", "dask", "gpu", "auto"}
        Where the E step runs. The result of threads and of Dask workers is the same; a graphics processor (``"gpu"``)
        works in single precision, and is also used for `transform` and the scores. ``"auto"`` uses it if there is one
        and the problem is large.
    n_partitions : int, optional
        Number of parts of the documents.
    n_jobs : int, optional
        Number of threads.
    guide : Guide, optional
        Wishes about topics, words and documents.
    vocabulary, random_state, verbose
        The words of the columns; the seed; whether to show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_words)
        φ; rows sum to one.
    objective_ : ndarray
        The log-likelihood before every step.
    temperature_ : float
        The power in use.
    topic_names_, guide_report_ : list of str, Results
        With a guide: the names of the topics (their numbers where they have none), and the outcome of every wish.

    Examples
    --------
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)
    >>> model = PLSA(n_topics=2, random_state=0).fit(X)
    >>> sorted(sorted(words) for words in model.top_words(2))
    [[0, 1], [2, 3]]
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "doc_topic_prior_": Array("topics", least=0),
        "temperature_": Number(least=0),
        "components_": Array("topics", "words", least=0),
        "objective_": Array(None, finite=False),
        "n_steps_": Number(least=0, whole=True),
        **GUIDED,
    }

    _parameter_constraints: ClassVar[Constraints] = {
        **EM_PARAMETERS,
        "temperature": [StrOptions({"held-out"}), Interval(numbers.Real, 0, 1, closed="right")],
        "engine": [StrOptions(set(ENGINES))],
        "n_partitions": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "guide": [None, Guide],
    }

    def __init__(
        self,
        n_topics: int = 20,
        max_steps: int = 100,
        tolerance: float = 1e-5,
        temperature: float | str = 1.0,
        smoothing: float = 1e-3,
        engine: str = "threads",
        n_partitions: int | None = None,
        n_jobs: int | None = None,
        guide: Guide | None = None,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.n_topics = n_topics
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.temperature = temperature
        self.smoothing = smoothing
        self.engine = engine
        self.n_partitions = n_partitions
        self.n_jobs = n_jobs
        self.guide = guide
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None, *, document_prior: npt.ArrayLike | None = None) -> PLSA:
        r"""Learn from documents × words counts; `y` is ignored.

        `document_prior` contains the rows α_d of documents × topics, dense or sparse, as counts that are added to the
        document's own: :math:`\theta_{dk} \propto n_{dk} + \alpha_{dk}`. A row of zeros adds nothing.
        """
        return self._fit(self._check_counts(X, reset=True), document_prior, None)

    def refit(
        self,
        X: Matrix,
        y: Labels | None = None,
        *,
        guide: Guide | None = None,
        document_prior: npt.ArrayLike | None = None,
    ) -> PLSA:
        """Continue from the current topics with another guide, as `LDA.refit` does; `y` is ignored."""
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        sizes = np.asarray(X.sum(axis=1)).ravel() @ np.asarray(self.transform(X))
        return self._fit(X, document_prior, self._present_topics(guide, sizes))

    def _fit(self, X: Counts, document_prior: npt.ArrayLike | None, present: KeepWish | None) -> PLSA:
        rng = generator(self.random_state)
        own = None if document_prior is None else given_counts(document_prior, X.shape[0], self.n_topics)
        self.doc_topic_prior_ = np.zeros(self.n_topics)
        start = rng.dirichlet(np.ones(X.shape[1]), self.n_topics).T
        start = 0.5 * start + 0.5 / X.shape[1]
        arrays = self._compiled(X, present)
        if arrays is None:
            self._fit_from(X, start, own, rng)
        else:
            self._fit_guided(X, guided_start(start, X, arrays), own, rng, arrays)
        return self

    def _fit_guided(
        self, X: Counts, start: Floats, own: Pairs | None, rng: np.random.Generator, arrays: GuideArrays
    ) -> None:
        """Fit with labels, then in rounds with links; report the outcome of the wishes."""
        wishes, bounds = EmWishes.of(arrays, X.shape[1], self.n_topics), arrays.bounds
        labels = summed_priors(own, arrays.documents.additions, self.n_topics)
        multipliers = self._fit_from(X, start, labels, rng, wishes, bounds)
        links = arrays.documents.links
        for _ in range(0 if links is None else LINK_ROUNDS):
            passed_on = None if links is None else sp.csr_array(links @ np.asarray(self.transform(X)))
            linked = summed_priors(labels, passed_on, self.n_topics)
            multipliers = self._learn(X, self.components_.T, linked, wishes, bounds)
        shares, lengths = np.asarray(self.transform(X)), np.asarray(X.sum(axis=1)).ravel()
        counts = wishes.counts_of(self.components_.T, lengths @ shares)
        priors, guided = guided_priors(arrays.documents, shares), shares
        if priors is not None:
            guided = np.asarray(self.transform(X, document_prior=priors.toarray() + LEAST_PRIOR))
        evidence = Evidence(counts, self.components_, shares, guided, lengths)
        self._report_wishes(arrays, evidence.with_bounds(multipliers))

    def _fit_from(
        self,
        X: Counts,
        start: Floats,
        own: Pairs | None,
        rng: np.random.Generator,
        wishes: EmWishes | None = None,
        bounds: Bounds | None = None,
    ) -> Multipliers | None:
        if self.temperature != "held-out":
            self.temperature_ = float(self.temperature)
            return self._learn(X, start, own, wishes, bounds)
        if bounds is not None:
            raise InvalidInput("proportions of topics need a fixed temperature; held-out documents have none")
        self._fit_tempered(X, start, rng, own, wishes)
        return None

    def _fit_tempered(
        self,
        X: Counts,
        start: Floats,
        rng: np.random.Generator,
        own: Pairs | None,
        wishes: EmWishes | None,
    ) -> None:
        """Decrease the power while held-out documents are predicted better, then fit to all with the best power."""
        held_out = np.zeros(X.shape[0], dtype=np.bool_)
        held_out[rng.permutation(X.shape[0])[: X.shape[0] // 10]] = True
        best, temperature = -np.inf, 1.0
        self.temperature_ = 1.0
        while held_out.any():
            self.temperature_ = temperature
            self._learn(X[~held_out], start, None if own is None else own.take(np.flatnonzero(~held_out)), wishes)
            score = self.score(X[held_out])
            if score <= best:
                break
            best, best_temperature = score, temperature
            temperature *= 0.95
        if held_out.any():
            self.temperature_ = best_temperature
        self._learn(X, start, own, wishes)

    def _learn(
        self,
        X: Matrix,
        start: Floats,
        own: Pairs | None,
        wishes: EmWishes | None = None,
        bounds: Bounds | None = None,
    ) -> Multipliers | None:
        pairs = Pairs.of(sp.csr_matrix(X))
        work = float(len(pairs.words)) * self.n_topics
        plain = own is None and wishes is None
        name = choose_engine(self.engine, work, large=LARGE, possible=plain).name
        traits = traits_of(name)
        if not (traits.every_method or plain):
            raise InvalidInput(f"engine={name!r} takes neither a guide nor priors of documents; use engine='threads'")
        if bounds is not None and not traits.one_memory:
            raise InvalidInput("proportions of topics need all documents in one place; use engine='threads'")
        with engine_of(name, self.n_jobs) as engine:
            parts = partition(pairs, self.n_partitions or PARTS)
            n_tokens = float(pairs.counts.sum(dtype=np.float64))
            problem = _Parts(
                tuple(engine.keep(parts)),
                tuple(part.n_documents for part in parts),
                start,
                self.temperature_,
                self.smoothing,
                n_tokens,
                engine,
                (None,) * len(parts) if own is None else tuple(engine.keep(partition(own, len(parts)))),
                wishes,
                bounds,
                document_lengths(pairs),
                None if own is None or bounds is None else rows_of_priors(own, self.n_topics),
            )
            rule: Rule = SmallRise(self.tolerance)
            if bounds is not None:  # the objective may decrease until the bounds hold
                rule = Both(SmallChange(self.tolerance), LittleMoved(OUTSIDE))
            stop = Stop(self.max_steps, rule)
            done = run(METHOD, problem, stop=stop, progress="EM", verbose=self.verbose)
            phi = current_kernels().plsa.topics_of(done.result.phi, self.n_topics)
        self.components_ = np.ascontiguousarray(phi.T)
        self.objective_, self.n_steps_ = done.objective[0], int(done.n_steps[0])
        return done.result.multipliers


def expectation(
    theta: DeviceArray,
    part: Pairs,
    phi: DeviceArray,
    temperature: float,
    n_tokens: float,
    own: Pairs | None = None,
    tilt: Floats | None = None,
) -> tuple[DeviceArray, DeviceArray]:
    """Do the E step for a part of the documents; return their new shares and the sums.

    With priors of their own, the shares are those of the words and the prior's counts together, and the objective is
    the log posterior. `tilt` multiplies the weights of topics by e^−λ for every document.
    """
    seen = theta if tilt is None else theta * tilt
    shares, sums = current_kernels().plsa.expect(seen, *part, phi, temperature, n_tokens)
    if own is None:
        return shares, sums
    rows, lengths = np.repeat(np.arange(len(theta)), np.diff(own.indptr)), document_lengths(part)[:, None]
    counts = shares * lengths
    counts[rows, own.words] += own.counts
    totals = counts.sum(axis=1, keepdims=True)
    log_prior = float((own.counts * np.log(np.maximum(theta[rows, own.words], TINY))).sum())
    shares = np.divide(counts, totals, out=shares, where=totals > 0)
    return shares, sums._replace(likelihood=sums.likelihood + log_prior)


def begin(n_documents: int, n_topics: int) -> tuple[DeviceArray, None]:
    """Return equal shares for every document of a part."""
    return current_kernels().plsa.begin_documents(n_documents, n_topics), None


class _Parts(NamedTuple):
    """Handles of the parts of the documents and of their own priors (None without), the start, and the settings."""

    parts: tuple[DeviceArray, ...]
    sizes: tuple[int, ...]
    start: Floats
    temperature: float
    smoothing: float
    n_tokens: float
    engine: Engine
    own: tuple[DeviceArray | None, ...]
    wishes: EmWishes | None = None
    bounds: Bounds | None = None
    lengths: Floats | None = None
    added: sp.csr_array | None = None


class _Topics(NamedTuple):
    """The parameters: φ, words × topics, handles of the shares of each part's documents, and multipliers of bounds."""

    phi: DeviceArray
    shares: tuple[DeviceArray, ...]
    multipliers: Multipliers | None = None


def _begin(problem: _Parts, rng: np.random.Generator) -> _Topics:
    n_topics = problem.start.shape[1]
    shares, _ = problem.engine.advance(begin, [(size, n_topics) for size in problem.sizes])
    multipliers = None if problem.bounds is None else Multipliers.none(problem.bounds)
    return _Topics(current_kernels().plsa.begin_topics(problem.start), tuple(shares), multipliers)


def _expect(
    topics: _Topics, problem: _Parts, rng: np.random.Generator
) -> tuple[tuple[tuple[DeviceArray, ...], DeviceArray], float]:
    phi = problem.engine.share(topics.phi)
    tilts: list[Floats | None] = [None] * len(problem.parts)
    if topics.multipliers is not None and problem.bounds is not None:
        rows = np.exp(-problem.bounds.by_group(topics.multipliers.values))[problem.bounds.groups]
        tilts = list(np.split(rows, np.cumsum(problem.sizes)[:-1]))
    tasks = [
        (shares, part, phi, problem.temperature, problem.n_tokens, own, tilt)
        for shares, part, own, tilt in zip(topics.shares, problem.parts, problem.own, tilts)
    ]
    shares, (sums,) = problem.engine.advance(expectation, tasks, fold=current_kernels().plsa.added)
    objective = current_kernels().plsa.likelihood_of(sums)
    if problem.wishes is not None:
        objective += problem.wishes.log_prior(topics.phi)
    if topics.multipliers is not None and problem.bounds is not None and problem.lengths is not None:
        objective += worth_of(topics.multipliers.values, problem.bounds, problem.lengths)
    return (tuple(shares), sums), objective


def _maximise(statistics: tuple[tuple[DeviceArray, ...], DeviceArray], before: _Topics, problem: _Parts) -> _Topics:
    shares, sums = statistics
    if problem.wishes is None:
        return _Topics(current_kernels().plsa.word_shares(sums, problem.start.shape[1], problem.smoothing), shares)
    multipliers = before.multipliers
    if multipliers is not None and problem.bounds is not None and problem.lengths is not None:
        counts = np.concatenate(shares) * problem.lengths[:, None]
        if problem.added is not None:  # counts of the words alone
            added = problem.added.toarray()
            counts += np.concatenate(shares) * added.sum(axis=1, keepdims=True) - added
        multipliers = next_multipliers(counts, multipliers, problem.bounds, problem.lengths)
    return _Topics(problem.wishes.word_shares(sums.words, problem.smoothing), shares, multipliers)


METHOD = EM(_begin, _expect, _maximise, lambda _, topics: distance_of(topics.multipliers))
"""EM over parts of the documents, each of which keeps its documents' shares."""
