"""Rules about words in the counts of topics: words that are excluded, belong together, or never share a topic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Ints
from driftline.inference.guide_arrays import NO_PAIRS, WordGroups


class WordRules(NamedTuple):
    """Excluded (word, topic) pairs, and groups of words."""

    banned: Ints = NO_PAIRS
    groups: WordGroups | None = None

    @property
    def any(self) -> bool:
        """Whether there are rules."""
        return len(self.banned) > 0 or self.groups is not None

    def without_banned(self, counts: np.ndarray, value: float) -> np.ndarray:
        """Return counts of words × topics with this value for excluded pairs; the same array if there are none."""
        if not len(self.banned):
            return counts
        found = counts.copy()
        found[self.banned[:, 0], self.banned[:, 1]] = value
        return found

    def placed(self, slots: Ints, said: np.ndarray) -> WordRules:
        """Return the rules for slots instead of columns; words without a slot are left out."""
        banned = np.column_stack([slots[self.banned[:, 0]], self.banned[:, 1]])
        groups = self.groups
        if groups is not None:
            together = tuple(np.sort(rows[rows >= 0]) for rows in (slots[group] for group in groups.together))
            apart = slots[groups.apart]
            groups = WordGroups(
                tuple(rows for rows in together if len(rows) > 1),
                np.sort(apart[(apart >= 0).all(axis=1)], axis=1),
                groups.strength,
                said,
            )
        return WordRules(banned[banned[:, 0] >= 0], groups)


NO_RULES = WordRules()
"""No rules."""
