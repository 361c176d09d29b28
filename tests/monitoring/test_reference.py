import numpy as np
from tests.monitoring.streams import texts_of

from driftline.monitoring.reference import MOST_DOCUMENTS, Reference, unknown_words
from driftline.text.counts import count_words
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary


def days(times):
    return times.astype(np.int64) / 86400


def test_unknown_words_are_those_of_a_model_without_that_day():
    """Against the plain way: leave every day out, make the vocabulary of the rest, count what is not in it."""
    texts, _, times = texts_of(12, 4, more=("rare", "seldom"))
    texts[7] += " once here"
    at = days(times)
    known = count_words(texts, min_df=2)[1]
    found = Reference.of(texts, at, Tokenizer(), known, 2)
    for day in np.unique(np.floor(at)):
        inside = np.floor(at) == day
        others = [text for text, here in zip(texts, inside) if not here]
        vocabulary = set(count_words(others, min_df=2)[1])
        expected = [len(set(text.split()) - vocabulary) for text, here in zip(texts, inside) if here]
        assert found.n_unknown[np.floor(found.times) == day].tolist() == expected
    assert found.n_words.tolist() == [len(set(text.split())) for text in texts]


def test_the_latest_documents_are_kept_in_order():
    texts = [f"w{number % 50}" for number in range(MOST_DOCUMENTS + 10)]
    at = np.arange(len(texts))[::-1].astype(float)
    found = Reference.of(texts, at, Tokenizer(), count_words(texts)[1], 1)
    assert len(found.times) == MOST_DOCUMENTS
    assert found.times[0] == 10
    assert np.all(np.diff(found.times) > 0)
    column = list(found.words).index("w0")
    assert found.contains[-1, column] == 1  # the first text has the latest time


def test_more_documents_follow():
    texts, _, times = texts_of(12, 4)
    known = count_words(texts, min_df=2)[1]
    first = Reference.of(texts, days(times), Tokenizer(), known, 2)
    both = first.followed_by(["brand new words", "word1 word2"], np.array([1e5, 2e5]), Tokenizer(), known)
    assert len(both.times) == len(first.times) + 2
    assert both.n_unknown[-2:].tolist() == [3.0, 0.0]
    assert both.n_words[-2:].tolist() == [3.0, 2.0]
    assert "brand" in both.words


def test_texts_are_joined_word_by_word():
    first = Reference.of(["a1 b1", "b1 c1"], np.array([0.0, 1.0]), Tokenizer(), Vocabulary(["b1"]), 1)
    both, words = first.joined(["c1 d1"], Tokenizer())
    assert list(words) == ["a1", "b1", "c1", "d1"]
    assert both.toarray().tolist() == [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    assert unknown_words(both, words, Vocabulary(["b1"])).tolist() == [1, 1, 2]
