import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import driftline
from driftline.base.text_model import TextModel
from driftline.local.multinomial.local_multinomial import LocalMultinomial
from driftline.local.ngram.local_ngram import LocalNGram
from driftline.text.tokenise import Tokenizer

TEXTS = ["snow and frost", "frost again", "heat and sun", "sun and more heat"] * 5
LABELS = ["winter", "winter", "summer", "summer"] * 5
TIMES = np.arange("2024-01-01", "2024-01-21", dtype="datetime64[D]")


def test_classifier_sees_tf_idf_of_unit_length_and_answers_texts():
    model = TextModel(LogisticRegression(), weighting="tf-idf").fit(TEXTS, LABELS)
    assert model.predict(["frost and snow", "sun"]).tolist() == ["winter", "summer"]
    assert model.predict_proba(["unheard of"]).shape == (1, 2)
    lengths = np.sqrt(model.transform_texts(TEXTS).power(2).sum(axis=1))
    np.testing.assert_allclose(lengths, 1)
    assert not hasattr(model, "score_samples")


def test_counts_and_vocabulary_reach_a_language_model():
    model = TextModel(LocalMultinomial(bandwidth=5.0), tokenizer=Tokenizer(stop_words="english")).fit(
        TEXTS, times=TIMES
    )
    assert model.estimator_.vocabulary is model.vocabulary_
    assert "and" not in list(model.vocabulary_)
    assert np.isfinite(model.score_samples(TEXTS, times=TIMES)).all()
    assert not hasattr(model, "predict")


def test_sequences_keep_the_order_of_words():
    model = TextModel(LocalNGram(order=2, bandwidth="global"), weighting="sequences").fit(TEXTS, times=TIMES)
    usual, turned = model.score_samples(["snow and frost", "frost and snow"], times=TIMES[:2])
    assert usual > turned


def test_it_is_saved_with_its_words(tmp_path):
    model = TextModel(LocalMultinomial(bandwidth=5.0)).fit(TEXTS, times=TIMES)
    model.save(tmp_path / "model")
    loaded = driftline.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.score_samples(TEXTS, times=TIMES), model.score_samples(TEXTS, times=TIMES))


def test_asking_before_fitting_is_refused():
    with pytest.raises(NotFittedError):
        TextModel(LocalMultinomial()).score_samples(["a text"])


def test_texts_of_an_iterator_are_read_once():
    texts = ["war and peace and war", "peace and love"] * 5
    model = TextModel(LocalNGram(bandwidth=5.0), weighting="sequences", min_df=1)
    one, other = (model.fit(X, times=range(10)).score_samples(texts, times=range(10)) for X in (texts, iter(texts)))
    assert one.tolist() == other.tolist()
