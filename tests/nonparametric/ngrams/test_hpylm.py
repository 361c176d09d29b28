"""HPYLM as an estimator."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.oracles.pitman_yor_ngrams import drawn_documents

import driftline
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.nonparametric import HPYLM

WORDS = ["the", "war", "peace", "goes", "on"]
DOCUMENTS = [[0, 1, 3, 4]] * 12 + [[0, 2, 3, 4]] * 4


def model(**more):
    return HPYLM(**{"order": 2, "min_count": 1, "random_state": 0, "burn_in": 5, "n_samples": 4} | more).fit(DOCUMENTS)


@pytest.mark.parametrize("smoothing", ["hpy", "kn", "mkn"])
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_probabilities_sum_to_one_and_multiply_to_the_score(smoothing, order):
    fitted = model(smoothing=smoothing, order=order)
    document = [0, 2, 3, 9, 0, 1]
    expected = 0.0
    for i, word in enumerate(document):
        p = fitted.probabilities(document[:i])
        assert p.shape == (6,)
        assert (p > 0).all()
        assert p.sum() == pytest.approx(1)
        expected += math.log(p[min(word, 5)])
    if fitted._customers_.shape[0] == 1:
        assert fitted.score_samples([document])[0] == pytest.approx(expected)
    else:
        tokens = np.array([math.log(fitted.probabilities(document[:i])[min(w, 5)]) for i, w in enumerate(document)])
        assert fitted.score_samples([document])[0] == pytest.approx(tokens.sum())
    assert fitted.perplexity([document]) == pytest.approx(math.exp(-expected / 6))
    assert fitted.score([document]) == pytest.approx(expected / 6)


def test_contexts_matter_and_words_have_names():
    fitted = model(vocabulary=WORDS)
    (first, p), (second, q) = fitted.next_words("the", 2)
    assert (first, second) == ("war", "peace")
    assert 0.5 < q + p < 1
    assert p > 2 * q
    np.testing.assert_array_equal(fitted.probabilities(["goes", "the"]), fitted.probabilities(0))
    np.testing.assert_array_equal(fitted.probabilities("unheard"), fitted.probabilities([77]))
    assert fitted.next_words("the", 99)[-1][0] in (*WORDS, "<unk>")
    assert model().next_words(0, 1)[0][0] == 1


def test_rare_and_unseen_words_are_one_word():
    fitted = HPYLM(order=2, min_count=2, random_state=0, burn_in=2, n_samples=2).fit([[0, 1, 0, 1, 5], [0, -1, 0, 7]])
    assert fitted.word_numbers_.tolist() == [0, 1]
    assert fitted.n_words_ == 3
    same = fitted.score_samples([[0, 5, 1], [0, -1, 1], [0, 99, 1]])
    assert same[0] == same[1] == same[2]
    assert fitted.next_words(0, 3)[-1][1] < fitted.next_words(0, 3)[0][1]
    assert -1 in {word for word, _ in fitted.next_words(0, 3)}


def test_texts_are_drawn_after_a_prefix():
    fitted = model(vocabulary=WORDS)
    drawn = [fitted.sample(3, prefix="the", random_state=seed) for seed in range(60)]
    assert drawn[0] == fitted.sample(3, prefix="the", random_state=0)
    share = np.mean([words[0] == "war" for words in drawn])
    assert share == pytest.approx(fitted.probabilities("the")[1], abs=0.2)
    assert all("<unk>" not in words for words in drawn)
    assert fitted.sample(0) == []
    rare = HPYLM(order=2, min_count=99, random_state=0).fit(DOCUMENTS)
    with pytest.raises(InvalidInput, match="min_count"):
        rare.sample(3)
    assert rare.sample(3, unknown=True) == [-1, -1, -1]


def test_it_predicts_better_than_kneser_ney_where_its_model_holds():
    rng = np.random.default_rng(5)
    drawn = drawn_documents(rng, 80, 100, 150, [0.4, 0.6, 0.7], [2.0, 1.0, 0.5])
    learned, new = drawn[:60], drawn[60:]
    found = {s: HPYLM(3, s, random_state=0, min_count=1).fit(learned).score(new) for s in ("hpy", "kn", "mkn")}
    assert found["hpy"] > max(found["kn"], found["mkn"])


def test_averaging_improves_on_one_sample():
    rng = np.random.default_rng(6)
    drawn = drawn_documents(rng, 40, 100, 150, [0.4, 0.8], [2.0, 1.0])
    one = [HPYLM(2, n_samples=1, random_state=seed).fit(drawn[:30]).score(drawn[30:]) for seed in range(3)]
    assert HPYLM(2, n_samples=20, random_state=0).fit(drawn[:30]).score(drawn[30:]) > max(one)


@pytest.mark.parametrize("smoothing", ["hpy", "kn", "mkn"])
@pytest.mark.parametrize("documents", [[[]], [[0]], [[], []], [[-1, -1]], [[0] * 50], [[0, 1]] * 30])
def test_awkward_documents(smoothing, documents):
    fitted = HPYLM(3, smoothing, random_state=0, burn_in=1, n_samples=2).fit(documents)
    assert np.isfinite(fitted.score_samples([*documents, [], [3, 0]])).all()
    assert fitted.score([[]]) == 0
    assert fitted.perplexity([[]]) == 1
    assert fitted.probabilities([0]).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[0, 0.5]], r"word 1 of document 0 is 0\.5"),
        ([[0], [float("nan")]], "word 0 of document 1 is nan"),
        ([], "no document"),
        ("text", "list of token sequences"),
        ([[0, -2]], "is -2"),
    ],
)
def test_bad_input_is_refused(X, message):
    with pytest.raises(InvalidInput, match=message):
        HPYLM().fit(X)


def test_words_without_a_vocabulary_are_refused():
    with pytest.raises(InvalidInput, match="no vocabulary"):
        model().probabilities("the")
    with pytest.raises(InvalidInput, match="the context"):
        model().probabilities([0.5])
    with pytest.raises(NotFittedError):
        HPYLM().probabilities()
    with pytest.raises(ValueError, match="smoothing"):
        HPYLM(smoothing="laplace").fit(DOCUMENTS)


def test_saved_models_predict_the_same_and_damaged_ones_are_refused(tmp_path):
    fitted = model(order=3, vocabulary=WORDS)
    loaded = driftline.load(fitted.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.score_samples(DOCUMENTS), fitted.score_samples(DOCUMENTS))
    assert loaded.sample(5, prefix="war", random_state=3) == fitted.sample(5, prefix="war", random_state=3)
    fitted._keys_ = [fitted._keys_[0] + 1000, fitted._keys_[1]]
    with pytest.raises(ModelFileError, match="inconsistent"):
        fitted._check_state()
    assert not hasattr(clone(fitted), "n_words_")


def test_the_trace_increases_and_results_repeat():
    fitted, again = model(), model()
    assert fitted.trace_.shape == (9,)
    assert (fitted.trace_ < 0).all()
    np.testing.assert_array_equal(fitted._tables_, again._tables_)
    assert fitted.discounts_.shape == (4, 2, 3)
    assert fitted.concentrations_.shape == (4, 2)
