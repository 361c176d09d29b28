r"""The layout of similar topics: their places on a map, the tree of their mergers, and words ranked by relevance.

The relevance of word w to topic k is :math:`\lambda \ln \phi_{kw} + (1 - \lambda) \ln (\phi_{kw} / p_w)`, with p the
share of the word in all topics: at λ = 1 the most frequent words come first, at λ = 0 the most exclusive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from driftline.core.arrays import Floats
from driftline.topics import topic_distances, topic_places, topic_tree

RELEVANCES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Values of λ at which the words of a topic are kept."""
WORDS = 12
"""Number of words kept for each value of λ."""
LEAST_SHARE = 1e-4
"""Smallest share of a word in a topic; rarer words are exclusive only by chance."""


@dataclass(frozen=True)
class TopicWord:
    """A word of a topic: the logarithms of its share of the topic, and of that share over its share of all words."""

    word: str
    log_share: float
    log_lift: float


@dataclass(frozen=True)
class TopicLayout:
    """Places, mergers and words of the topics, in their order in `Findings.topics`.

    `places` are coordinates whose distances approximate the Jensen–Shannon distances, and `shown` is the share of the
    squared distances that they show. `merges` and `lost` are those of `driftline.topics.TopicTree`. Groups of words
    that are no topics (``"junk"``), the last in the list, have neither. `words` are the candidates for the first words
    of each topic at any λ.
    """

    places: list[tuple[float, float]] = field(default_factory=list)
    shown: float = 1.0
    merges: list[tuple[int, int]] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)
    words: list[list[TopicWord]] = field(default_factory=list)


def describe_topic_layout(
    components: Floats, shares: Floats, words: Sequence[str], *, n_placed: int | None = None
) -> TopicLayout:
    """Return the layout of topics with these distributions over `words` and these shares.

    The first `n_placed` of them, by default all, have places and mergers.

    >>> topics = np.array([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]])
    >>> layout = describe_topic_layout(topics, np.array([0.5, 0.5]), ["war", "said", "tax"])
    >>> [word.word for word in layout.words[0]], layout.merges
    (['war', 'said', 'tax'], [(0, 1)])
    """
    topics = np.asarray(components, dtype=np.float64)
    topics = topics / topics.sum(axis=1, keepdims=True)
    weights = np.maximum(np.asarray(shares, dtype=np.float64), 1e-9)
    overall = np.maximum(weights / weights.sum() @ topics, np.finfo(np.float64).tiny)
    ranked = [_candidates(topic, overall, words) for topic in topics]
    placed = topics[:n_placed]
    if not len(placed):
        return TopicLayout(words=ranked)
    places, tree = topic_places(topic_distances(placed)), topic_tree(placed, weights[:n_placed])
    return TopicLayout(
        places=[(_short(x), _short(y)) for x, y in places.xy.tolist()],
        shown=_short(places.shown),
        merges=[(int(a), int(b)) for a, b in tree.merges],
        lost=[_short(value) for value in tree.lost],
        words=ranked,
    )


def _candidates(topic: Floats, overall: Floats, words: Sequence[str]) -> list[TopicWord]:
    """Return the words that are among the first for some λ, in the order of λ = 1."""
    with np.errstate(divide="ignore"):
        share, lift = np.log(topic), np.log(topic / overall)
    often = np.flatnonzero(topic >= min(LEAST_SHARE, topic.max()))
    chosen: set[int] = set()
    for relevance in RELEVANCES:
        score = relevance * share[often] + (1 - relevance) * lift[often]
        chosen.update(often[np.argsort(-score, kind="stable")[:WORDS]].tolist())
    order = sorted(chosen, key=lambda column: (-share[column], column))
    return [TopicWord(str(words[column]), _short(share[column]), _short(lift[column])) for column in order]


def _short(value: float) -> float:
    return float(f"{value:.6g}")
