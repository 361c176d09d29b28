r"""A part-of-speech tagger: a hidden Markov model whose states are tags, with a model of unknown words."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSequences
from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import Array, Each, Layout, Sparse, Text
from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.sequences.suffix_tags import learn_endings, tags_by_ending
from driftline.sequences.tag_input import Tags, tag_accuracy, tag_codes
from driftline.sequences.token_input import TokenLists, as_tokens


class HiddenMarkovTagger(TakesSequences, DriftEstimator):
    r"""Tag the words of sentences, known and unknown, by counts.

    The most probable tags maximise :math:`\prod_i A_{t_{i-1} t_i}\,p(w_i \mid t_i)`, where by Bayes' rule
    :math:`p(w \mid t) \propto p(t \mid w) / p(t)` (2). The tags of a known word are counted, and its ending adds
    `strength` counts: :math:`p(t \mid w) = (n_{wt} + s\,p(t \mid \text{ending})) / (n_w + s)` (3). An unknown word has
    the tags of its ending; if it is known in lower case, that form adds one count.

    Parameters
    ----------
    strength : float, the weight of the ending of a known word, in counts.
    smoothing : float, the count that is added to every start and transition of tags.

    Attributes
    ----------
    classes_ : ndarray of shape (n_tags,), the tags.
    words_ : list of str, the known words.
    counts_ : CSR matrix of shape (n_words, n_tags), the number of times that each had each tag.
    shares_ : ndarray of shape (n_tags,), p(t).
    initial_, transition_ : ndarray of shape (n_tags,), (n_tags, n_tags)
        Probabilities of the first tag, and of transitions.
    endings_, ending_tags_ : list of str, ndarray of shape (n_endings, n_tags), p(t | ending).

    Examples
    --------
    >>> tagger = HiddenMarkovTagger().fit([["the", "dog", "barks"], ["a", "cat", "sleeps"]], [["D", "N", "V"]] * 2)
    >>> tagger.predict([["the", "cow", "leaps"]])[0].tolist()
    ['D', 'N', 'V']
    """

    _state_layout: ClassVar[Layout | None] = {
        "classes_": Array("tags", kind="any"),
        "words_": Each(Text(), "words"),
        "counts_": Sparse("words", "tags", least=0),
        "shares_": Array("tags", kind="f8", least=0),
        "initial_": Array("tags", kind="f8", least=0),
        "transition_": Array("tags", "tags", kind="f8", least=0),
        "endings_": Each(Text(), "endings"),
        "ending_tags_": Array("endings", "tags", kind="f8", least=0),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "strength": [Interval(numbers.Real, 0, None, closed="neither")],
        "smoothing": [Interval(numbers.Real, 0, None, closed="neither")],
    }

    def __init__(self, strength: float = 0.3, smoothing: float = 0.1) -> None:
        self.strength = strength
        self.smoothing = smoothing

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: TokenLists, y: Tags) -> HiddenMarkovTagger:
        """Count words and tags of sentences; a tag of None or −1 is unknown, and is not counted."""
        tokens = as_tokens(X, 1)
        codes, names = tag_codes(y, tokens.lengths)
        if not len(names):
            raise InvalidInput("no token has a tag; pass sentences with their tags")
        self.classes_ = names
        words, rows = _numbered(tokens.columns[0])
        n, known = len(names), codes >= 0
        counts = sp.csr_matrix(
            (np.ones(int(known.sum())), (rows[known], codes[known])), shape=(len(words), n), dtype=np.float64
        )
        counts.sum_duplicates()
        seen = counts.sum(axis=1).A1 > 0
        self.words_, self.counts_ = [word for word, kept in zip(words, seen) if kept], counts[seen]
        firsts, moves = np.full(n, self.smoothing), np.full((n, n), self.smoothing)
        begins = tokens.offsets[:-1][tokens.lengths > 0]
        np.add.at(firsts, codes[begins][known[begins]], 1.0)
        inner = np.ones(len(codes), dtype=bool)
        inner[begins] = False
        pairs = np.flatnonzero(inner & known & np.roll(known, 1))
        np.add.at(moves, (codes[pairs - 1], codes[pairs]), 1.0)
        self.initial_, self.transition_ = firsts / firsts.sum(), moves / moves.sum(axis=1, keepdims=True)
        self.shares_ = self.counts_.sum(axis=0).A1 / self.counts_.sum()
        self.endings_, self.ending_tags_ = learn_endings(self.words_, self.counts_.toarray())
        return self

    def predict(self, X: TokenLists) -> list[np.ndarray]:
        """Return the most probable tags of every sentence."""
        check_is_fitted(self)
        tokens = as_tokens(X, 1)
        words, rows = _numbered(tokens.columns[0])
        paths = np.empty(len(rows), dtype=np.int64)
        logs = self._log_emission(words)
        current_kernels().hidden_markov.best_sequences(
            rows, tokens.offsets, np.log(self.initial_), np.log(self.transition_), logs, paths
        )
        return tokens.split(self.classes_[paths])

    def unknown_words(self, X: TokenLists) -> list[np.ndarray]:
        """Return a mask, for every sentence, of the words that did not occur in training."""
        check_is_fitted(self)
        tokens, known = as_tokens(X, 1), set(self.words_)
        return tokens.split(np.array([word not in known for word in tokens.columns[0]], dtype=bool))

    def score(self, X: TokenLists, y: Tags) -> float:
        """Return the share of correct tags."""
        return tag_accuracy(self.predict(X), y)

    def _log_emission(self, words: list[str]) -> Floats:
        """Return log p(w | t) + a constant of the word, by (2) and (3), words × tags."""
        places = {word: place for place, word in enumerate(self.words_)}
        by_ending = self.ending_tags_[tags_by_ending(words, {one: place for place, one in enumerate(self.endings_)})]
        found = self.strength * by_ending
        known = np.array([places.get(word, -1) for word in words], dtype=np.int64)
        found[known >= 0] += self.counts_[known[known >= 0]].toarray()
        lower = np.array([places.get(word.lower(), -1) for word in words], dtype=np.int64)
        only_lower = (known < 0) & (lower >= 0)
        counts = self.counts_[lower[only_lower]].toarray()
        found[only_lower] += counts / counts.sum(axis=1, keepdims=True)
        found /= found.sum(axis=1, keepdims=True)
        logs: Floats = np.log(np.maximum(found, 1e-12)) - np.log(np.maximum(self.shares_, 1e-12))
        return logs


def _numbered(words: list[str]) -> tuple[list[str], Ints]:
    """Return the distinct words, and the number of each."""
    numbers_of: dict[str, int] = {}
    rows = [numbers_of.setdefault(word, len(numbers_of)) for word in words]
    return list(numbers_of), np.array(rows, dtype=np.int64)
