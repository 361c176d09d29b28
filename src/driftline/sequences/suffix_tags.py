r"""Tags of unknown words from their endings.

.. math:: p(t \mid s_k) = \frac{n(t, s_k) + \kappa\,p(t \mid s_{k-1})}{n(s_k) + \kappa}

for endings :math:`s_0, …, s_4` of 0 to 4 letters (1), separately for words that begin with a capital and for those that
contain a digit. The tags are learned from rare words, because unknown words resemble them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.core.arrays import Floats, Ints

LONGEST = 4
"""Length of the longest ending, in letters."""
RARE = 5
"""Maximum number of occurrences of a rare word."""
SHORTER = 3.0
"""κ, the weight of the next shorter ending, in words."""


def endings(word: str) -> list[str]:
    """Return the endings of a word from the shortest, each marked by the word's capital; all digits are equal.

    >>> endings("Asia")
    ['A', 'Aa', 'Aia', 'Asia', 'AAsia']
    >>> endings("42")
    ['0', '00', '000']
    """
    shape = "A" if word[:1].isupper() else "0" if any(letter.isdigit() for letter in word) else "a"
    plain = "".join("0" if letter.isdigit() else letter for letter in word[-LONGEST:])
    return [shape + plain[len(plain) - n :] for n in range(len(plain) + 1)]


def learn_endings(words: Sequence[str], counts: Floats) -> tuple[list[str], Floats]:
    """Return the endings of rare words in order, and p(tag | ending) by (1), endings × tags.

    `counts` is the number of times that each word had each tag. The first ending is empty, for words of any shape.
    """
    totals = counts.sum(axis=1)
    rare = counts[totals <= RARE].sum(axis=0)
    sums: dict[str, Floats] = {}
    for place in np.flatnonzero((totals <= RARE) & (totals > 0)).tolist():
        for ending in endings(words[place]):
            sums[ending] = sums.get(ending, 0.0) + counts[place]
    found = {"": (rare + counts.sum(axis=0) / counts.sum()) / (rare.sum() + 1.0)}
    for ending in sorted(sums, key=lambda one: (len(one), one)):
        above = found[ending[0] + ending[2:]] if len(ending) > 1 else found[""]
        found[ending] = (sums[ending] + SHORTER * above) / (sums[ending].sum() + SHORTER)
    return list(found), np.array(list(found.values()))


def tags_by_ending(words: Sequence[str], places: dict[str, int]) -> Ints:
    """Return the number of the longest known ending of every word."""
    found = np.zeros(len(words), dtype=np.int64)
    for number, word in enumerate(words):
        for ending in reversed(endings(word)):
            if ending in places:
                found[number] = places[ending]
                break
    return found
