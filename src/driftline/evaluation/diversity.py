"""Diversity of topics: the share of distinct top words."""

from __future__ import annotations

import numpy as np

from driftline.core.errors import InvalidInput


def topic_diversity(model: object, *, n_words: int = 25) -> float:
    """Return the number of distinct words among the top words of all topics, divided by the number of top words.

    One means that no two topics share a top word.

    >>> topic_diversity(np.array([[0.6, 0.4, 0.0], [0.0, 0.4, 0.6]]), n_words=2)
    0.75
    """
    components = np.asarray(getattr(model, "components_", model), dtype=np.float64)
    if components.ndim != 2 or not components.size:
        raise InvalidInput(f"topics must be a matrix of topics × words, not an array of shape {components.shape}")
    if n_words < 1:
        raise InvalidInput("diversity needs at least 1 top word")
    top = np.argsort(-components, axis=1, kind="stable")[:, :n_words]
    return len(np.unique(top)) / top.size
