"""The sentences of a story, and their expected numbers."""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.datasets.newswire_sentences import FOLLOW_UPS, LEADS, LENGTHS, SHARES, STOCK, STOCK_SHARE

SENTENCES = tuple(
    [text for topic in SHARES for text in LEADS[topic]]
    + [text for topic in SHARES for text in FOLLOW_UPS[topic]]
    + list(STOCK)
)
"""All sentences; their numbers are their indices."""


def plan_sentences(topics: Ints, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Select the sentences of stories with these topics: (document, sentence) rows in reading order."""
    n = len(topics)
    lengths = random.choice(list(LENGTHS), size=n, p=list(LENGTHS.values()))
    chosen = np.zeros((n, 3), dtype=np.int64)
    uniform = random.random((n, 3))
    for topic in range(len(SHARES)):
        rows = np.flatnonzero(topics == topic)
        leads, further = _leads(topic), _further(topic)
        chosen[rows, 0] = _pick(leads, uniform[rows, 0])
        chosen[rows, 1] = _pick(further, uniform[rows, 1])
        for first in np.unique(chosen[rows, 1]).tolist():
            after = rows[chosen[rows, 1] == first]
            chosen[after, 2] = _pick(_without(further, first), uniform[after, 2])
    documents, places = np.nonzero(np.arange(3) < lengths[:, None])
    return documents, chosen[documents, places]


def expected_sentences() -> Floats:
    """Return the exact mean number of each sentence per story."""
    second = sum(share for length, share in LENGTHS.items() if length >= 2)
    third = sum(share for length, share in LENGTHS.items() if length >= 3)
    total = np.zeros(len(SENTENCES))
    for topic, share in enumerate(SHARES.values()):
        further = _further(topic)
        last = sum(further[first] * _without(further, first) for first in np.flatnonzero(further).tolist())
        total += share * (_leads(topic) + second * further + third * last)
    return total


def sentence_plans() -> list[tuple[float, tuple[int, ...]]]:
    """Return every choice of sentences that a story can have, with its probability."""
    plans: list[tuple[float, tuple[int, ...]]] = []
    for topic, share in enumerate(SHARES.values()):
        further = _further(topic)
        for lead, of_lead in _possible(_leads(topic)):
            plans.append((share * of_lead * LENGTHS[1], (lead,)))
            for second, of_second in _possible(further):
                so_far = share * of_lead * of_second
                plans.append((so_far * LENGTHS[2], (lead, second)))
                plans += [
                    (so_far * of_third * LENGTHS[3], (lead, second, third))
                    for third, of_third in _possible(_without(further, second))
                ]
    return plans


def _possible(probabilities: Floats) -> list[tuple[int, float]]:
    return [(int(sentence), float(probabilities[sentence])) for sentence in np.flatnonzero(probabilities)]


def _leads(topic: int) -> Floats:
    before = sum(len(LEADS[name]) for name in list(SHARES)[:topic])
    return _spread(before, len(LEADS[list(SHARES)[topic]]))


def _further(topic: int) -> Floats:
    names = list(SHARES)
    n_leads = sum(len(LEADS[name]) for name in names)
    before = n_leads + sum(len(FOLLOW_UPS[name]) for name in names[:topic])
    own = _spread(before, len(FOLLOW_UPS[names[topic]]))
    return (1 - STOCK_SHARE) * own + STOCK_SHARE * _spread(len(SENTENCES) - len(STOCK), len(STOCK))


def _spread(first: int, n: int) -> Floats:
    """Return probabilities of all sentences: those of the `n` from `first` are proportional to 1 / (r + 2)."""
    result = np.zeros(len(SENTENCES))
    weights = 1 / (np.arange(n) + 2.0)
    result[first : first + n] = weights / weights.sum()
    return result


def _without(probabilities: Floats, left_out: int) -> Floats:
    rest = probabilities.copy()
    rest[left_out] = 0
    found: Floats = rest / rest.sum()
    return found


def _pick(probabilities: Floats, uniform: Floats) -> Ints:
    possible = np.flatnonzero(probabilities)
    return possible[np.searchsorted(np.cumsum(probabilities[possible])[:-1], uniform, side="right")]
