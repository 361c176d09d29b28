import copy
import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.text.vocabulary import Vocabulary, sorted_words

WORDS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), unique=True, max_size=30)


@given(WORDS, WORDS)
def test_growing_and_pruning_keep_words_and_columns_together(words, more):
    vocabulary = Vocabulary(words)
    assert list(vocabulary) == words
    grown = vocabulary.add(more)
    assert list(grown) == words + [word for word in more if word not in words]
    assert grown.index(words).tolist() == list(range(len(words)))
    keep = np.arange(len(grown)) % 3 != 1
    smaller, columns, kept = grown.prune(keep)
    assert list(smaller) == [word for word, stays in zip(grown, keep) if stays]
    assert grown.words[kept].tolist() == list(smaller)
    for column, word in enumerate(grown):
        assert columns[column] == (list(smaller).index(word) if keep[column] else -1)
    assert grown.prune(kept).vocabulary == smaller


@given(WORDS)
def test_sorting_is_by_code_points_as_in_python(words):
    assert [words[i] for i in sorted_words(pa.array(words, pa.large_string()))] == sorted(words)


def test_looking_up():
    vocabulary = Vocabulary(["war", "peace", "été"])
    assert vocabulary.index(["été", "unknown", "war", "war"]).tolist() == [2, -1, 0, 0]
    assert vocabulary.index(pa.array(["peace"])).tolist() == [1]
    assert vocabulary.index([]).tolist() == []
    assert vocabulary.column("peace") == 1
    assert vocabulary.column(2) == vocabulary.column(np.int64(2)) == 2
    assert vocabulary[0] == "war"
    assert vocabulary[-1] == "été"
    assert "war" in vocabulary
    assert "wars" not in vocabulary
    assert 3 not in vocabulary
    assert np.asarray(vocabulary).tolist() == list(vocabulary)
    with pytest.raises(InvalidInput, match="did you mean 'peace'"):
        vocabulary.column("peaces")
    with pytest.raises(InvalidInput, match="stop word"):
        vocabulary.column("zzzz")
    for column in (3, -1):
        with pytest.raises(InvalidInput, match="columns 0 to 2"):
            vocabulary.column(column)


def test_vocabularies_are_values():
    one, same = Vocabulary(["a", "bc"]), Vocabulary(pa.array(["x", "a", "bc"], pa.large_string())[1:])
    assert one == same
    assert hash(one) == hash(same)
    assert one != Vocabulary(["bc", "a"])
    assert one != Vocabulary(["ab", "c"])
    assert hash(one) != hash(Vocabulary(["ab", "c"]))
    assert one != ["a", "bc"]
    assert copy.deepcopy(one) is one
    assert copy.copy(one) is one
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 (joblib hands estimators to processes this way)
    assert one.add(["a"]) is one
    assert Vocabulary.of(one) is one
    assert Vocabulary.of(["a", "bc"]) == one
    with pytest.raises(ValueError, match="read-only"):
        one.words[0] = "b"


def test_arrow_and_back():
    vocabulary = Vocabulary(["war", "", "été"])
    assert Vocabulary.from_arrow(vocabulary.to_arrow()) == vocabulary
    assert Vocabulary.from_arrow(pa.table({"word": pa.chunked_array([["war"], ["", "été"]])})) == vocabulary
    with pytest.raises(InvalidInput, match="'word'"):
        Vocabulary.from_arrow(pa.table({"w": ["a"]}))


def test_doubled_and_missing_words_are_errors():
    with pytest.raises(InvalidInput, match="'war' is in the vocabulary more than once"):
        Vocabulary(["peace", "war", "war"])
    with pytest.raises(InvalidInput, match="document 1 has no text"):
        Vocabulary(["a", None])


def test_masks_and_columns_must_fit():
    vocabulary = Vocabulary(["a", "b"])
    with pytest.raises(InvalidInput, match="shape"):
        vocabulary.prune([True])
    with pytest.raises(InvalidInput, match="0 to 1"):
        vocabulary.prune([2])
    assert len(vocabulary.prune([]).vocabulary) == 0


def test_from_counts_is_sorted_and_limited():
    made = Vocabulary.from_counts(
        ["b", "a", "c"], np.array([3, 1, 2]), np.array([3, 1, 9]), total_documents=3, min_df=2, max_features=1
    )
    assert list(made) == ["c"]


def test_repr_is_short():
    assert repr(Vocabulary()) == "Vocabulary(0 words)"
    assert repr(Vocabulary(map(str, range(2000)))) == "Vocabulary(2,000 words: '0', '1', '2', …)"
