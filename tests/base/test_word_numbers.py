"""One stray word number costs nothing and changes nothing."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from driftline.base.sequence_input import as_sequences
from driftline.base.word_numbers import USUAL_WORDS, in_columns, numbers_in, words_of
from driftline.coding.local_context import LocalContextSparseCoding
from driftline.coding.lowbow import LocallyWeightedBagOfWords
from driftline.core.errors import InvalidInput
from driftline.local.ngram.local_ngram import LocalNGram
from driftline.sequences.hidden_markov_model import HiddenMarkovModel

FAR = 10**9
NUMBERS = np.array([0, 3, 4, 11, 50, FAR])
"""The word number of each small one."""
MOST_BYTES = 2_000_000


def small_documents(n=40, seed=0):
    rng = np.random.default_rng(seed)
    documents = [rng.integers(0, len(NUMBERS) - 1, 12).tolist() for _ in range(n)]
    documents[n // 2][3] = documents[-1][5] = len(NUMBERS) - 1
    documents[1][2] = -1
    return documents


def far(documents):
    return [[int(NUMBERS[word]) if word >= 0 else -1 for word in words] for words in documents]


def traced(action):
    """Return what an action returns, and the most memory that it held."""
    tracemalloc.start()
    try:
        return action(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_the_number_of_words_follows_what_is_there():
    documents = as_sequences([[0, 3], [2]])
    assert words_of(documents, None, None) == (4, None)
    assert words_of(documents, 10, None) == (10, None)
    assert words_of(documents, None, ["a"] * 7) == (7, None)
    assert words_of(as_sequences([[USUAL_WORDS - 1]]), None, None) == (USUAL_WORDS, None)
    n_words, numbers = words_of(as_sequences([[USUAL_WORDS, 3], [-1, 3]]), None, None)
    assert n_words == 2
    assert numbers.tolist() == [3, USUAL_WORDS]
    assert words_of(as_sequences([[0, FAR]]), 2**30, None) == (2**30, None)


def test_columns_are_the_ranks_of_the_numbers():
    documents = as_sequences([[5, FAR, -1], [], [7, 5]])
    numbers = numbers_in(documents)
    assert [words.tolist() for words in in_columns(documents, numbers)] == [[0, 2, -1], [], [1, 0]]
    assert in_columns(documents, None) is documents
    other = as_sequences([[5], [6, FAR + 1]])
    assert in_columns(other, numbers).ids.tolist() == [0, -1, -1]
    with pytest.raises(InvalidInput, match="document 1 has the word number 6, which is not among the 3 words"):
        in_columns(other, numbers, strict=True)
    assert in_columns(as_sequences([[1]]), np.empty(0, dtype=np.int64)).ids.tolist() == [-1]


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("settings", [{"bandwidth": 5.0, "background": 0.1}, {}])
def test_an_ngram_model_of_far_numbers_is_that_of_small_ones(side, settings):
    documents = small_documents()
    times = np.arange(len(documents), dtype=float)
    small = LocalNGram(order=3, side=side, **settings).fit(documents, times=times)
    model, peak = traced(lambda: LocalNGram(order=3, side=side, **settings).fit(far(documents), times=times))
    assert peak < MOST_BYTES
    assert model.word_numbers_.tolist() == NUMBERS.tolist()
    assert small.word_numbers_ is None
    assert model.n_words_ == small.n_words_ == len(NUMBERS)
    assert model.candidates_ == small.candidates_
    later = times + 1
    expected = small.score_samples(documents, times=later)
    scores, peak = traced(lambda: model.score_samples(far(documents), times=later))
    assert peak < MOST_BYTES
    np.testing.assert_array_equal(scores, expected)
    when = [3.0, 30.0]
    np.testing.assert_array_equal(model.probabilities([FAR, 11], when), small.probabilities([5, 3], when))
    with pytest.raises(InvalidInput, match="word number 5"):
        model.probabilities([5], when)
    with pytest.raises(InvalidInput, match="document 1 has the word number 12"):
        model.score_samples([[0], [12]], times=when)


@pytest.mark.parametrize("cut", [10, 20, 21])
def test_far_numbers_that_come_later_give_what_they_give_at_once(cut):
    documents = small_documents()
    times = np.arange(len(documents), dtype=float)
    settings = {"order": 3, "bandwidth": 5.0, "background": 0.1}
    at_once = LocalNGram(**settings).fit(documents, times=times)
    model = LocalNGram(**settings)
    for rows in (slice(0, cut), slice(cut, 30), slice(30, None)):
        model.partial_fit(far(documents)[rows], times=times[rows])
    assert model.word_numbers_.tolist() == NUMBERS.tolist()
    expected = at_once.score_samples(documents, times=times)
    np.testing.assert_allclose(model.score_samples(far(documents), times=times), expected)
    assert all(np.array_equal(a, b) for a, b in zip(model._keys_, at_once._keys_))


@pytest.mark.parametrize("settings", [{}, {"weighting": "idf"}, {"learning": "mini-batch", "loss": "hellinger"}])
def test_topics_of_far_numbers_are_those_of_small_ones(settings):
    documents = small_documents()
    settings = {"n_topics": 4, "random_state": 0, **settings}
    small = LocalContextSparseCoding(**settings).fit(documents)
    model, peak = traced(lambda: LocalContextSparseCoding(**settings).fit(far(documents)))
    assert peak < MOST_BYTES
    assert model.topics_.shape == small.topics_.shape == (4, len(NUMBERS))
    assert (model.topics_ != small.topics_).nnz == 0
    expected = small.transform([*documents, [-1, 0]])
    codes, peak = traced(lambda: model.transform([*far(documents), [12, 0]]))
    assert peak < MOST_BYTES
    assert (codes != expected).nnz == 0
    assert (model.flow(far(documents)[20]) != small.flow(documents[20])).nnz == 0
    assert model.top_words(3) == [[int(NUMBERS[word]) for word in words] for words in small.top_words(3)]
    model.partial_fit(far(documents)[:5])
    small.partial_fit(documents[:5])
    assert (model.topics_ != small.topics_).nnz == 0


def test_a_markov_model_of_far_numbers_is_that_of_small_ones():
    documents = small_documents()
    small = HiddenMarkovModel(n_states=2, random_state=0).fit(documents)
    expected = small.score_samples(documents)
    model, peak = traced(lambda: HiddenMarkovModel(n_states=2, random_state=0).fit(far(documents)))
    assert peak < MOST_BYTES
    np.testing.assert_array_equal(model.emission_, small.emission_)
    np.testing.assert_array_equal(model.score_samples(far(documents)), expected)


def test_curves_of_far_numbers_are_those_of_small_ones():
    documents = small_documents()
    for smoothing in (0.0, 0.5):
        small = LocallyWeightedBagOfWords(smoothing=smoothing).fit(documents)
        model = LocallyWeightedBagOfWords(smoothing=smoothing).fit(far(documents))
        expected = small.transform(documents)
        curves, peak = traced(lambda model=model: model.transform(far(documents)))
        assert peak < MOST_BYTES
        assert (curves != expected).nnz == 0
    assert model.get_feature_names_out()[5] == f"place0 {FAR}"
