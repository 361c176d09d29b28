r"""Named entities by a hidden Markov model with a region per kind of name, and word bigrams within each."""

from __future__ import annotations

import itertools
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSequences
from driftline.base.sklearn_private import Constraints, fit_context
from driftline.base.state_layout import Array, Each, Held, Layout, Number, Text, Together
from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.inference.forward_backward import MarkovChain, best_path
from driftline.sequences.deleted_interpolation import BUCKETS, Interpolation, Level, interpolate
from driftline.sequences.spans import Span, span_score, spans_of
from driftline.sequences.tag_input import Tags, tag_codes, tag_strings
from driftline.sequences.token_input import TokenLists, as_tokens
from driftline.text.bio_tags import OUTSIDE, tag_parts

END = 0
"""The outcome that ends a region, among the words."""

_LEVEL: Held = Together(
    {
        "contexts": Array(None, kind="i8", ordered=True),
        "totals": Array(None, kind="f8", least=0),
        "pairs": Array(None, kind="i8", ordered=True),
        "counts": Array(None, kind="f8", least=0),
        "weights": Array(BUCKETS, kind="f8", least=0, most=1),
    }
)
_TABLE: Held = Together({"levels": Each(_LEVEL), "n_outcomes": Number(least=1, whole=True)})


class NameFinder(TakesSequences, DriftEstimator):
    r"""Find names and their kinds, from the words around and inside them.

    A sentence is a sequence of regions, one for each kind of name and one for other text. Inside region r, words follow
    each other with probability :math:`p(w_i \mid w_{i-1}, r)`, where the end of the region counts as a word (1). After
    region r, the next one is drawn from :math:`p(r' \mid r, w_{i-1})` (2), and its first word from :math:`p(w_i \mid
    r', r)` (3). All three shrink, by deleted interpolation, towards less detailed contexts: without the previous word,
    without the previous region, and finally equal probabilities. A word that occurred once in training, or never, is
    replaced by its shape.

    Attributes
    ----------
    kinds_ : list of str, the kinds of regions; the first is other text.
    words_ : list of str, the known words and shapes.
    inside_, next_, first_ : tables of (1), (2) and (3).

    Examples
    --------
    >>> sentences = [["Mr", name, "slept"] for name in ("Smith", "Jones", "Green", "White")] + [["he", "slept"]] * 4
    >>> tags = [["O", "B-PER", "O"]] * 4 + [["O", "O"]] * 4
    >>> NameFinder().fit(sentences, tags).predict([["Mr", "Brown", "slept"]])[0].tolist()
    ['O', 'B-PER', 'O']
    """

    _state_layout: ClassVar[Layout | None] = {
        "kinds_": Each(Text(), "kinds"),
        "words_": Each(Text(), "words"),
        "inside_": _TABLE,
        "next_": _TABLE,
        "first_": _TABLE,
    }
    _parameter_constraints: ClassVar[Constraints] = {}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: TokenLists, y: Tags) -> NameFinder:
        """Learn from sentences and their tags: B-X and I-X, or X, for the words of a name of kind X, O for others."""
        tokens = as_tokens(X, 1)
        codes, names = tag_codes(y, tokens.lengths)
        if (codes < 0).any() or not len(codes) or names.dtype.kind not in "US":
            raise InvalidInput("every token needs a tag: B-X, I-X or O; partly tagged sentences cannot be used")
        self.kinds_ = [OUTSIDE, *sorted({tag_parts(tag)[1] for tag in names.tolist()} - {""})]
        counts: dict[str, int] = {}
        for word in tokens.columns[0]:
            counts[word] = counts.get(word, 0) + 1
        common = [word for word, n in counts.items() if n > 1]
        self.words_ = list(dict.fromkeys(["", *SHAPES, *common]))
        words, tags = self._numbers_of(tokens.columns[0]), names[codes].tolist()
        events = [
            event
            for begin, end in itertools.pairwise(tokens.offsets.tolist())
            for event in self._events(words[begin:end], tags[begin:end])
        ]
        table = np.array(events, dtype=np.int64).reshape(-1, 4)
        inside, jumps = table[table[:, 0] == 0], table[table[:, 0] == 1]
        firsts = table[table[:, 0] == 2]
        n_words, n_kinds = len(self.words_), len(self.kinds_)
        self.inside_ = _plain(interpolate(self._inside(inside[:, 1], inside[:, 2]), inside[:, 3], n_words))
        self.next_ = _plain(interpolate(self._next(jumps[:, 1], jumps[:, 2]), jumps[:, 3], n_kinds + 1))
        self.first_ = _plain(interpolate(self._first(firsts[:, 1], firsts[:, 2]), firsts[:, 3], n_words))
        return self

    def predict(self, X: TokenLists) -> list[np.ndarray]:
        """Return the most probable tags of every sentence: B-X, I-X and O."""
        check_is_fitted(self)
        tokens = as_tokens(X, 1)
        words = self._numbers_of(tokens.columns[0])
        found = []
        tables = _Tables(*(Interpolation([Level(*level) for level in one[0]], one[1]) for one in self._tables))
        for begin, end in itertools.pairwise(tokens.offsets.tolist()):
            found.append(np.array(self._best(tables, words[begin:end]), dtype=object).astype(str))
        return found

    def score(self, X: TokenLists, y: Tags) -> float:
        """Return the F1 of the names found: both ends and the kind must be correct."""
        predicted = self.predict(X)
        true = tag_strings(y, [len(tags) for tags in predicted])
        return span_score(true, [tags.tolist() for tags in predicted]).f1

    @property
    def _tables(self) -> tuple[Counts, Counts, Counts]:
        return self.inside_, self.next_, self.first_

    def _numbers_of(self, words: list[str]) -> Ints:
        places = {word: place for place, word in enumerate(self.words_)}
        return np.array([places.get(word, places[shape_of(word)]) for word in words], dtype=np.int64)

    def _events(self, words: Ints, tags: list[str]) -> list[tuple[int, int, int, int]]:
        """Return the events of a sentence: (0, region, word, next word), (1, region, word, next region), (2, …)."""
        found, before, last = [], len(self.kinds_), END
        for start, end, kind in _regions(tags):
            region = self.kinds_.index(kind)
            found += [(1, before, last, region), (2, before, region, int(words[start]))]
            inside = [*words[start:end].tolist(), END]
            found += [(0, region, one, other) for one, other in itertools.pairwise(inside)]
            before, last = region, inside[-2]
        return [*found, (1, before, last, len(self.kinds_))] if len(words) else []

    def _inside(self, region: Ints, word: Ints) -> list[Ints]:
        return [region * len(self.words_) + word, region]

    def _next(self, region: Ints, word: Ints) -> list[Ints]:
        return [region * len(self.words_) + word, region, np.zeros_like(region)]

    def _first(self, before: Ints, region: Ints) -> list[Ints]:
        return [before * (len(self.kinds_) + 1) + region, region, np.zeros_like(region)]

    def _best(self, tables: _Tables, words: Ints) -> list[str]:
        """Return the best tags of a sentence; state 2r begins region r, state 2r + 1 continues it."""
        n, n_kinds = len(words), len(self.kinds_)
        if not n:
            return []
        kinds = np.arange(n_kinds)
        r, w = np.tile(kinds, n), np.repeat(words, n_kinds)
        following = np.repeat(np.append(words[1:], END), n_kinds)
        stay = np.log(tables.inside.probabilities(self._inside(r, w), following)).reshape(n, n_kinds)
        stop = np.log(tables.inside.probabilities(self._inside(r, w), np.full(len(r), END))).reshape(n, n_kinds)
        logs = np.full((n, 1, 2 * n_kinds, 2 * n_kinds), -np.inf)
        ends = self._jumps(
            tables, np.repeat(r, n_kinds + 1), np.repeat(w, n_kinds + 1), np.tile(np.arange(n_kinds + 1), n * n_kinds)
        )
        ends = ends.reshape(n, n_kinds, n_kinds + 1)
        begin = np.log(
            tables.first.probabilities(
                self._first(np.repeat(kinds, n * n_kinds), np.tile(np.repeat(kinds, n), n_kinds)),
                np.tile(words, n_kinds**2),
            )
        ).reshape(n_kinds, n_kinds, n)
        for i, j in itertools.product(range(n_kinds), repeat=2):
            if n > 1:
                entered = stop[:-1, i] + ends[:-1, i, j] + begin[i, j, 1:]
                logs[1:, 0, 2 * i, 2 * j] = logs[1:, 0, 2 * i + 1, 2 * j] = entered
        for i in range(n_kinds):
            logs[1:, 0, 2 * i, 2 * i + 1] = logs[1:, 0, 2 * i + 1, 2 * i + 1] = stay[:-1, i]
        outside = np.full(n_kinds, n_kinds)
        first = self._jumps(tables, outside, np.full(n_kinds, END), kinds)
        first = first + np.log(tables.first.probabilities(self._first(outside, kinds), np.full(n_kinds, words[0])))
        initial = np.full(2 * n_kinds, -np.inf)
        initial[::2] = first
        seen = np.zeros((n, 2 * n_kinds))
        seen[-1] = np.repeat(stop[-1] + ends[-1, :, n_kinds], 2)
        states = best_path(MarkovChain(initial, logs, logs=True), seen, n).states
        names = [
            tag for kind in self.kinds_ for tag in ((OUTSIDE,) * 2 if kind == OUTSIDE else (f"B-{kind}", f"I-{kind}"))
        ]
        return [names[state] for state in states]

    def _jumps(self, tables: _Tables, region: Ints, word: Ints, following: Ints) -> Floats:
        return np.log(tables.following.probabilities(self._next(region, word), following))


class _Tables(NamedTuple):
    inside: Interpolation
    following: Interpolation
    first: Interpolation


SHAPES = ("<A>", "<Aa>", "<a>", "<0>", "<.>")
"""Shapes of rare or unknown words: all capitals, a capital first, lower case, digits, others."""


def shape_of(word: str) -> str:
    """Return the shape of an unknown word.

    >>> [shape_of(word) for word in ("IBM", "Paris", "went", "1998", "--")]
    ['<A>', '<Aa>', '<a>', '<0>', '<.>']
    """
    if any(letter.isdigit() for letter in word):
        return "<0>"
    if word.isupper():
        return "<A>"
    if word[:1].isupper():
        return "<Aa>"
    return "<a>" if word[:1].isalpha() else "<.>"


def _plain(table: Interpolation) -> tuple[list[tuple[object, ...]], int]:
    """Return a table as plain values, which can be saved."""
    return [tuple(level) for level in table.levels], table.n_outcomes


def _regions(tags: list[str]) -> list[Span]:
    """Return the names and the regions between them."""
    found, place = [], 0
    for span in spans_of(tags):
        if span.start > place:
            found.append(Span(place, span.start, OUTSIDE))
        found.append(span)
        place = span.end
    return [*found, Span(place, len(tags), OUTSIDE)] if place < len(tags) else found
