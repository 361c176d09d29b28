"""Sentences with slots: sampling at given times, and the exact expected number of uses of each word.

A slot has words with weights that may change over time. Within one document a slot tends to repeat its value, so words
cluster as in real stories; because a repeated word is itself a draw from the same weights, the expected number of uses
is unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.datasets.courses import Course

_WORD = re.compile(r"\w\w+")


def words_of(text: str) -> list[str]:
    """Return the lower-case words of two or more characters.

    >>> words_of("A Nova, year-on-year")
    ['nova', 'year', 'on', 'year']
    """
    return _WORD.findall(text.lower())


@dataclass(frozen=True)
class Slot:
    """A slot: values, their weights, and the courses of their logarithms (None: constant)."""

    values: tuple[str, ...]
    weights: Floats
    courses: tuple[Course | None, ...]

    @classmethod
    def ranked(cls, values: Sequence[str]) -> Slot:
        """Create a constant slot whose r-th value (from 0) has a weight proportional to 1 / (r + 2)."""
        weights = 1 / (np.arange(len(values)) + 2.0)
        return cls(tuple(values), weights / weights.sum(), (None,) * len(values))

    @classmethod
    def drifting(cls, choices: Mapping[str, tuple[float, Course | None]]) -> Slot:
        """Create a slot from value → (weight, course)."""
        weights = np.array([weight for weight, _ in choices.values()])
        return cls(tuple(choices), weights / weights.sum(), tuple(course for _, course in choices.values()))

    @property
    def drifts(self) -> bool:
        """Whether any weight changes."""
        return any(self.courses)

    def probabilities(self, days: Floats, drift: float) -> Floats:
        """Return the probability of every value at every day: days × values, rows sum to 1."""
        logits = np.tile(np.log(self.weights), (len(days), 1))
        for column, course in enumerate(self.courses):
            if course is not None:
                logits[:, column] += drift * course(days)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        found: Floats = weights / weights.sum(axis=1, keepdims=True)
        return found

    def draw(self, days: Floats, drift: float, random: np.random.Generator) -> Ints:
        """Draw one value per given day, as its index."""
        uniform = random.random(len(days))
        if not self.drifts:
            return np.searchsorted(np.cumsum(self.weights)[:-1], uniform, side="right")
        found: Ints = (uniform[:, None] >= np.cumsum(self.probabilities(days, drift), axis=1)[:, :-1]).sum(axis=1)
        return found


class Sentence:
    """One sentence: its pattern and the names of its slots in order."""

    def __init__(self, text: str) -> None:
        pieces = [(literal, name) for literal, name, _, _ in Formatter().parse(text)]
        self.slots = tuple(name for _, name in pieces if name is not None)
        self.pattern = "".join(literal + ("%s" if name is not None else "") for literal, name in pieces) + "."
        self.fixed_words = [word for literal, _ in pieces for word in words_of(literal)]


class Grammar:
    """A numbered set of sentences over named slots.

    `drift` scales every course (0 means no change), `repetition` is the probability that a slot repeats its value in
    the same document.
    """

    def __init__(
        self, sentences: Sequence[str], slots: Mapping[str, Slot], *, drift: float = 1.0, repetition: float = 0.6
    ) -> None:
        self.sentences = [Sentence(text) for text in sentences]
        self.slots = dict(slots)
        self.drift = drift
        self.repetition = repetition

    def write(self, documents: Ints, sentences: Ints, days: Floats, random: np.random.Generator) -> list[str]:
        """Return one text per document.

        In row i, document ``documents[i]`` has the sentence ``sentences[i]``; rows are in reading order, documents
        ascending. `days` has the time of each document.
        """
        fillings: list[list[np.ndarray]] = [[] for _ in self.sentences]
        rows_of = [np.flatnonzero(sentences == number) for number in range(len(self.sentences))]
        subjects = {name: slot.draw(days, self.drift, random) for name, slot in sorted(self.slots.items())}
        for number, sentence in enumerate(self.sentences):
            of = documents[rows_of[number]]
            for name in sentence.slots:
                slot = self.slots[name]
                fresh = random.random(len(of)) >= self.repetition
                chosen = subjects[name][of]
                chosen[fresh] = slot.draw(days[of[fresh]], self.drift, random)
                fillings[number].append(np.array(slot.values, dtype=object)[chosen])
        written = np.empty(len(sentences), dtype=object)
        for number, sentence in enumerate(self.sentences):
            if fillings[number]:
                lines = [sentence.pattern % filling for filling in zip(*fillings[number])]
            else:
                lines = [sentence.pattern] * len(rows_of[number])
            written[rows_of[number]] = [line[0].upper() + line[1:] for line in lines]
        ends = np.searchsorted(documents, np.arange(len(days)), side="right").tolist()
        starts = [0, *ends[:-1]]
        parts = written.tolist()
        return [" ".join(parts[start:end]) for start, end in zip(starts, ends)]

    def expected_uses(self, uses_of_sentences: Floats) -> ExpectedUses:
        """Return the expected uses of each word in a document, given the mean number of uses of each sentence."""
        steady: dict[str, float] = {}
        moving: dict[str, float] = {}
        for sentence, uses in zip(self.sentences, uses_of_sentences.tolist()):
            for word in sentence.fixed_words:
                steady[word] = steady.get(word, 0.0) + uses
            for name in sentence.slots:
                moving[name] = moving.get(name, 0.0) + uses
        for name in [name for name in moving if not self.slots[name].drifts]:
            uses = moving.pop(name)
            for value, weight in zip(self.slots[name].values, self.slots[name].weights.tolist()):
                for word in words_of(value):
                    steady[word] = steady.get(word, 0.0) + uses * weight
        return ExpectedUses(steady, {name: (uses, self.slots[name]) for name, uses in moving.items()}, self.drift)


@dataclass(frozen=True)
class ExpectedUses:
    """The expected number of uses of every word in a document written at a given time, exactly."""

    steady: dict[str, float]
    moving: dict[str, tuple[float, Slot]]
    drift: float

    @property
    def words(self) -> list[str]:
        """Every word that can occur, in alphabetical order."""
        found = set(self.steady)
        for _, slot in self.moving.values():
            found.update(word for value in slot.values for word in words_of(value))
        return sorted(found)

    def at(self, days: Floats) -> Floats:
        """Return days × words (as in `words`)."""
        position = {word: i for i, word in enumerate(self.words)}
        row = np.array([self.steady.get(word, 0.0) for word in position])
        result = np.tile(row, (len(days), 1))
        for uses, slot in self.moving.values():
            shares = uses * slot.probabilities(days, self.drift)
            for column, value in enumerate(slot.values):
                for word in words_of(value):
                    result[:, position[word]] += shares[:, column]
        return result
