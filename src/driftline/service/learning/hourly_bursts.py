r"""Bursts of words, hour by hour: a filter over levels of each word's share of the documents.

In an hour with :math:`N` documents, a word is in :math:`c` of them. At level :math:`l` its share is :math:`2^l` times
its usual share :math:`b`, which is estimated from :math:`a` documents with the word among :math:`n` earlier ones:

.. math:: c \mid l \sim \mathrm{NB}(\text{mean } 2^l N b,\; \text{size } s), \qquad b = (a + 1/2)/(n + 1), \qquad
          1/s = 1/(a + 1/2) + 1/S,

the negative binomial that follows from a gamma posterior of :math:`b`; :math:`S` accounts for the ordinary
overdispersion of words. The level changes between two hours with a small probability. Only words with documents in the
hour, or whose state is uncertain, are updated. In hours without any document a raised level may return to the usual
one, as in others, but no level rises: a burst needs documents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from driftline.core.arrays import Floats, Ints

LEVELS = np.arange(7)
RISE = 1e-5
"""Probability that the share of a word rises above its usual level between two hours."""
FALL = 0.003
"""Probability that a raised share returns to the usual level between two hours."""
CHANGE = 0.02
"""Probability that a raised share changes its level between two hours."""
ABSORBED = 0.1
"""Weight of a burst's documents in the usual share: a lasting change gradually becomes the usual share."""
SPREAD = 6.0
"""S."""
MEMORY = 200_000.0
"""Number of documents from which the usual share is estimated; older ones are discounted."""
WARM_UP = 2_000
"""Number of documents before the first burst is reported."""
IN_DOUBT = 1e-3
"""Probability of a burst above which a word is updated even if no document of the hour contains it."""
FEWEST = 4
"""Minimum number of documents with the word in a burst that is reported."""


def _transitions() -> Floats:
    n = len(LEVELS)
    matrix = np.zeros((n, n))
    matrix[0, 0], matrix[0, 1:] = 1 - RISE, RISE / (n - 1)
    for level in range(1, n):
        matrix[level, level] = 1 - FALL - CHANGE
        matrix[level, 0] += FALL
        others = [k for k in (level - 1, level + 1) if 1 <= k < n]
        for other in others:
            matrix[level, other] += CHANGE / len(others)
    found: Floats = matrix / matrix.sum(axis=1, keepdims=True)
    return found


class WordBurstEvent(NamedTuple):
    """A word whose burst begins, continues or ends, with the expected and observed number of documents so far."""

    slot: int
    kind: str
    since: int
    probability: float
    ratio: float
    expected: float
    seen: float


class WordBurstFilter:
    """A filter over the levels of all words; call `close` for each hour when the next one begins.

    >>> filter = WordBurstFilter()
    >>> for hour in range(300):
    ...     _ = filter.close(hour, 10, np.array([0, 1]), np.array([5, 1]), 2)
    >>> events = [e for hour in range(300, 304) for e in filter.close(hour, 10, np.array([0, 1]), np.array([5, 8]), 2)]
    >>> [(event.slot, event.kind) for event in events if event.kind == "begins"]
    [(1, 'begins')]
    """

    def __init__(self) -> None:
        self.n = 0.0
        self._with = np.zeros(1024)
        self._slots: Ints = np.empty(0, np.int64)
        """Words whose state is uncertain, ascending."""
        self._belief: Floats = np.empty((0, len(LEVELS)))
        self._record: Floats = np.empty((0, 5))
        """For each of these words: first hour, whether reported, observed and expected documents, last hour."""
        self._matrix = _transitions()

    def close(self, hour: int, n: int, slots: Ints, counts: Ints, n_words: int) -> list[WordBurstEvent]:
        """Process an hour: its number of documents, the words in them, and the number of documents with each."""
        self._make_room(n_words)
        both = np.union1d(slots, self._slots)
        seen = np.zeros(len(both))
        seen[np.searchsorted(both, slots)] = counts
        belief = np.zeros((len(both), len(LEVELS)))
        belief[:, 0] = 1.0
        record = np.zeros((len(both), 5))
        record[:, 0] = hour
        old = np.searchsorted(both, self._slots)
        belief[old], record[old] = self._fallen(hour), self._record
        belief = belief @ self._matrix
        usual = (self._with[both] + 0.5) / (self.n + 1)
        likely = _log_negative_binomial(seen, n * usual, self._with[both])
        likely -= likely.max(axis=1, keepdims=True)
        belief *= np.exp(likely)
        belief /= belief.sum(axis=1, keepdims=True)
        above = 1 - belief[:, 0]
        quiet = above < 0.1
        record[quiet, 0], record[quiet, 2], record[quiet, 3] = hour, 0.0, 0.0
        record[:, 2] += seen
        record[:, 3] += n * usual
        record[:, 4] = hour
        events = self._events(both, belief, above, record) if self.n >= WARM_UP else []
        kept = (above >= IN_DOUBT) | (record[:, 1] > 0)
        self._slots, self._belief, self._record = both[kept], belief[kept], record[kept]
        discount = MEMORY / (self.n + n) if self.n + n > MEMORY else 1.0
        if discount < 1.0:
            self._with[:n_words] *= discount
            self.n *= discount
        usually = above * (1 - ABSORBED)
        self._with[both] += (1 - usually) * seen + usually * n * usual
        self.n += n
        return events

    def _fallen(self, hour: int) -> Floats:
        """Return the beliefs after the hours without documents since the last one computed."""
        last = self._record[:, 4]
        empty = np.where(last != 0, np.maximum(hour - last - 1, 0), 0)  # 0 is of an earlier version
        found = self._belief.copy()
        found[:, 1:] *= ((1 - FALL) ** empty)[:, None]
        found[:, 0] = 1 - found[:, 1:].sum(axis=1)
        return found

    def _events(self, slots: Ints, belief: Floats, above: Floats, record: Floats) -> list[WordBurstEvent]:
        """Return the bursts that begin (p ≥ 0.9), continue, or end (p < 0.5)."""
        reported = record[:, 1] > 0
        begins = ~reported & (above >= 0.9) & (record[:, 2] >= FEWEST)
        ends = reported & (above < 0.5)
        record[begins, 1], record[ends, 1] = 1, 0
        events = []
        mean = belief @ (2.0**LEVELS)
        for place in np.flatnonzero(begins | reported).tolist():
            kind = "begins" if begins[place] else "ends" if ends[place] else "continues"
            since, _, seen, expected, _ = record[place].tolist()
            numbers = float(above[place]), float(mean[place]), expected, seen
            events.append(WordBurstEvent(int(slots[place]), kind, int(since), *numbers))
        return events

    def keep(self, slots: Ints) -> None:
        """Keep only these words, in this order; the bursts of the others are forgotten."""
        self._make_room(int(slots.max(initial=-1)) + 1)  # arrays are extended for new words only when their hour ends
        place = np.full(len(self._with), -1, dtype=np.int64)
        place[slots] = np.arange(len(slots))
        self._with = np.concatenate([self._with[slots], np.zeros(len(slots) + 1024)])
        new = place[self._slots]
        order = np.argsort(new[new >= 0], kind="stable")
        self._belief, self._record = self._belief[new >= 0][order], self._record[new >= 0][order]
        self._slots = new[new >= 0][order]

    def _make_room(self, n_words: int) -> None:
        if n_words > len(self._with):
            self._with = np.concatenate([self._with, np.zeros(2 * n_words - len(self._with))])

    def tensors(self, n_words: int) -> dict[str, np.ndarray]:
        """Return the whole state as arrays."""
        self._make_room(n_words)
        return {
            "with": self._with[:n_words].copy(),
            "n": np.array([self.n]),
            "slots": self._slots.astype(np.int64),
            "belief": np.ascontiguousarray(self._belief),
            "record": np.ascontiguousarray(self._record),
        }

    @classmethod
    def of_tensors(cls, tensors: dict[str, np.ndarray]) -> WordBurstFilter:
        """Continue from the state that `tensors` returned."""
        found = cls()
        found._with = np.concatenate([tensors["with"], np.zeros(1024)])
        found.n = float(tensors["n"][0])
        found._slots, found._belief, found._record = tensors["slots"], tensors["belief"], tensors["record"]
        return found


def _log_negative_binomial(seen: Floats, mean: Floats, a: Floats) -> Floats:
    """Return ln NB(c; 2^l mean, size) for every word and level."""
    size = (1 / (1 / (a + 0.5) + 1 / SPREAD))[:, None]
    c, m = seen[:, None], np.maximum(mean[:, None] * 2.0**LEVELS, 1e-12)
    log_share = np.log(m / (m + size))
    found: Floats = (
        gammaln(c + size) - gammaln(size) - gammaln(c + 1) + size * np.log(size / (m + size)) + c * log_share
    )
    return found
