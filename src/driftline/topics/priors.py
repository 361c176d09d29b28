"""The priors of LDA from the user's parameters."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput
from driftline.guidance.word_wishes import Columns
from driftline.text.vocabulary import WordList

WEIGHT = 5.0
"""Default sum of the document prior over all topics."""
START = 0.1
"""Largest initial value when the prior is learned."""


def document_prior(given: npt.ArrayLike | None, n_topics: int) -> Floats:
    """Return α, one value per topic; the initial value if it is learned.

    >>> document_prior(None, 10)
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """
    if given is None:
        return np.full(n_topics, WEIGHT / n_topics)
    if isinstance(given, str):
        # Learning from too smooth a start splits the largest topics.
        return np.full(n_topics, min(WEIGHT / n_topics, START))
    if isinstance(given, numbers.Real):
        return np.full(n_topics, float(given))
    prior = np.array(given, dtype=np.float64)
    if prior.shape != (n_topics,) or not (prior > 0).all() or not np.isfinite(prior).all():
        raise InvalidInput(
            f"doc_topic_prior must be a number above zero, 'learned', or {n_topics} numbers above zero; "
            f"got an array of shape {prior.shape}"
        )
    return prior


def seed_counts(
    seed_words: Mapping[int, Sequence[str | int]] | None,
    weight: float,
    vocabulary: WordList | None,
    n_topics: int,
    n_words: int,
    *,
    warn: bool = False,
) -> dict[int, Floats]:
    """Return the counts of the seeds: column → one value per topic.

    `seed_words` maps topics to words, each a string or a column: ``{0: ["war", "iraq"], 1: ["sars"]}``. Words may be
    mapped to their own weights: ``{0: {"war": 200, "iraq": 10}}``. Words that are not in the vocabulary are left out,
    with a warning if `warn`; a topic left without words is an error.
    """
    if seed_words is None:
        return {}
    if not isinstance(seed_words, Mapping):
        raise InvalidInput("seed_words maps the numbers of topics to lists of words, such as {0: ['war', 'iraq']}")
    result: dict[int, Floats] = {}
    columns = Columns(vocabulary, n_words)
    for topic, words in seed_words.items():
        if not isinstance(topic, numbers.Integral) or not 0 <= int(topic) < n_topics:
            raise InvalidInput(f"seed_words names topic {topic!r}, but the topics are 0 to {n_topics - 1}")
        own = words if isinstance(words, Mapping) else dict.fromkeys(words, weight)
        known = [word for word, column in zip(own, columns.known(list(own))) if column >= 0]
        for column, word in zip(columns.find(own, f"seed_words of topic {topic}", warn=warn), known):
            extra = own[word]
            if not isinstance(extra, numbers.Real) or not 0 < float(extra) < np.inf:
                raise InvalidInput(f"the weight of seed word {word!r} must be a number above zero; got {extra!r}")
            result.setdefault(int(column), np.zeros(n_topics))[int(topic)] += float(extra)
    return result
