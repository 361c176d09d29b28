import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from driftline.core.errors import InvalidInput
from driftline.text import rows
from driftline.text.counts import WordCounter, count_words
from driftline.text.sequences import token_sequences
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary
from tests.oracles.tokens import HOSTILE

TOKENIZING = ("lowercase", "strip_accents", "stop_words", "ngram_range")


def _peer(texts, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about stop words that no text can contain
        vectorizer = CountVectorizer(**options)
        counts = vectorizer.fit_transform(texts)
    return counts, vectorizer.get_feature_names_out().tolist()


def _ours(texts, options):
    tokenizing = {name: options[name] for name in TOKENIZING if name in options}
    if "token_pattern" in options:
        tokenizing["pattern"] = options["token_pattern"]
    rest = {name: value for name, value in options.items() if name not in (*TOKENIZING, "token_pattern")}
    return count_words(texts, Tokenizer(**tokenizing), **rest)


def _assert_equal(texts, options):
    """Same columns, same counts, same order; or no words in both."""
    try:
        expected, names = _peer(texts, options)
    except ValueError:
        with pytest.raises(InvalidInput):
            _ours(texts, options)
        return
    counts, vocabulary = _ours(texts, options)
    assert list(vocabulary) == names
    assert counts.shape == expected.shape
    expected.sort_indices()  # scikit-learn leaves the words of a row in the order of their first appearance
    np.testing.assert_array_equal(counts.indptr, expected.indptr)
    np.testing.assert_array_equal(counts.indices, expected.indices)
    np.testing.assert_array_equal(counts.data, expected.data)
    assert counts.dtype == np.int32
    assert counts.has_canonical_format


OPTIONS = [
    {},
    {"lowercase": False},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 2)},
    {"ngram_range": (2, 4), "lowercase": False},
    {"stop_words": ["aa", "line", "word", "東京"]},
    {"stop_words": ["aa", "line"], "ngram_range": (1, 3)},
    {"strip_accents": "unicode"},
    {"strip_accents": "ascii", "ngram_range": (1, 2)},
    {"strip_accents": "unicode", "lowercase": False},
    {"binary": True},
    {"binary": True, "max_features": 5},
    {"min_df": 2},
    {"min_df": 0.05, "max_df": 0.5},
    {"max_df": 1},
    {"max_df": 0.04},
    {"min_df": 3, "max_df": 2},
    {"max_features": 1},
    {"max_features": 7},
    {"max_features": 40, "min_df": 2, "ngram_range": (1, 2)},
    {"token_pattern": r"(?u)\b\w+\b"},
    {"token_pattern": r"[a-zà-ü]+"},
    {"token_pattern": r"(\w)\w*", "ngram_range": (1, 2)},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_hostile_texts_are_counted_as_by_scikit_learn(options):
    _assert_equal(HOSTILE, options)


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
FEW_WORDS = st.lists(st.sampled_from(["aa", "AA", "bb", "été", "ΣΑΣ", "cc", "İi", "d", "東京"]), max_size=12).map(
    " ".join
)


@given(
    texts=st.lists(ANY_TEXT | FEW_WORDS, min_size=1, max_size=8),
    lowercase=st.booleans(),
    longest=st.integers(1, 3),
    stop_words=st.sampled_from([None, ["aa", "σας"]]),
    min_df=st.sampled_from([1, 2, 0.0, 0.3]),
    max_df=st.sampled_from([1.0, 0.8, 3]),
    max_features=st.sampled_from([None, 1, 3]),
    binary=st.booleans(),
)
def test_any_texts_are_counted_as_by_scikit_learn(texts, longest, **options):
    _assert_equal(texts, {**options, "ngram_range": (1, longest)})


def test_ties_at_max_features_fall_as_in_scikit_learn():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{n:04d}" for n in rng.integers(0, 3000, size=20)) for _ in range(500)]
    for limit in (10, 500, 1500):
        _assert_equal(texts, {"max_features": limit})


def _random_texts(n, seed=0):
    rng = np.random.default_rng(seed)
    return [
        " ".join(f"w{k}é" if k % 9 == 0 else f"w{k}" for k in rng.zipf(1.4, rng.integers(0, 30)) % 500)
        for _ in range(n)
    ]


@pytest.mark.parametrize("options", [{}, {"ngram_range": (1, 2)}, {"stop_words": ["w1", "w2"]}, {"stemmer": "english"}])
def test_counting_in_parts_is_counting_at_once(options, monkeypatch):
    texts = _random_texts(300)
    tokenizer = Tokenizer(**options)
    expected, words = count_words(texts, tokenizer, min_df=2)
    monkeypatch.setattr(rows, "BATCH_ROWS", 7)
    monkeypatch.setattr(rows, "BATCH_BYTES", 400)
    counter = WordCounter(tokenizer, min_df=2)
    for start in range(0, 300, 50):
        counter.add(texts[start : start + 50])
    counter.add([])
    counts, vocabulary = counter.finish()
    assert vocabulary == words
    assert (counts != expected).nnz == 0
    assert counter.n_documents == 300


def test_growing_in_parts_is_growing_at_once():
    texts = _random_texts(200)
    start = Vocabulary(["w5", "never", "w7"])
    for options in ({}, {"stop_words": ["w1", "w7"]}, {"ngram_range": (1, 2)}):
        tokenizer = Tokenizer(**options)
        counts, grown = count_words(texts, tokenizer, vocabulary=start, grow=True)
        vocabulary, parts = start, []
        for first in range(0, 200, 40):
            part, vocabulary = count_words(texts[first : first + 40], tokenizer, vocabulary=vocabulary, grow=True)
            parts.append(part)
        assert vocabulary == grown
        assert list(grown)[:3] == ["w5", "never", "w7"]
        fresh, words = count_words(texts, tokenizer)
        np.testing.assert_array_equal(counts[:, grown.index(words.words)].toarray(), fresh.toarray())
        for k, part in enumerate(parts):
            rest = counts[40 * k : 40 * k + 40]
            np.testing.assert_array_equal(part.toarray(), rest[:, : part.shape[1]].toarray())
            assert rest[:, part.shape[1] :].nnz == 0


def test_growing_then_pruning_keeps_the_counts():
    texts = _random_texts(100)
    counts, grown = count_words(texts, vocabulary=["w3"], grow=True)
    keep = np.asarray((counts > 0).sum(axis=0)).ravel() >= 5
    smaller, columns, kept = grown.prune(keep)
    recounted, same = count_words(texts, vocabulary=smaller)
    assert same is smaller
    np.testing.assert_array_equal(recounted.toarray(), counts[:, kept].toarray())
    assert (columns[kept] == np.arange(len(kept))).all()


@pytest.mark.parametrize("options", [{}, {"stop_words": ["w1"]}, {"stemmer": "english"}, {"pattern": "w[0-9]"}])
def test_tokens_sequences_and_counts_agree(options):
    texts = [*_random_texts(80), *HOSTILE]
    tokenizer = Tokenizer(**options)
    counts, vocabulary = count_words(texts, tokenizer)
    sequences = token_sequences(texts, tokenizer, vocabulary)
    tokens = tokenizer.tokens(texts)
    assert [[vocabulary[i] for i in document] for document in sequences] == tokens.to_pylist()
    assert (sequences.to_counts(len(vocabulary)) != counts).nnz == 0


def test_a_given_vocabulary_is_counted_as_by_scikit_learn():
    vocabulary = ["w9é", "never", "w1", "w2 w1", "w3"]
    texts = _random_texts(60)
    expected = CountVectorizer(vocabulary=vocabulary, ngram_range=(1, 2)).fit_transform(texts)
    counts, same = count_words(texts, Tokenizer(ngram_range=(1, 2)), vocabulary=vocabulary)
    assert list(same) == vocabulary
    assert (counts != expected).nnz == 0
    assert counts.nnz > 0


def test_a_stop_word_in_a_given_vocabulary_is_not_counted():
    counts, vocabulary = count_words(["war peace"], Tokenizer(stop_words=["war"]), vocabulary=["war", "peace"])
    assert counts.toarray().tolist() == [[0, 1]]
    assert len(vocabulary) == 2
    grown = count_words(["war peace new"], Tokenizer(stop_words=["war"]), vocabulary=["peace"], grow=True)[1]
    assert list(grown) == ["peace", "new"]


def test_documents_without_words_are_rows_without_counts():
    counts, _ = count_words(["", "war", "!"])
    assert counts.toarray().tolist() == [[0], [1], [0]]
    counts, vocabulary = count_words(["", "!"], vocabulary=["war"])
    assert counts.shape == (2, 1)
    assert vocabulary == Vocabulary(["war"])
    assert count_words([], vocabulary=["war"], grow=True)[0].shape == (0, 1)
    assert count_words(["x"], vocabulary=[])[0].shape == (1, 0)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([],), {}, "no words in 0 documents"),
        ((["", "!"],), {}, "no words in 2 documents"),
        ((["the of"], Tokenizer(stop_words="english")), {}, "stop words"),
        ((["aa", "aa"],), {"max_df": 1}, "no word is left of 1 in 2 documents"),
        ((["aa", "aa"],), {"max_df": 0.4}, "fewer than min_df"),
        ((["aa"],), {"vocabulary": ["aa"], "min_df": 2}, "Vocabulary.prune"),
        ((["aa"],), {"vocabulary": ["aa"], "max_features": 2}, "Vocabulary.prune"),
        ((["aa"],), {"grow": True}, "needs a vocabulary"),
        ((["aa"],), {"min_df": 0}, "min_df"),
    ],
)
def test_what_cannot_be_counted_is_a_clear_error(arguments, options, message):
    with pytest.raises(InvalidInput, match=message):
        count_words(*arguments, **options)


def test_a_counter_gives_its_counts_away_once():
    counter = WordCounter()
    counter.add(["war"])
    counter.finish()
    for action in (counter.finish, lambda: counter.add(["war"])):
        with pytest.raises(InvalidInput, match="create a new one"):
            action()


def test_arrow_lists_and_generators_count_alike():
    texts = _random_texts(50)
    expected, words = count_words(texts)
    for same in (pa.array(texts), pa.chunked_array([texts[:20], texts[20:]]), (text for text in texts)):
        counts, vocabulary = count_words(same)
        assert vocabulary == words
        assert (counts != expected).nnz == 0


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["maillists_2019_2026", "health_tweets", "20news_bydate"])
def test_real_texts_are_counted_as_by_scikit_learn(real_data, name):
    import pyarrow.parquet as pq

    texts = pq.read_table(real_data(name), columns=["text"])["text"].drop_null()[:15_000].to_pylist()
    _assert_equal(texts, {"ngram_range": (1, 2), "min_df": 2})
