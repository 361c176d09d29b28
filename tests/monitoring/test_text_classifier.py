import numpy as np
import pyarrow as pa
import pytest
from tests.monitoring.streams import texts_of

import driftline
from driftline.core.errors import InvalidInput
from driftline.local import ForwardClassifier, LocalNaiveBayes
from driftline.monitoring import TextClassifier


@pytest.fixture(scope="module")
def learned():
    texts, labels, times = texts_of(60, 6)
    return TextClassifier(ForwardClassifier(C=10.0)).fit(texts, labels, times=times)


def fresh(learned, tmp_path):
    return driftline.load(learned.save(tmp_path / "model"))


def test_new_words_get_columns_when_they_are_frequent_enough(learned, tmp_path):
    model = fresh(learned, tmp_path)
    n_words = len(model.vocabulary_)
    texts, labels, times = texts_of(20, 6, first="2024-03-10", own=("crypto", "agenda"), seed=1)
    assert "crypto" not in model.vocabulary_
    assert (model.predict(texts) == labels).mean() < 0.7
    model.partial_fit(texts[:1], labels[:1], times=times[:1])
    word = "crypto" if labels[0] == "spam" else "agenda"
    assert word not in model.vocabulary_  # one document is not enough
    model.partial_fit(texts[1:], labels[1:], times=times[1:])
    assert len(model.vocabulary_) == n_words + 2
    assert model.estimator_.n_features_in_ == n_words + 2
    later, truth, _ = texts_of(10, 6, first="2024-04-10", own=("crypto", "agenda"), seed=2)
    assert (model.predict(later) == truth).mean() > 0.95


def test_a_document_is_learned_once(learned, tmp_path):
    model = fresh(learned, tmp_path)
    texts, labels, times = texts_of(5, 6, first="2024-03-10", seed=1)
    model.partial_fit(texts, labels, times=times)
    before = model.estimator_.coef_.copy()
    model.partial_fit(pa.array(texts), labels, times=times)
    assert model.n_documents_ == 360 + 30
    assert np.array_equal(model.estimator_.coef_, before)
    assert model.is_learned(texts, labels, times).all()
    assert not model.is_learned(texts, labels, times + np.timedelta64(1, "s")).any()
    both = model.is_learned([texts[0], "other"], [labels[0], "spam"], times[:2])
    assert both.tolist() == [True, False]


def test_learning_in_two_parts_survives_saving(learned, tmp_path):
    texts, labels, times = texts_of(12, 6, first="2024-03-10", seed=1)
    whole = fresh(learned, tmp_path)
    whole.partial_fit(texts[:40], labels[:40], times=times[:40]).partial_fit(texts[40:], labels[40:], times=times[40:])
    part = fresh(learned, tmp_path)
    part.partial_fit(texts[:40], labels[:40], times=times[:40])
    part = driftline.load(part.save(tmp_path / "again"))
    part.partial_fit(texts[40:], labels[40:], times=times[40:])
    assert np.array_equal(part.estimator_.coef_, whole.estimator_.coef_)
    assert part.vocabulary_ == whole.vocabulary_
    assert np.array_equal(part.reference.n_unknown, whole.reference.n_unknown)


def test_a_limit_of_words_is_kept():
    texts, labels, times = texts_of(60, 6)
    model = TextClassifier(ForwardClassifier(C=1.0), max_features=44).fit(texts, labels, times=times)
    more = texts_of(10, 6, first="2024-03-10", own=("crypto", "agenda"), seed=1)
    model.partial_fit(more[0], more[1], times=more[2])
    assert len(model.vocabulary_) == 44


def test_an_estimator_that_cannot_grow_keeps_its_words():
    texts, labels, times = texts_of(60, 6)
    model = TextClassifier(LocalNaiveBayes(side="past"), weighting="counts").fit(texts, labels, times=times)
    more = texts_of(10, 6, first="2024-03-10", own=("crypto", "agenda"), seed=1)
    model.partial_fit(more[0], more[1], times=more[2])
    assert "crypto" not in model.vocabulary_


def test_documents_without_times_follow_each_other():
    texts, labels, _ = texts_of(60, 6)
    model = TextClassifier(ForwardClassifier(C=1.0)).fit(texts, labels, times=range(len(labels)))
    model.partial_fit(texts[:5], labels[:5])
    assert model.estimator_.newest_ == 364.0
    assert model.reference.times[-1] == 364.0


def test_texts_may_come_one_by_one_and_labels_from_arrow():
    texts, labels = ["good", "bad", "good day", "bad day"], ["a", "b", "a", "b"]
    model = TextClassifier(LocalNaiveBayes(side="past"), min_df=1)
    model.fit(iter(texts), labels, times=range(4))
    assert model.n_documents_ == 4
    assert model.is_learned(texts, pa.array(labels), times=range(4)).all()


def test_the_first_part_fixes_the_classes():
    texts, labels, times = texts_of(10, 6)
    with pytest.raises(InvalidInput, match="classes"):
        TextClassifier(ForwardClassifier()).partial_fit(texts, labels, classes=["ham", "spam"], times=times)
    assert TextClassifier(ForwardClassifier()).partial_fit(texts, labels, times=times).n_documents_ == 60


def test_new_classes_are_learned_if_they_are_named():
    texts, labels, times = texts_of(10, 6)
    model = TextClassifier(ForwardClassifier(C=1.0)).fit(texts, labels, times=times)
    later = times[:6] + np.timedelta64(100, "D")
    with pytest.raises(InvalidInput):
        model.partial_fit(["crispy rashers"] * 6, ["bacon"] * 6, times=later)
    model.partial_fit(["crispy rashers"] * 6, ["bacon"] * 6, classes=["bacon"], times=later)
    assert model.predict(["crispy rashers", texts[0]]).tolist() == ["bacon", labels[0]]
    other = TextClassifier(LocalNaiveBayes(bandwidth="30d", side="past")).fit(texts, labels, times=times)
    with pytest.raises(InvalidInput, match="LocalNaiveBayes cannot learn new classes"):
        other.partial_fit(["crispy"], ["bacon"], classes=["bacon"], times=later[:1])


def test_a_failed_update_leaves_the_model_as_it_was(learned, tmp_path):
    model = fresh(learned, tmp_path)
    n_words, before = len(model.vocabulary_), model.estimator_.coef_.copy()
    more = texts_of(3, 6, first="2024-03-10", own=("crypto", "agenda"), seed=1)
    with pytest.raises(InvalidInput):
        model.partial_fit(more[0], ["bacon"] * 18, times=more[2])
    assert len(model.vocabulary_) == n_words == model.estimator_.n_features_in_
    assert np.array_equal(model.estimator_.coef_, before)
