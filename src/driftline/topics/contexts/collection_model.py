"""Base of the models of topics in collections: the fit, and the words of each collection."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.core.arrays import Floats, Labels, Matrix
from driftline.core.labels import codes_of, first_classes, labelled_values
from driftline.core.randomness import generator
from driftline.inference.stopping import SmallRise
from driftline.text.word_columns import words_at
from driftline.topics.contexts.collection_em import METHOD, Collections, Views
from driftline.topics.em_topics import EmTopics


class CollectionModel(EmTopics):
    """Base of `ComparativeTopics` and `ContextualTopics`."""

    background_weight: float
    own_components_: Floats
    contexts_: np.ndarray

    def _learn(self, X: Matrix, y: Labels | None, *, view: float | None, coverage: float | None, prior: float) -> Views:
        """Fit by EM and store the attributes that both models have."""
        X = self._check_counts(X, reset=True)
        values, known = labelled_values(y, X.shape[0])
        self.contexts_ = first_classes(values, known) if known.any() else np.empty(0, dtype=np.int64)
        codes = codes_of(values, known, self.contexts_)
        problem = Collections.of(
            X,
            codes,
            len(self.contexts_),
            self.n_topics,
            background_weight=self.background_weight,
            view=view,
            coverage=coverage,
            smoothing=self.smoothing,
            prior=prior,
        )
        found: Views = self._run_em(METHOD, problem, SmallRise(self.tolerance), generator(self.random_state))
        self.components_, self.document_shares_ = found.common, found.documents
        self.own_components_ = found.own[: len(self.contexts_)]
        return found

    def own_words(self, n: int = 10) -> dict[str, list[list[str | int]]]:
        """Return, for every collection, the words of each topic whose share in its view most exceeds the common one.

        Words are ordered by their share of the part of the view that exceeds the common topic.
        """
        check_is_fitted(self)
        found = {}
        for name, own in zip(self.contexts_.tolist(), self.own_components_):
            order = np.argsort(-(own - self.components_), axis=1, kind="stable")[:, :n]
            found[name] = [words_at(row, self.vocabulary) for row in order.tolist()]
        return found
