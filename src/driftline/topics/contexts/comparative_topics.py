r"""The cross-collection mixture: topics that collections share, and the view that each collection has of them."""

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


class ComparativeTopics(CollectionModel):
    r"""Find topics that several collections have in common, and the words of each collection in them.

    .. math:: p(w|d) = \lambda_B\, p_B(w) + (1 - \lambda_B) \sum_k \theta_{dk}
              \bigl(\lambda_C\, \phi_{kw} + (1 - \lambda_C)\, \phi^c_{kw}\bigr)

    as published by Zhai, Velivelli and Yu (2004), fitted by EM, with both weights chosen by hand. The model lists words
    for every collection even if collections do not differ; `contrasts` tests whether they do.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    background_weight, common_weight : float
        λ_B and λ_C.
    max_steps, tolerance : int, float
        Maximum number of EM steps, and the relative increase of the objective below which EM stops.
    smoothing : float
        Added to the count of every word in every common topic; views of collections get the same in total.
    n_jobs, vocabulary, random_state, verbose
        Number of threads for the scores; the words of the columns; the seed; whether to show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_words)
        φ, common to all collections.
    own_components_ : ndarray of shape (n_collections, n_topics, n_words)
        :math:`\phi^c`.
    contexts_ : ndarray of shape (n_collections,)
        The collections, in order.
    document_shares_ : ndarray of shape (n_documents, n_topics)
        θ of the documents of the fit.
    objective_ : ndarray
        The objective before every step.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat([[4, 0, 3, 0], [0, 4, 3, 0], [0, 0, 0, 5]], 20, axis=0)
    >>> model = ComparativeTopics(n_topics=2, random_state=0).fit(X, ["a"] * 20 + ["b"] * 20 + ["a", "b"] * 10)
    >>> topic = model.components_[:, 2].argmax()
    >>> model.own_words(1)["a"][topic], model.own_words(1)["b"][topic]
    ([0], [1])
    """

    _state_layout: ClassVar[Layout | None] = {
        **EM_STATE,
        "own_components_": Array("contexts", "topics", "words", least=0),
        "contexts_": Array("contexts", kind="any"),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        **EM_PARAMETERS,
        "background_weight": [Interval(numbers.Real, 0, 1, closed="left")],
        "common_weight": [Interval(numbers.Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_topics: int = 20,
        background_weight: float = 0.9,
        common_weight: float = 0.3,
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
        self.common_weight = common_weight

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None) -> ComparativeTopics:
        """Learn from documents × words counts; `y` is the collection of each document, −1 or None if unknown."""
        self._learn(X, y, view=1 - self.common_weight, coverage=0.0, prior=0.0)
        return self
