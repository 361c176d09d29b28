import numpy as np
import pytest
from tests.monitoring.streams import texts_of

from driftline.local import ForwardClassifier
from driftline.monitoring import TextClassifier
from driftline.monitoring.earlier_fit import predict_by_earlier_fit

OLD = texts_of(40, 6)
LATER = [texts_of(40, 6, first="2024-03-01", seed=seed, more=more) for seed, more in ((1, ("tulip",)), (2, ("rose",)))]


def fitted(*parts, weighting="tf-idf", min_df=2):
    texts, labels, times = ([*a, *b] for a, b in zip(*parts))
    model = TextClassifier(ForwardClassifier(candidates=["all"], C=10.0), weighting=weighting, min_df=min_df)
    return model.fit(texts, np.array(labels), times=np.array(times))


@pytest.mark.parametrize(("weighting", "min_df"), [("tf-idf", 2), ("counts", 2), ("tf-idf", 0.01)])
def test_it_cannot_know_which_documents_are_new(weighting, min_df):
    """If learned and new documents are exchanged, so are their predictions: words of neither have an influence."""
    one, other = LATER
    here = predict_by_earlier_fit(fitted(OLD, one, weighting=weighting, min_df=min_df), other[0])
    there = predict_by_earlier_fit(fitted(OLD, other, weighting=weighting, min_df=min_df), one[0])
    assert here.n_fitted == there.n_fitted == 240
    np.testing.assert_allclose(here.before, there.now, atol=1e-12)
    np.testing.assert_allclose(here.now, there.before, atol=1e-12)
    assert np.abs(here.before - here.now).max() > 0.01


def test_the_halves_are_divided_between_days():
    texts, labels, times = texts_of(5, 40)
    model = TextClassifier(ForwardClassifier(candidates=["all"], C=10.0)).fit(texts, labels, times=times)
    found = predict_by_earlier_fit(model, texts)
    assert (found.n_fitted, len(found.before)) == (80, 120)
    assert found.times_before[0] >= np.datetime64("2024-01-03")


def test_documents_that_cannot_be_divided_have_a_reason():
    texts, labels, times = texts_of(60, 4)
    model = TextClassifier(ForwardClassifier(candidates=["all"], C=10.0))
    late = np.where(np.arange(len(labels)) < 200, "ham", labels)
    assert "fewer than two labels" in predict_by_earlier_fit(model.fit(texts, late, times=times), texts)
    same = np.zeros(len(labels))
    assert "the same time" in predict_by_earlier_fit(model.fit(texts, labels, times=same), texts)


def test_words_learned_later_are_known_to_neither():
    one, _ = LATER
    model = TextClassifier(ForwardClassifier(candidates=["all"], C=10.0)).fit(OLD[0], OLD[1], times=OLD[2])
    model.partial_fit(one[0], one[1], times=one[2])
    assert "tulip" in model.vocabulary_
    known = predict_by_earlier_fit(model, ["pills tulip", "pills rose"])
    assert np.array_equal(known.now[0], known.now[1])
