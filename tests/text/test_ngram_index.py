"""The numbering of n-grams."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.base.sequence_input import as_sequences
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.text.ngram_index import check_index, index_ngrams, merge

DOCUMENTS = [[0, 1, 2, 0, 1], [], [1, 1, 1], [2, -1, 0, 1], [3]]

documents = st.lists(st.lists(st.integers(-1, 4), max_size=8), min_size=1, max_size=6)


def written_out(index, n_words):
    """Return every n-gram as a tuple of words, by number."""
    grams = [(word,) for word in range(n_words)]
    context_of = index.context_of
    for keys in index.keys:
        grams += [(*grams[context_of[len(grams) + i]], int(key % n_words)) for i, key in enumerate(keys)]
    return grams


def plainly_counted(document, order):
    found = Counter()
    for n in range(1, order + 1):
        for i in range(len(document) - n + 1):
            gram = tuple(document[i : i + n])
            if min(gram) >= 0:
                found[gram] += 1
    return found


@settings(max_examples=50, deadline=None)
@given(documents, st.integers(1, 4))
def test_counts_are_those_of_a_plain_count(sequences, order):
    index = index_ngrams(as_sequences(sequences), order, 5)
    grams = written_out(index, 5)
    assert len(grams) == index.starts[-1] == index.counts.shape[1]
    assert len(set(grams)) == len(grams)
    for row, document in enumerate(sequences):
        found = {grams[g]: count for g, count in zip(index.counts[row].indices, index.counts[row].data)}
        assert found == plainly_counted(document, order)


@settings(max_examples=50, deadline=None)
@given(documents, documents, st.integers(1, 3))
def test_merged_indexes_are_the_index_of_all(one, other, order):
    words = [max((max(d, default=-1) for d in part), default=-1) + 1 for part in (one, other)]
    parts = [index_ngrams(as_sequences(part), order, max(n, 1)) for part, n in zip((one, other), words)]
    together = merge(*parts)
    whole = index_ngrams(as_sequences(one + other), order, max(*words, 1))
    assert together.n_words == whole.n_words
    assert all(np.array_equal(a, b) for a, b in zip(together.keys, whole.keys))
    assert (together.counts != whole.counts).nnz == 0


def test_numbers_of_the_ngrams_that_end_at_a_token():
    index = index_ngrams(as_sequences(DOCUMENTS), 3, 4)
    grams = written_out(index, 4)
    found = index.grams(as_sequences([[0, 1, 2], [2, 0, 3, 1], [0, -1, 1]]))
    named = [[grams[g] if g >= 0 else None for g in row] for row in found]
    assert named[:3] == [[(0,), None, None], [(1,), (0, 1), None], [(2,), (1, 2), (0, 1, 2)]]
    assert named[3:7] == [[(2,), None, None], [(0,), (2, 0), None], [(3,), None, None], [(1,), None, None]]
    assert named[7:] == [[(0,), None, None], [None, None, None], [(1,), None, None]]


def test_children_of_a_context():
    index = index_ngrams(as_sequences(DOCUMENTS), 3, 4)
    grams = written_out(index, 4)
    numbers, words = index.children(grams.index((1,)), 2)
    assert [grams[n] for n in numbers] == [(1, 1), (1, 2)]
    assert words.tolist() == [1, 2]
    assert [grams[n] for n in index.children(grams.index((0, 1)), 3)[0]] == [(0, 1, 2)]
    assert len(index.children(grams.index((3,)), 2)[0]) == 0


def test_a_word_beyond_the_vocabulary_is_refused():
    with pytest.raises(InvalidInput, match="document 1 has the word number 9, but there are 4 words"):
        index_ngrams(as_sequences([[0], [1, 9]]), 2, 4)


@settings(max_examples=50, deadline=None)
@given(documents, st.integers(1, 4))
def test_suffixes_lack_the_first_word(documents, order):
    index = index_ngrams(as_sequences(documents), order, 5)
    grams = written_out(index, 5)
    for number, suffix in enumerate(index.suffix_of):
        assert grams[suffix] == grams[number][1:] if len(grams[number]) > 1 else suffix == -1


@pytest.mark.parametrize("damage", [lambda keys: keys - 100, lambda keys: keys + 10**6, lambda keys: keys[::-1]])
def test_numbers_out_of_range_are_damage(damage):
    index = index_ngrams(as_sequences(DOCUMENTS), 2, 4)
    check_index(index, 2)
    with pytest.raises(ModelFileError, match="the n-grams of the model are inconsistent"):
        check_index(index._replace(keys=[damage(index.keys[0])]), 2)
