"""Features of a query: its terms, phrases of neighbouring terms, and terms within a window."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.graphs.search.index_segments import Segment
from driftline.graphs.search.queries import Query, Term

TERM, ORDERED, UNORDERED = 0, 1, 2
"""Kinds of features: a term, terms directly after each other, terms in a window."""
WINDOW_PER_TERM = 4
"""Width of a window, in tokens, for each of its terms."""
MOST_FULL_TERMS = 8
"""Maximum number of terms of a query for which all subsets are features."""


class Feature(NamedTuple):
    """Words that must occur together: at the distances `shifts`, or, if `width` is not 0, within a window."""

    kind: int
    words: tuple[str, ...]
    shifts: tuple[int, ...] = (0,)
    width: int = 0


class Occurrences(NamedTuple):
    """The documents with a feature, in increasing order, the number of occurrences in each, and in total."""

    docs: Ints
    counts: Floats
    total: float


def features_of(query: Query, dependence: str) -> list[Feature]:
    """Return the features of a query, each as often as it applies.

    Two terms are neighbours only if nothing is between them, not even a stop word.
    """
    found = [Feature(TERM, (word,)) for word in query.words]
    if dependence == "sequential" or (dependence == "full" and len(query.terms) > MOST_FULL_TERMS):
        for i in range(len(query.terms) - 1):
            if query.follows(i):
                pair = query.words[i : i + 2]
                found.append(Feature(ORDERED, pair, (0, 1)))
                found += _window(pair)
    elif dependence == "full":
        found += [Feature(ORDERED, words, tuple(range(len(words)))) for words in _runs(query)]
        for size in range(2, len(query.terms) + 1):
            for words in itertools.combinations(query.words, size):
                found += _window(words)
    return found


def phrase_of(terms: tuple[Term, ...]) -> Feature:
    """Return a quoted part as a feature; stop words keep their positions."""
    shifts = tuple(term.place - terms[0].place for term in terms)
    return Feature(ORDERED, tuple(term.word for term in terms), shifts)


def occurrences(feature: Feature, segments: list[Segment]) -> Occurrences:
    """Return the occurrences of a feature in all segments."""
    docs, counts, first = [], [], 0
    for segment in segments:
        terms = [segment.number(word) for word in feature.words]
        if min(terms) >= 0:
            if len(terms) == 1:
                found, uses = segment.uses(terms[0])
            else:
                found, uses = current_kernels().postings.count_together(
                    np.array(terms), np.array(feature.shifts), feature.width, *segment.postings
                )
            docs.append(found + np.int64(first))
            counts.append(uses.astype(np.float64))
        first += len(segment)
    if not docs:
        return Occurrences(np.empty(0, dtype=np.int64), np.empty(0), 0.0)
    together = counts[0] if len(counts) == 1 else np.concatenate(counts)
    return Occurrences(docs[0] if len(docs) == 1 else np.concatenate(docs), together, float(together.sum()))


def _window(words: tuple[str, ...]) -> list[Feature]:
    """Return a window of the words; none if a word is repeated, as each occurrence would match itself."""
    if len(set(words)) < len(words):
        return []
    return [Feature(UNORDERED, words, (0,), WINDOW_PER_TERM * len(words))]


def _runs(query: Query) -> Iterator[tuple[str, ...]]:
    """Yield every sequence of two or more consecutive terms."""
    for start in range(len(query.terms)):
        stop = start
        while stop + 1 < len(query.terms) and query.follows(stop):
            stop += 1
            yield query.words[start : stop + 1]
