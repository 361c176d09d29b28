"""One headline for a phrase and its words: the most complete of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.core.arrays import Floats, Ints

MOST_OF_A_WORD = 0.7
"""Minimum share of a word's documents that contain a phrase for the phrase to replace the word."""


def without_repeats(words: Sequence[str], n_documents: Floats, places: Ints) -> Ints:
    """Return the indices without words that a phrase replaces, and without phrases that do not replace all their words.

    >>> words = ["war", "anti war", "sierra leone", "sierra", "title", "native title"]
    >>> kept = without_repeats(words, np.array([489.0, 80, 30, 31, 90, 50]), np.array([0, 1, 2, 3, 5]))
    >>> [words[place] for place in kept]
    ['war', 'sierra leone', 'native title']
    """
    at = {words[place]: int(place) for place in places}
    dropped: set[int] = set()
    for place in places:
        parts = [at[word] for word in words[place].split(" ") if word in at and " " in words[place]]
        covered = [part for part in parts if n_documents[place] >= MOST_OF_A_WORD * n_documents[part]]
        if len(covered) < len(parts):
            dropped.add(int(place))
        else:
            dropped.update(covered)
    return np.array([place for place in places if int(place) not in dropped], dtype=np.int64)
