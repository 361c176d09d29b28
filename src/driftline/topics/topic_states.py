r"""Whether the words of a topic belong together: clear, mixed or junk.

Coherence is measured in documents that were not used to choose the words. Documents are divided into four parts, three
times; for each part, the words of every topic are chosen from the other three, with

.. math:: C_{kw} = \sum_{d \text{ elsewhere}} c_{dw}\, r_{dwk} \quad (1)

in place of the topics, r being the share of topic k in the word (in an LDA) or in the document (in a mixture). The
coherence of the chosen words in the part left out is

.. math:: z = \frac{\sum (n_{wv} - e_{wv})}{\sqrt{1 + \sum e_{wv}}}, \qquad e_{wv} = \frac{n_w n_v}{N} \quad (2)

over the pairs of words, where :math:`n_w` of N documents contain w, and :math:`n_{wv}` both. The score of a topic is
the share of random sets of frequent words that are less coherent, a mean over the parts (3). A topic is *junk* if its
score is below 96.5 %, and *mixed* if it is below 99 %, or if fewer than 70 % of its words are linked by occurring
together. Each part is a quarter of the documents, so that a topic must stand out in that few: one that stands out
only in all documents together is often no better than random words in others. Three divisions make the mean less
dependent on chance than one does (`benchmarks/topics/few_documents.py`). If the vocabulary is so small that all sets
are nearly the same, no topic is called junk.

A topic is also junk if its words are general: coherent, but used in documents of any kind. Its specificity is

.. math:: 1 + \frac{1}{\ln K}\, \mathrm{mean}_w \ln \frac{\phi_{kw}}{\sum_j \phi_{jw}} \quad (4)

over its shown words: 0 if all K topics use them alike, and 1 if no other topic uses them. It is not tested if fewer
words exist than all topics together show. The least specificity was chosen by a reader's ratings of the topics of
commits and health tweets (`benchmarks/topics/general_words.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats, Ints
from driftline.topics.map_candidates import LDA_WORD_PRIOR, row_keys
from driftline.topics.shown_words import associations, shown_columns

State = Literal["clear", "mixed", "junk"]
STATES: tuple[State, ...] = ("clear", "mixed", "junk")
PARTS, DIVISIONS = 4, 3
CONNECTED = 0.7
"""Minimum share of the shown words that occur together, directly or through others, in a clear topic."""
SPECIFIC = 0.35
"""Minimum specificity of a topic that is not junk."""
RANDOM_SETS = 400
JUNK_LEVEL, CLEAR_LEVEL = 0.965, 0.99
"""Minimum scores (shares of random word sets that are less coherent) of topics that are not junk, and of clear ones."""


def topic_states(
    columns: Ints,
    X: Counts,
    tests: Iterable[tuple[Ints, Counts]],
    rng: np.random.Generator,
    levels: tuple[float, float] = (JUNK_LEVEL, CLEAR_LEVEL),
) -> list[State]:
    """Return the state of every topic.

    Parameters
    ----------
    columns : array of shape (n_topics, n_shown)
        The shown words.
    X : sparse counts
        Documents that determine which words occur together, and which are frequent.
    tests : pairs of an array like `columns` and counts
        Words of the topics, and documents from which they were not chosen.
    rng : generator
        Draws the random sets.
    levels : pair of float
        The minimum scores of a topic that is not junk, and of a clear topic.
    """
    n_topics, n_shown = columns.shape
    if n_shown < 2:
        return ["clear"] * n_topics
    scores = topic_scores(columns, X, tests, rng)
    used, place = np.unique(columns, return_inverse=True)
    seen, place = associations(X, used), place.reshape(columns.shape)
    states: list[State] = []
    for k in range(n_topics):
        linked = sp.csgraph.connected_components(seen[np.ix_(place[k], place[k])] > 0, directed=False)[1]
        share = np.bincount(linked).max() / n_shown
        mixed = scores[k] < levels[1] or share < CONNECTED
        states.append("junk" if scores[k] < levels[0] else "mixed" if mixed else "clear")
    return states


def topic_scores(columns: Ints, X: Counts, tests: Iterable[tuple[Ints, Counts]], rng: np.random.Generator) -> Floats:
    """Return the score of every topic (3); 1 if so few words exist that all sets of them are nearly the same."""
    n_topics, n_shown = columns.shape
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    often = np.argsort(-frequency, kind="stable")[: max(columns.size, 4 * n_shown)]
    pool = np.union1d(often, columns)
    drawn = pool[np.argsort(rng.random((RANDOM_SETS, len(pool))), axis=1, kind="stable")[:, :n_shown]]
    judged = [_less_coherent(documents, chosen, drawn) for chosen, documents in tests]
    found: Floats = np.mean(judged, axis=0) if len(pool) >= 2 * n_shown else np.ones(n_topics)
    return found


def _less_coherent(X: Counts, columns: Ints, drawn: Ints) -> Floats:
    """Return, for each row of columns, the share of drawn sets that are less coherent in these documents (3)."""
    together, chance = pair_sums(X, np.concatenate([columns, drawn]))
    coherence = (together - chance) / np.sqrt(1.0 + chance)  # (2)
    found: Floats = (coherence[len(columns) :] < coherence[: len(columns), None]).mean(axis=1)
    return found


def reading_order(states: Sequence[str], shares: Floats) -> Ints:
    """Return the order in which topics are shown: clear ones, mixed ones, junk; the largest first.

    >>> reading_order(["junk", "clear", "mixed", "clear"], np.array([0.4, 0.1, 0.3, 0.2]))
    array([3, 1, 2, 0])
    """
    rank = np.array([STATES.index(state) if state in STATES else 0 for state in states])
    found: Ints = np.lexsort((-shares, rank))
    return found


def without_general(states: Sequence[State], components: Floats, columns: Ints) -> list[State]:
    """Return the states, but junk where the shown words are general (4), if every topic can have words of its own."""
    if len(states) < 2 or columns.size > components.shape[1]:
        return list(states)
    return ["junk" if value < SPECIFIC else state for state, value in zip(states, specificity(components, columns))]


def specificity(components: Floats, columns: Ints) -> Floats:
    """Return the specificity of two topics or more (4).

    >>> specificity(np.array([[0.5, 0.5, 1e-9], [1e-9, 0.5, 0.5]]), np.array([[0], [1]])).round(2)
    array([1., 0.])
    """
    shares = np.take_along_axis(components / components.sum(axis=0), columns, axis=1)
    found: Floats = 1.0 + np.log(shares).mean(axis=1) / np.log(len(components))
    return found


def pair_sums(X: Counts, sets: Ints) -> tuple[Floats, Floats]:
    """Return, for sets of columns, the numbers of documents in which their pairs occur together, and those by chance.

    >>> pair_sums(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]]), np.array([[0, 1], [0, 2]]))
    (array([2., 0.]), array([1., 1.]))
    """
    used, place = np.unique(sets, return_inverse=True)
    present = (sp.csc_array(X)[:, used] > 0).astype(np.float64)
    together = np.asarray((present.T @ present).todense())
    alone = np.diag(together)
    chance = np.outer(alone, alone) / max(X.shape[0], 1)
    first, second = np.triu_indices(sets.shape[1], 1)
    place = place.reshape(sets.shape)
    pairs = place[:, first], place[:, second]
    return together[pairs].sum(axis=1), chance[pairs].sum(axis=1)


def left_out_words(
    components: Floats, shares: Floats, X: Counts, n_words: int, rng: np.random.Generator, *, by_word: bool
) -> Iterator[tuple[Ints, Counts]]:
    """Yield the words of the topics chosen without a part of the documents, and that part, for several divisions.

    Equal documents are in the same part. `by_word` is for LDA, where each word of a document has a topic of its own.
    """
    _, document = np.unique(row_keys(X), return_inverse=True)
    X = sp.csr_array(X, dtype=np.float64)
    for _ in range(DIVISIONS):
        part = rng.integers(0, PARTS, int(document.max(initial=0)) + 1)[document]
        parts = [np.flatnonzero(part == number) for number in range(PARTS)]
        counts = np.array([_topic_counts(components, shares[rows], X[rows], by_word=by_word) for rows in parts])
        whole = counts.sum(axis=0)
        for number, rows in enumerate(parts):
            topics = np.maximum(whole - counts[number], 0.0) + LDA_WORD_PRIOR
            yield shown_columns(topics, X[np.flatnonzero(part != number)], n_words), X[rows]


def _topic_counts(components: Floats, shares: Floats, X: Counts, *, by_word: bool) -> Floats:
    """Return (1) for all documents of X, topics × words."""
    if not by_word:
        found: Floats = np.asarray(X.T @ shares).T
        return found
    pairs = X.tocoo()
    expected = np.einsum("nk,kn->n", shares[pairs.row], components[:, pairs.col])
    weights = sp.csr_array((pairs.data / expected, (pairs.row, pairs.col)), shape=X.shape)
    spread: Floats = np.asarray(weights.T @ shares).T * components
    return spread
