"""Parameters of mixtures whose number of clusters is inferred, and the conversion of a matrix to items."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, Interval, StrOptions
from driftline.core.arrays import Bools, Counts, Floats, Matrix
from driftline.core.errors import InvalidInput, NoWords
from driftline.core.randomness import Seed
from driftline.nonparametric.cluster_items import Items
from driftline.nonparametric.cluster_methods import METHODS, SAMPLED
from driftline.nonparametric.gaussian_items import Rows
from driftline.nonparametric.multinomial_items import Documents

POSITIVE = Interval(numbers.Real, 0, None, closed="neither")
AT_LEAST_ONE = Interval(numbers.Integral, 1, None, closed="left")
SAMPLING: Constraints = {
    "concentration": [StrOptions({"learned"}), POSITIVE],
    "word_prior": [StrOptions({"learned"}), POSITIVE],
    "burn_in": [Interval(numbers.Integral, 0, None, closed="left")],
    "n_samples": [AT_LEAST_ONE],
    "n_chains": [AT_LEAST_ONE],
    "n_jobs": [None, numbers.Integral],
    "random_state": "no_validation",
    "verbose": ["verbose"],
}
"""Parameters of every sampled mixture of documents."""


class MixtureParameters(DriftEstimator):
    """The parameters of `driftline.nonparametric.DirichletProcessMixture`, which documents them."""

    _parameter_constraints: ClassVar[Constraints] = {
        **SAMPLING,
        "inference": [StrOptions(set(METHODS))],
        "max_clusters": [AT_LEAST_ONE],
        "max_steps": [AT_LEAST_ONE],
        "tolerance": [Interval(numbers.Real, 0, None, closed="left")],
        "discount": [Interval(numbers.Real, 0, 1, closed="left")],
        "family": [StrOptions({"multinomial", "gaussian"})],
        "within_share": [POSITIVE],
        "n_auxiliary": [AT_LEAST_ONE],
        "penalty": [None, POSITIVE],
    }

    def __init__(
        self,
        concentration: float | str = "learned",
        word_prior: float | str = 0.1,
        burn_in: int = 50,
        n_samples: int = 50,
        n_chains: int = 2,
        inference: str = "gibbs",
        max_clusters: int = 200,
        max_steps: int = 100,
        tolerance: float = 1e-6,
        discount: float = 0.0,
        family: str = "multinomial",
        within_share: float = 0.1,
        n_auxiliary: int = 3,
        penalty: float | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.concentration = concentration
        self.word_prior = word_prior
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.n_chains = n_chains
        self.inference = inference
        self.max_clusters = max_clusters
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.discount = discount
        self.family = family
        self.within_share = within_share
        self.n_auxiliary = n_auxiliary
        self.penalty = penalty
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        """Declare that input is counts, sparse or not, or numbers of any sign."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.family == "multinomial"
        return tags

    def _first_items(self, X: Matrix) -> tuple[Items, Bools]:
        """Return the items to learn from, and which rows they are; documents without words are left out."""
        if self.discount and self.inference not in SAMPLED:
            raise InvalidInput(
                f"inference={self.inference!r} has no discount; use 'gibbs' or 'auxiliary', or discount=0"
            )
        if self.family == "multinomial":
            counts = self._check_counts(X, reset=True)
            some = np.diff(counts.indptr) > 0
            if not some.any():
                raise NoWords("no document has a word; count other words, or other documents")
            return self._items(counts if some.all() else counts[some]), some
        rows = self._check_rows(X, reset=True).toarray()
        variances = rows.var(axis=0)
        self._centre_ = rows.mean(axis=0)
        self._within_ = self.within_share * np.where(variances > 0, variances, 1.0)
        return self._items(rows), np.ones(len(rows), np.bool_)

    def _more_items(self, X: Matrix) -> tuple[Items, Bools]:
        """Return further items, one per row, and which of them are not empty documents."""
        if self.family == "multinomial":
            counts = self._check_counts(X, reset=False)
            return self._items(counts), np.diff(counts.indptr) > 0
        rows = self._check_rows(X, reset=False).toarray()
        return self._items(rows), np.ones(len(rows), np.bool_)

    def _items(self, rows: Counts | Floats) -> Items:
        alpha = 0.0 if self.concentration == "learned" else float(self.concentration)
        if self.family == "multinomial":
            beta = 0.0 if self.word_prior == "learned" else float(self.word_prior)
            return Documents.of(rows, beta, alpha, float(self.discount))
        return Rows.of(rows, self._centre_, self._within_, alpha, float(self.discount))
