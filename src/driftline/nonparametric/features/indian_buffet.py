r"""A latent feature model of rows of numbers, whose number of features is inferred."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesRows
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number
from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Labels, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator, spawn
from driftline.engines.threads import Threads
from driftline.inference.sampled_number import SampledNumber
from driftline.nonparametric.features.feature_gibbs import Rows, effects_given
from driftline.nonparametric.features.shed_features import run_chain

TRANSFORM_SEED = 0
"""Seed of the sweeps of `transform`, the same for every row, so that a row's result does not depend on others."""


class IndianBuffet(TakesRows, ClassNamePrefixFeaturesOutMixin, TransformerMixin, DriftEstimator):
    r"""Find binary features of rows of numbers: every row is the sum of the effects of its features and noise.

    .. math:: Z \sim \mathrm{IBP}(\alpha), \quad A_{kd} \sim \mathcal{N}(0, \sigma_A^2), \quad
              X_{id} \sim \mathcal{N}((Z A)_{id}, \sigma_X^2)                                                       (1)

    Unlike a cluster, a feature can be combined with any others; unlike a component, it is either present in a row or
    not. The model suits dense rows of moderate width, such as embeddings of documents, or their projections by SVD.
    Features are drawn by Gibbs sampling, with effects integrated out.

    Parameters
    ----------
    mass, noise, effect : float or "learned"
        α, :math:`\sigma_X^2` and :math:`\sigma_A^2`; learned, α has a Gamma(1, 1) prior, and the variances have inverse
        gamma priors whose mean is the mean square of all numbers.
    burn_in, n_samples : int
        Sweeps before the first sample, and the number of samples.
    n_chains : int
        Independent chains; the features are those of the sample with the highest joint probability.
    shed : bool
        During the burn-in, remove features whose removal increases the joint probability; otherwise there are too many.
    transform_sweeps : int
        Sweeps over which `transform` averages, after as many that are discarded.
    n_jobs, random_state, verbose : number of threads, which does not affect the result; the seed; show progress.

    Attributes
    ----------
    features_ : ndarray of shape (n_rows, n_features), which features every row has, the most frequent first.
    components_ : ndarray of shape (n_features, n_columns), the expected effect of every feature.
    n_latent_features_ : SampledNumber
        Median and 95 % interval of the number of features, over samples and chains.
    mass_, noise_, effect_ : float, α and the variances of the kept sample.
    trace_ : ndarray of shape (n_chains, n_sweeps), the log joint probability after every sweep.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> Z = rng.integers(0, 2, (60, 2))
    >>> X = Z @ [[3.0, 0, 3, 0], [0, 2, 2, 2]] + 0.3 * rng.standard_normal((60, 4))
    >>> model = IndianBuffet(burn_in=30, n_samples=20, n_chains=2, random_state=0).fit(X)
    >>> model.n_latent_features_
    SampledNumber(median=2, low=2, high=2)
    >>> model.components_.round().astype(int)
    array([[3, 0, 3, 0], [0, 2, 2, 2]])
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "features_": Array("rows", "features", kind="i8", least=0, most=1),
        "components_": Array("features", "words", kind="f8"),
        "_covariance_": Array("features", "features", kind="f8"),
        "n_features_samples_": Array(None, None, kind="i", least=0),
        "mass_": Number(least=0),
        "noise_": Number(least=0),
        "effect_": Number(least=0),
        "trace_": Array(None, None, finite=False),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "mass": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "noise": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "effect": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "burn_in": [Interval(numbers.Integral, 0, None, closed="left")],
        "n_samples": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_chains": [Interval(numbers.Integral, 1, None, closed="left")],
        "shed": ["boolean"],
        "transform_sweeps": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_jobs": [None, numbers.Integral],
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        mass: float | str = "learned",
        noise: float | str = "learned",
        effect: float | str = "learned",
        burn_in: int = 100,
        n_samples: int = 100,
        n_chains: int = 4,
        shed: bool = True,
        transform_sweeps: int = 50,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.mass = mass
        self.noise = noise
        self.effect = effect
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.n_chains = n_chains
        self.shed = shed
        self.transform_sweeps = transform_sweeps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None) -> IndianBuffet:
        """Find the features of rows; `y` is ignored."""
        values = self._check_rows(X, reset=True).toarray()
        scale = float((values**2).mean())
        given = [0.0 if value == "learned" else float(value) for value in (self.mass, self.noise, self.effect)]
        problem = Rows(values, scale if scale > 0 else 1.0, *given)
        settings = (self.burn_in, self.n_samples, self.shed, self.verbose)
        with Threads(self.n_jobs) as engine:
            rngs = spawn(generator(self.random_state), self.n_chains)
            chains = engine.map(run_chain, [(problem, rng, *settings) for rng in rngs])
        best = max(chains, key=lambda chain: chain.objective).sample
        best = best._replace(Z=np.ascontiguousarray(best.Z[:, np.argsort(-best.Z.sum(axis=0), kind="stable")]))
        self.features_, self.mass_, self.noise_, self.effect_ = best
        self._covariance_, self.components_ = effects_given(best, problem)
        self.n_features_samples_ = np.array([chain.n_features for chain in chains])
        self.trace_ = np.array([chain.trace for chain in chains])
        return self

    @property
    def n_latent_features_(self) -> SampledNumber:
        """The number of features over samples and chains."""
        check_is_fitted(self)
        return SampledNumber.of(self.n_features_samples_)

    def transform(self, X: Matrix) -> Floats:
        """Return the probability of every feature in each row, given the rows of the fit; new features are ignored."""
        check_is_fitted(self)
        values = self._check_rows(X, reset=False).toarray()
        found = np.zeros((len(values), self._n_features_out))
        current_kernels().latent_features.expect_features(
            values,
            self.features_.sum(axis=0),
            len(self.features_) + 1,
            self._covariance_,
            self.components_,
            self.noise_,
            self.transform_sweeps,
            TRANSFORM_SEED,
            found,
        )
        return found

    def inverse_transform(self, X: Matrix) -> Floats:
        """Return the expected rows for features with these probabilities."""
        check_is_fitted(self)
        features = np.asarray(X, dtype=np.float64)
        if features.ndim != 2 or features.shape[1] != self._n_features_out:
            raise InvalidInput(f"X must have {self._n_features_out} columns, one per feature, not {features.shape}")
        return np.asarray(features @ self.components_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
