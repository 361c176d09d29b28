r"""Contextual probabilistic latent semantic analysis: topics whose words and shares depend on the context."""

from __future__ import annotations

import numbers
from typing import ClassVar

from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import Array, Layout
from driftline.core.arrays import Labels, Matrix
from driftline.core.randomness import Seed
from driftline.text.vocabulary import WordList
from driftline.topics.contexts.collection_model import CollectionModel
from driftline.topics.em_topics import EM_PARAMETERS, EM_STATE


class ContextualTopics(CollectionModel):
    r"""Find topics, the words they have in each context, and their shares in each context.

    A word of a document in context c (a month, a place, a source) is drawn from a topic's view of all documents or of
    the context, and the topic from the shares of the document or of the context (Mei and Zhai 2006):

    .. math:: p(w|d) = \lambda_B\, p_B(w) + (1 - \lambda_B) \sum_k
              \bigl((1 - \kappa_c)\, \theta_{dk} + \kappa_c\, \theta^c_k\bigr)
              \bigl((1 - \rho_c)\, \phi_{kw} + \rho_c\, \phi^c_{kw}\bigr)

    with ρ and κ learned by EM. The model estimates but does not test: `coverage` gives the shares of contexts with
    intervals, and `contrasts` the words in which contexts differ.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    background_weight : float
        λ_B.
    prior : float
        Number of words drawn from the common topic that are added to each context's view of it.
    max_steps, tolerance : int, float
        Maximum number of EM steps, and the relative increase of the objective below which EM stops.
    smoothing : float
        Added to the count of every word in every common topic.
    n_jobs, vocabulary, random_state, verbose
        Number of threads for the scores; the words of the columns; the seed; whether to show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_words)
        φ, the view of all documents.
    own_components_ : ndarray of shape (n_contexts, n_topics, n_words)
        :math:`\phi^c`.
    contexts_ : ndarray of shape (n_contexts,)
        The contexts, in order.
    context_shares_ : ndarray of shape (n_contexts, n_topics)
        :math:`\theta^c`.
    view_, coverage_ : ndarray of shape (n_contexts,)
        ρ and κ.
    document_shares_ : ndarray of shape (n_documents, n_topics)
        θ of the documents of the fit.
    objective_ : ndarray
        The objective before every step.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat([[4, 3, 1, 0], [4, 3, 0, 1], [0, 0, 3, 4]], 20, axis=0)
    >>> model = ContextualTopics(n_topics=2, random_state=0).fit(X, ["may"] * 20 + ["june"] * 20 + ["may"] * 20)
    >>> model.contexts_.tolist(), model.context_shares_.shape
    (['june', 'may'], (2, 2))
    """

    _state_layout: ClassVar[Layout | None] = {
        **EM_STATE,
        "own_components_": Array("contexts", "topics", "words", least=0),
        "contexts_": Array("contexts", kind="any"),
        "context_shares_": Array("contexts", "topics", least=0),
        "view_": Array("contexts", least=0, most=1),
        "coverage_": Array("contexts", least=0, most=1),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        **EM_PARAMETERS,
        "background_weight": [Interval(numbers.Real, 0, 1, closed="left")],
        "prior": [Interval(numbers.Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_topics: int = 20,
        background_weight: float = 0.5,
        prior: float = 100.0,
        max_steps: int = 100,
        tolerance: float = 1e-6,
        smoothing: float = 0.01,
        n_jobs: int | None = None,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(n_topics, max_steps, tolerance, smoothing, n_jobs, vocabulary, random_state, verbose)
        self.background_weight = background_weight
        self.prior = prior

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None) -> ContextualTopics:
        """Learn from documents × words counts; `y` is the context of each document, −1 or None if unknown."""
        found = self._learn(X, y, view=None, coverage=None, prior=float(self.prior))
        n = len(self.contexts_)
        self.context_shares_, self.view_, self.coverage_ = found.collections[:n], found.view[:n], found.coverage[:n]
        return self
