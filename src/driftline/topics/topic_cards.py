"""The card of a topic for readers: its name, state, share with a band, examples, and near duplicates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from driftline.core.arrays import Bools, Counts, Floats, Ints
from driftline.core.display import one_line
from driftline.streams.units import Units
from driftline.topics.cluster_start import memberships
from driftline.topics.topic_states import State

Z_95 = 1.959964
READ_FOR_NAMES = 200
"""Number of documents, those with the largest shares, that are searched for the name of a topic."""
LEAST_PHRASE = 0.04
"""Minimum share of those documents that must contain the phrase; at least three must."""
LONGER = 0.6
"""Minimum ratio of documents with the best three-word phrase to those with the best two-word phrase to prefer it."""
LONGEST_NAME = 60
NAMING_WORDS = 25
"""Number of a topic's words from which a phrase may be formed as its name; a title must contain two of them."""
SAME_WORDS = 0.4
"""Minimum share of shown words in common for two topics to be near duplicates."""
ALMOST_THE_SAME = 0.6
"""Share of the words of two documents that both have, above which only one of them is an example."""
N_EXAMPLES = 3
REST = "the rest"
"""Name of the junk topics together."""
Texts: TypeAlias = Sequence[str] | pa.Array | pa.ChunkedArray
"""Documents as strings, in Python or in Arrow."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class TopicCard:
    """One topic for a reader.

    `share` is the mean share of the topic in a document, between `lower` and `upper` at 95 % given these topics;
    `examples` are the most typical documents with different words (row numbers), `near` other topics with many of the
    same words. `state` is "clear", "mixed" (the shown words do not all occur together, or hardly more than random
    words) or "junk" (they are no more coherent than random words, or all topics use them).
    """

    name: str
    words: list[str | int]
    share: float
    lower: float
    upper: float
    state: State
    examples: list[int] = field(default_factory=list)
    near: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class TopicGroup:
    """A group of topics, from a cut of the tree or as the rest: name, topics, words, and their share."""

    name: str
    topics: list[int]
    words: list[str | int]
    share: float


def rest_notes(states: Sequence[State], shares: Floats) -> list[str]:
    """Return a note on the topics that are junk, if there are any.

    >>> rest_notes(["clear", "mixed", "junk"], np.array([0.5, 0.3, 0.2]))[0].split(":")[0]
    '1 of 3 topics (20 % of a document on average) is the rest'
    >>> rest_notes(["junk", "junk"], np.array([0.5, 0.5]))[0].split(",")[0]
    'no topic was found: in each of the 2 groups of words'
    """
    junk = [k for k, state in enumerate(states) if state == "junk"]
    if not junk:
        return []
    why = "words occur together no more than random words do, or belong to all topics"
    if len(junk) == len(states):
        return [f"no topic was found: in each of the {len(junk)} groups of words, the {why}"]
    whose = "is the rest: its" if len(junk) == 1 else "are the rest: their"
    how_many = f"{len(junk)} of {len(states)} topics ({100 * shares[junk].sum():.0f} % of a document on average)"
    return [f"{how_many} {whose} {why}"]


def share_bands(shares: Floats, units: Units) -> tuple[Floats, Floats, Floats]:
    """Return the mean share of each topic with a 95 % band, treating documents of one unit (day) as dependent.

    The variance is that of a ratio: each unit contributes its sum of shares minus its number of documents times the
    mean.
    """
    mean = shares.mean(axis=0)
    member = memberships(units.index, units.n)
    residual = member.T @ (shares - mean)
    error = np.sqrt((residual**2).sum(axis=0) * units.n / max(units.n - 1, 1)) / len(shares)
    return mean, np.maximum(mean - Z_95 * error, 0.0), np.minimum(mean + Z_95 * error, 1.0)


def near_duplicates(columns: Ints) -> Bools:
    """Return, as topics × topics, whether two topics share many of their shown words."""
    n_topics, n_shown = columns.shape
    shown = sp.csr_array(
        (np.ones(columns.size), columns.ravel(), np.arange(n_topics + 1) * n_shown),
        shape=(n_topics, int(columns.max(initial=0)) + 1),
    )
    found: Bools = (shown @ shown.T).toarray() >= max(SAME_WORDS * n_shown, 1)
    np.fill_diagonal(found, False)
    return found


def typical_rows(shares: Floats, X: Counts, columns: Ints) -> Ints:
    """Return the rows in descending order of share × cosine between the document's words and the shown ones.

    `shares` are those of one topic; words count once. Among equal documents the first comes first.

    >>> typical_rows(np.array([0.9, 0.9, 0.2]), sp.csr_array([[1, 0, 0, 2], [3, 1, 0, 0], [1, 1, 1, 0]]), [0, 1])
    array([1, 0, 2])
    """
    is_shown = np.zeros(X.shape[1], dtype=np.bool_)
    is_shown[columns] = True
    uses = np.flatnonzero(is_shown[X.indices] & (X.data > 0))
    found = np.bincount(np.searchsorted(X.indptr, uses, side="right") - 1, minlength=X.shape[0])
    return np.argsort(-shares * found / np.sqrt(np.maximum(np.diff(X.indptr), 1)), kind="stable")


def example_rows(shares: Floats, X: Counts, columns: Ints, n: int = N_EXAMPLES) -> Ints:
    """Return for each topic the rows of its `n` most typical documents with different words; −1 for none.

    `columns` are the shown words of the topics. Of documents with almost the same words one is taken.
    """
    lengths = np.diff(X.indptr)
    main = shares.argmax(axis=1)
    found = np.full((shares.shape[1], n), -1, dtype=np.int64)
    for k in range(shares.shape[1]):
        rows = np.flatnonzero((main == k) & (lengths > 0))
        rows = rows[typical_rows(shares[rows, k], X[rows], columns[k])]
        seen: list[set[int]] = []
        kept: list[int] = []
        for row in rows[: 50 * n]:
            words = set(X.indices[X.indptr[row] : X.indptr[row + 1]].tolist())
            if not any(len(words & other) > ALMOST_THE_SAME * len(words | other) for other in seen):
                seen.append(words)
                kept.append(int(row))
            if len(kept) == n:
                break
        found[k, : len(kept)] = kept
    return found


def topic_names(words: Sequence[Sequence[str | int]], shares: Floats, X: Counts, texts: Texts | None) -> list[str]:
    """Return a name for every topic: its most frequent phrase, or the title of its most typical document, or words."""
    main = shares.argmax(axis=1)
    lengths = np.asarray(X.sum(axis=1)).ravel()
    names: list[str] = []
    for k, shown in enumerate(words):
        rows = np.flatnonzero((main == k) & (lengths > 0))
        rows = rows[np.argsort(-shares[rows, k], kind="stable")][:READ_FOR_NAMES]
        name = None
        if texts is not None and len(rows):
            documents = [_text(texts[int(row)]) for row in rows]
            known = {str(word) for word in shown[:NAMING_WORDS]}
            name = commonest_phrase(documents, known) or _title(documents, X[rows], known)
        plain = ", ".join(sorted(map(str, shown), key=_is_a_number)[:3])
        names.append(one_line(name or plain))
    return _distinct(names, words)


def _text(value: object) -> str:
    """Return a text that may be an Arrow scalar, or missing."""
    plain = value.as_py() if hasattr(value, "as_py") else value
    return "" if plain is None else str(plain)


def commonest_phrase(documents: Sequence[str], words: set[str]) -> str | None:
    """Return the sequence of two or three of the words that is in most documents; None if none is frequent.

    It does not begin with a number, which is often the end of a larger one, such as the "000" of "30,000 people".

    >>> commonest_phrase(["Iraq war begins", "the Iraq war", "an Iraq war protest"], {"iraq", "war", "troops"})
    'iraq war'
    """
    found: dict[int, Counter[str]] = {2: Counter(), 3: Counter()}
    for text in documents:
        tokens = [word if word in words else "" for word in _WORD.findall(text.lower())]
        for size, counter in found.items():
            runs = {tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)}
            counter.update(
                " ".join(run) for run in runs if all(run) and len(set(run)) == size and not _is_a_number(run[0])
            )
    best = {
        size: min(counter.items(), key=lambda item: (-item[1], item[0])) for size, counter in found.items() if counter
    }
    if 2 not in best or best[2][1] < max(3, LEAST_PHRASE * len(documents)):
        return None
    return best[3][0] if 3 in best and best[3][1] >= LONGER * best[2][1] else best[2][0]


def _is_a_number(word: str) -> bool:
    return not any(letter.isalpha() for letter in word)


def _title(documents: Sequence[str], X: Counts, words: set[str]) -> str | None:
    """Return the first line of the document whose words are nearest to the mean of all (the medoid).

    None if that line does not contain two of the words.
    """
    rows = sp.csr_array(X, dtype=np.float64)
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    unit = sp.diags_array(1.0 / np.maximum(lengths, 1e-12)) @ rows
    nearest = int(np.argmax(unit @ np.asarray(unit.sum(axis=0)).ravel()))
    lines = [line.strip() for line in documents[nearest].splitlines() if line.strip()]
    first = lines[0] if lines else ""
    if len(words & set(_WORD.findall(first.lower()))) < 2:
        return None
    return first if len(first) <= LONGEST_NAME else first[:LONGEST_NAME].rsplit(" ", 1)[0] + " …"


def _distinct(names: list[str], words: Sequence[Sequence[str | int]]) -> list[str]:
    """Add a word to names that occur twice."""
    taken: set[str] = set()
    found = []
    for name, shown in zip(names, words):
        more = [str(word) for word in shown if str(word) not in name]
        while name in taken and more:
            name = f"{name}, {one_line(more.pop(0))}"
        taken.add(name)
        found.append(name)
    return found
