r"""Hierarchical LDA: topics in a tree of given depth, whose width is inferred."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number, Optional
from driftline.base.topic_model import TopicModel
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Ints, Labels, Matrix
from driftline.core.errors import InvalidInput, ModelFileError, NoWords
from driftline.core.randomness import Seed, generator
from driftline.inference.document_completion import halves
from driftline.inference.sampled_number import SampledNumber
from driftline.nonparametric.trees.nested_chains import FoundTree, run_chains
from driftline.nonparametric.trees.nested_paths import Tokens
from driftline.nonparametric.trees.node_tree import NodeTree
from driftline.nonparametric.whole_counts import check_whole
from driftline.text.vocabulary import WordList

PASSES = 30
"""Number of updates of a document's shares of levels."""
LISTED = 10
"""Number of words of a node in `tree_`."""


class HierarchicalLDA(TopicModel):
    r"""Find a tree of topics: general words at the root, specific ones at the leaves.

    A document chooses a path from the root to a leaf by the nested Chinese restaurant process: from a node, it
    continues to a child that :math:`m_c` documents visited in proportion to :math:`m_c`, and to a new one in proportion
    to γ (1). Its tokens are divided between the levels of the path with shares
    :math:`\theta_d \sim \mathrm{Dir}(\alpha)`; the node at level l has the words :math:`\phi \sim \mathrm{Dir}(\eta_l)`
    (2) (Blei, Griffiths and Jordan, 2010, with Dirichlet shares of a given number of levels). Gibbs sweeps draw paths
    and levels, and keep the sample of highest joint probability.

    Parameters
    ----------
    depth : int, the number of levels, including the root.
    concentration : float or "learned", γ; larger values give more children. Learned, the prior is Gamma(1, 1).
    level_prior : float, α; small values concentrate a document on few levels.
    topic_word_prior : float or sequence of floats, η of all levels, or of each. Small values give more nodes.
    burn_in, n_samples, n_chains : int, number of sweeps before the first sample, of samples (one per sweep), and of
        chains.
    n_jobs : int, optional, number of threads, one per chain; the result does not depend on it.
    vocabulary : sequence of str or Vocabulary, optional, the words of the columns.
    random_state, verbose : the seed; show progress.

    Attributes
    ----------
    tree_ : NodeTree, the nodes, each after its parent; ``print(model.tree_.drawing())``.
    components_ : ndarray of shape (n_nodes, n_words), the expected share of every word in every node.
    paths_ : ndarray of shape (n_documents, depth), the nodes of every document; -1 for empty documents.
    node_parents_, node_levels_, node_sizes_ : ndarrays of shape (n_nodes,), as in `tree_`.
    n_nodes_, n_leaves_ : SampledNumber, medians and 95 % intervals over samples and chains.
    n_nodes_samples_ : ndarray of shape (n_chains · n_samples, depth), the nodes of every level in every sample.
    concentration_, n_empty_ : γ of the kept sample, and the number of empty documents.
    trace_, r_hat_, effective_samples_ : as in `DirichletProcessMixture`.

    Examples
    --------
    >>> words = ["said", "oil", "opec", "wheat", "crop"]
    >>> X = np.repeat([[9, 4, 4, 0, 0], [2, 4, 4, 0, 0], [9, 0, 0, 4, 4], [2, 0, 0, 4, 4]], [12, 12, 8, 8], axis=0)
    >>> model = HierarchicalLDA(depth=2, random_state=0, vocabulary=words).fit(X)
    >>> print(model.tree_.drawing(n_words=2))
    said, oil (40)
    ├─ oil, opec (24)
    └─ wheat, crop (16)
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "_counts_": Array("nodes", "words", kind="f8", least=0),
        "_word_priors_": Array("levels", kind="f8", least=0),
        "node_parents_": Array("nodes", kind="i", least=-1, below="nodes"),
        "node_levels_": Array("nodes", kind="i", below="levels"),
        "node_sizes_": Array("nodes", kind="i", least=1),
        "paths_": Array("documents", "levels", kind="i", least=-1, below="nodes"),
        "n_nodes_samples_": Array(None, "levels", kind="i", least=1),
        "concentration_": Number(least=0),
        "n_empty_": Number(least=0, whole=True),
        "trace_": Array(None, None, finite=False),
        "r_hat_": Optional(Number(least=0)),
        "effective_samples_": Optional(Number(least=0)),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "depth": [Interval(numbers.Integral, 2, None, closed="left")],
        "concentration": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "level_prior": [Interval(numbers.Real, 0, None, closed="neither")],
        "topic_word_prior": [Interval(numbers.Real, 0, None, closed="neither"), "array-like"],
        "burn_in": [Interval(numbers.Integral, 0, None, closed="left")],
        "n_samples": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_chains": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_jobs": [None, numbers.Integral],
        "vocabulary": "no_validation",
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        depth: int = 3,
        concentration: float | str = "learned",
        level_prior: float = 1.0,
        topic_word_prior: object = 0.1,
        burn_in: int = 100,
        n_samples: int = 20,
        n_chains: int = 2,
        n_jobs: int | None = None,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.depth = depth
        self.concentration = concentration
        self.level_prior = level_prior
        self.topic_word_prior = topic_word_prior
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.n_chains = n_chains
        self.n_jobs = n_jobs
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose

    _counts_: Floats

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None) -> HierarchicalLDA:
        """Learn from documents × words counts, which must be integers; `y` is ignored."""
        X = self._check_counts(X, reset=True)
        check_whole(X, "HierarchicalLDA")
        some = np.flatnonzero(np.diff(X.indptr) > 0)
        if not len(some):
            raise NoWords("no document has a word; count other words, or other documents")
        self._word_priors_ = self._checked_priors()
        gamma = 0.0 if self.concentration == "learned" else float(self.concentration)
        problem = Tokens.of(X[some], self.depth, gamma, float(self.level_prior), self._word_priors_)
        lengths = (self.burn_in, self.n_samples, self.n_chains, self.n_jobs, self.verbose)
        found: FoundTree = run_chains(problem, *lengths, generator(self.random_state))
        self.node_parents_, self.node_levels_, self.node_sizes_, self._counts_ = found.nodes
        self.paths_ = np.full((X.shape[0], self.depth), -1, dtype=np.int64)
        self.paths_[some] = found.paths
        self.concentration_, self.n_nodes_samples_, self.trace_ = found.concentration, found.n_nodes, found.trace
        self.r_hat_, self.effective_samples_ = found.r_hat, found.effective_samples
        self.n_empty_ = X.shape[0] - len(some)
        return self

    @property
    def components_(self) -> Floats:  # type: ignore[override]
        """The expected share of every word in every node; rows sum to one."""
        counts = self._counts_ + self._word_priors_[self.node_levels_][:, None]
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    @property
    def tree_(self) -> NodeTree:
        """The tree: a table, and a drawing."""
        check_is_fitted(self)
        tokens = self._counts_.sum(axis=1).astype(np.int64)
        return NodeTree(self.node_parents_, self.node_levels_, self.node_sizes_, tokens, self.top_words(LISTED))

    @property
    def n_nodes_(self) -> SampledNumber:
        """The number of nodes over samples and chains."""
        check_is_fitted(self)
        return SampledNumber.of(self.n_nodes_samples_.sum(axis=1))

    @property
    def n_leaves_(self) -> SampledNumber:
        """The number of leaves over samples and chains."""
        check_is_fitted(self)
        return SampledNumber.of(self.n_nodes_samples_[:, -1])

    def transform(self, X: Matrix) -> Floats:
        """Return the expected share of every node in every document, documents × nodes; rows sum to one."""
        return self._inferred(X)[1]

    def predict(self, X: Matrix) -> Ints:
        """Return the most probable leaf of each document, as the number of its node; -1 for empty documents."""
        counts, _, leaves, _ = self._inferred(X)
        best = np.flatnonzero(self.node_levels_ == self._depth - 1)[np.argmax(leaves, axis=1)]
        return np.where(np.diff(counts.indptr) > 0, best, -1)

    @property
    def _depth(self) -> int:
        return len(self._word_priors_)

    @property
    def _n_features_out(self) -> int:
        return len(self.node_parents_)

    def _completed(self, X: Counts) -> tuple[Floats, Floats]:
        given, asked = halves(X)
        return self._infer(given, asked)[2], np.asarray(asked.sum(axis=1)).ravel()

    def _inferred(self, X: Matrix) -> tuple[Counts, Floats, Floats, Floats]:
        check_is_fitted(self)
        counts = self._check_counts(X, reset=False)
        return counts, *self._infer(counts, counts[:, :0])

    def _infer(self, given: Counts, asked: Counts) -> tuple[Floats, Floats, Floats]:
        """Return shares of nodes, probabilities of leaves, and log-likelihoods of the words in `asked`."""
        paths = self._leaf_paths()
        n, leaves = given.shape[0], paths[:, -1]
        found = (np.empty((n, len(self.node_parents_))), np.empty((n, len(leaves))), np.empty(n))
        rows = [
            part
            for each in (given, asked)
            for part in (each.indptr.astype(np.int64), each.indices.astype(np.int64), each.data.astype(np.float64))
        ]
        prior = np.log(self.node_sizes_[leaves] / self.node_sizes_[0])
        fixed = (self.components_, paths, prior, float(self.level_prior), PASSES)
        current_kernels().nested_topics.infer_paths(*rows, *fixed, *found)
        return found

    def _leaf_paths(self) -> Ints:
        """Return the nodes from the root to every leaf, leaves × levels."""
        found = np.empty((int((self.node_levels_ == self._depth - 1).sum()), self._depth), dtype=np.int64)
        found[:, -1] = np.flatnonzero(self.node_levels_ == self._depth - 1)
        for level in range(self._depth - 1, 0, -1):
            found[:, level - 1] = self.node_parents_[found[:, level]]
        return found

    def _checked_priors(self) -> Floats:
        given = np.atleast_1d(np.asarray(self.topic_word_prior, dtype=np.float64))
        if given.ndim != 1 or len(given) not in (1, self.depth) or not ((given > 0) & np.isfinite(given)).all():
            raise InvalidInput(f"topic_word_prior must be a positive number, or one for each of {self.depth} levels")
        return np.broadcast_to(given, (self.depth,)).copy()

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if not sizes:
            return sizes
        levels, parents = self.node_levels_, self.node_parents_
        inside = levels > 0
        if levels[0] != 0 or inside.sum() != len(levels) - 1 or sizes["levels"] < 2:
            raise ModelFileError("HierarchicalLDA.node_levels_ has no single root; the model is damaged")
        if (parents[inside] < 0).any() or (levels[parents[inside]] != levels[inside] - 1).any():
            raise ModelFileError("HierarchicalLDA.node_parents_ is not a tree; the model is damaged")
        if not (levels == sizes["levels"] - 1).any() or not (self._word_priors_ > 0).all():
            raise ModelFileError("HierarchicalLDA has no leaves, or no priors; the model is damaged")
        return sizes
