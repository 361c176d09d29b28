import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.text.sequences import TokenSequences, token_sequences
from driftline.text.tokenise import Tokenizer

TEXTS = ["war and peace and war", "", "unknown words", "peace"]
VOCABULARY = ["peace", "war"]


def test_order_is_kept_and_unknown_words_are_dropped_or_marked():
    dropped = token_sequences(TEXTS, Tokenizer(), VOCABULARY)
    assert [document.tolist() for document in dropped] == [[1, 0, 1], [], [], [0]]
    marked = token_sequences(TEXTS, Tokenizer(), VOCABULARY, keep_unknown=True)
    assert [document.tolist() for document in marked] == [[1, -1, 0, -1, 1], [], [-1, -1], [0]]
    assert marked.lengths().tolist() == [5, 0, 2, 1]
    assert dropped.ids.dtype == np.int32
    assert dropped.offsets.dtype == np.int64
    assert (
        marked.to_counts(2).toarray().tolist()
        == dropped.to_counts(2).toarray().tolist()
        == [[1, 2], [0, 0], [0, 0], [1, 0]]
    )


def test_single_documents():
    sequences = token_sequences(TEXTS, None, VOCABULARY)
    assert sequences[0].tolist() == [1, 0, 1]
    assert sequences[-1].tolist() == [0]
    assert len(sequences) == 4
    assert repr(sequences) == "TokenSequences(4 documents, 4 words)"
    for beyond in (4, -5):
        with pytest.raises(IndexError, match="there are 4, counted from 0"):
            sequences[beyond]


def test_nothing_gives_nothing():
    for keep_unknown in (False, True):
        none = token_sequences([], None, VOCABULARY, keep_unknown=keep_unknown)
        assert len(none) == 0
        assert none.to_counts(2).shape == (0, 2)
        empty = token_sequences(["", "war"], None, [], keep_unknown=keep_unknown)
        assert [document.tolist() for document in empty] == [[], [-1] * keep_unknown]


def test_ngrams_have_no_order_and_are_refused():
    with pytest.raises(InvalidInput, match="single words"):
        token_sequences(TEXTS, Tokenizer(ngram_range=(1, 2)), VOCABULARY)


@pytest.mark.parametrize(
    ("ids", "offsets"), [([1], [0]), ([1], [1, 1]), ([1, 2], [0, 2, 1, 2]), ([[1]], [0, 1]), ([], [])]
)
def test_offsets_that_do_not_fit_are_errors(ids, offsets):
    with pytest.raises(InvalidInput, match="offsets"):
        TokenSequences(np.array(ids), np.array(offsets, dtype=np.int64))


def test_too_few_columns_are_an_error():
    with pytest.raises(InvalidInput, match="only 1 columns"):
        token_sequences(TEXTS, None, VOCABULARY).to_counts(1)
