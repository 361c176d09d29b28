from __future__ import annotations

import itertools

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.sequences import NameFinder
from driftline.sequences.deleted_interpolation import Interpolation, Level
from driftline.sequences.spans import spans_of

SENTENCES = [
    ["Mr", "John", "Smith", "slept", "in", "Paris"],
    ["he", "saw", "Mr", "Jones", "in", "London"],
    ["in", "Paris", "he", "slept"],
    ["John", "Smith", "saw", "London"],
]
TAGS = [
    ["O", "B-PER", "I-PER", "O", "O", "B-LOC"],
    ["O", "O", "O", "B-PER", "O", "B-LOC"],
    ["O", "B-LOC", "O", "O"],
    ["B-PER", "I-PER", "O", "B-LOC"],
]


def table(held):
    return Interpolation([Level(*level) for level in held[0]], held[1])


def log_probability(model, words, tags):
    """Return the log-probability of a sentence and its tags, region by region."""
    numbers = model._numbers_of(words)
    inside, following, first = (table(held) for held in (model.inside_, model.next_, model.first_))

    def one(found, contexts, outcome):
        return np.log(found.probabilities([np.array([part[0]]) for part in contexts], np.array([outcome]))[0])

    def at(*values):
        return [np.array([value]) for value in values]

    regions, place = [], 0
    for span in spans_of(tags):
        if span.start > place:
            regions.append((place, span.start, "O"))
        regions.append(tuple(span))
        place = span.end
    if place < len(tags):
        regions.append((place, len(tags), "O"))
    total, before, last = 0.0, len(model.kinds_), 0
    for start, end, kind in regions:
        region = model.kinds_.index(kind)
        total += one(following, model._next(*at(before, last)), region)
        total += one(first, model._first(*at(before, region)), numbers[start])
        for word, after in itertools.pairwise([*numbers[start:end], 0]):
            total += one(inside, model._inside(*at(region, word)), after)
        before, last = region, numbers[end - 1]
    return total + one(following, model._next(*at(before, last)), len(model.kinds_))


@pytest.mark.parametrize("words", [["Mr", "Smith", "slept"], ["he", "saw", "Rome"], ["Paris"], ["x1", "Mr", "JONES"]])
def test_the_best_tags_are_the_best_of_all(words):
    model = NameFinder().fit(SENTENCES, TAGS)
    scored = {}
    for tags in itertools.product(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"], repeat=len(words)):
        follows = [tag.startswith("I") and before[1:] != tag[1:] for before, tag in itertools.pairwise(["O", *tags])]
        # two regions of other text in a row cannot be told from one
        if not any(follows):
            scored[tags] = log_probability(model, words, list(tags))
    assert tuple(model.predict([words])[0].tolist()) == max(scored, key=scored.get)


def test_names_are_found_by_their_neighbours():
    rare = [["Mr", name, "slept"] for name in ("Green", "White", "Black")]
    model = NameFinder().fit(SENTENCES * 5 + rare, TAGS * 5 + [["O", "B-PER", "O"]] * 3)
    assert model.predict([["Mr", "Brown", "slept", "in", "Paris"]])[0].tolist() == ["O", "B-PER", "O", "O", "B-LOC"]
    assert model.score(SENTENCES, TAGS) == 1.0


def test_empty_sentences_are_kept():
    model = NameFinder().fit([[], *SENTENCES], [[], *TAGS])
    assert [tags.tolist() for tags in model.predict([[], ["he"]])] == [[], ["O"]]


@pytest.mark.parametrize(
    "y, message",
    [([["O"]], "sentence 0 has 2 tokens but 1 tags"), ([["O", None]], "every token needs a tag"), ([[1, 2]], "every")],
)
def test_bad_tags_are_refused(y, message):
    with pytest.raises(InvalidInput, match=message):
        NameFinder().fit([["a", "b"]], y)


def test_a_score_needs_tags_for_every_sentence():
    with pytest.raises(InvalidInput, match="2 sentences but tags for 1"):
        NameFinder().fit(SENTENCES, TAGS).score([["a"], ["b"]], [["O"]])
