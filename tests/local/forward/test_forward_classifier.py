import numpy as np
import pytest
import scipy.sparse as sp

import driftline
from driftline.core.errors import InvalidInput
from driftline.local import ForwardClassifier


def turning(n=900, turn=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    sign = np.where(np.arange(n) < turn, 1.0, -1.0)
    return X, np.where(sign * X[:, 0] + 0.3 * rng.normal(size=n) > 0, "yes", "no"), np.arange(float(n))


def test_it_learns_from_the_part_of_the_past_that_predicts():
    X, y, times = turning()
    model = ForwardClassifier().fit(X[:800], y[:800], times=times[:800])
    everything = ForwardClassifier(candidates=["all"]).fit(X[:800], y[:800], times=times[:800])
    assert model.score(X[800:], y[800:]) > 0.9 > everything.score(X[800:], y[800:]) + 0.2
    assert everything.chosen_ == "all documents"
    assert everything.rival_ == "none"
    names = [candidate["name"] for candidate in model.candidates_]
    assert model.chosen_ == names[0]
    assert model.rival_ == names[1]
    assert "points of accuracy" in model.lead_
    assert "all documents" in names


def test_beyond_the_last_document_the_latest_fit_is_used():
    X, y, times = turning()
    model = ForwardClassifier().fit(X, y, times=times)
    near, far = (
        model.predict_proba(X[-50:], times=times[-50:] + 900),
        model.predict_proba(X[-50:], times=times[-50:] + 1e7),
    )
    assert np.array_equal(near, far)
    assert (model.predict(X[-50:], times=np.full(50, 1e8)) == y[-50:]).mean() > 0.9


def test_learning_on_selects_again():
    X, y, times = turning(n=1500, turn=1000)
    model = ForwardClassifier().fit(X[:900], y[:900], times=times[:900])
    before = model.score(X[1400:], y[1400:])
    for start in range(900, 1400, 50):
        model.partial_fit(X[start : start + 50], y[start : start + 50], times=times[start : start + 50])
    assert model.score(X[1400:], y[1400:]) > 0.85 > 0.2 > before
    assert model.newest_ == 1399.0


def test_learning_on_is_learning_at_once_with_the_same_choice():
    X, y, times = turning()
    whole = ForwardClassifier(candidates=["documents"], C=1.0).fit(X, y, times=times)
    parts = ForwardClassifier(candidates=["documents"], C=1.0).fit(X[:850], y[:850], times=times[:850])
    parts.partial_fit(X[850:], y[850:], times=times[850:])
    if parts.chosen_ == whole.chosen_:
        assert np.allclose(parts.coef_, whole.coef_)
    late = ForwardClassifier(candidates=["all"], C=1.0).fit(X[50:], y[50:], times=times[50:])
    late.partial_fit(X[:50], y[:50], times=times[:50])
    every = ForwardClassifier(candidates=["all"], C=1.0).fit(X, y, times=times)
    assert np.allclose(late.coef_, every.coef_, atol=1e-6)


def test_memory_is_bounded():
    X, y, times = turning()
    model = ForwardClassifier(memory=300).fit(X, y, times=times)
    only = ForwardClassifier().fit(X[-300:], y[-300:], times=times[-300:])
    assert np.allclose(model.coef_, only.coef_)
    model.partial_fit(X[:100], y[:100], times=times[:100] + 2000)
    assert len(model._labels_) == 300


def test_new_columns_are_appended():
    X, y, times = turning()
    model = ForwardClassifier(candidates=["all"], C=1.0).fit(X[:, :3], y, times=times)
    before = model.predict_proba(X[:9, :3])
    model.grow_vocabulary(["a", "b", "c", "d"])
    assert np.allclose(model.predict_proba(X[:9]), before)
    model.partial_fit(X[-5:], y[-5:], times=times[-5:] + 100)
    assert model.coef_.shape == (1, 4)
    assert model.coef_[0, 3] != 0
    with pytest.raises(InvalidInput, match="3 words"):
        model.grow_vocabulary(["a", "b", "c"])


def test_dense_vectors_of_either_sign_are_learned_from():
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(3, 16))
    y = rng.integers(0, 3, 600)
    X = centres[y] + 0.5 * rng.normal(size=(600, 16))
    model = ForwardClassifier().fit(X[:500], y[:500], times=range(500))
    assert X.min() < 0
    assert model.score(X[500:], y[500:]) > 0.95
    sparse = ForwardClassifier().fit(sp.csr_matrix(X[:500]), y[:500], times=range(500))
    assert np.array_equal(sparse.coef_, model.coef_)


def test_forward_predictions_are_those_of_the_scores():
    X, y, times = turning()
    model = ForwardClassifier().fit(X, y, times=times)
    when, truth, log_chances = model.forward_predictions()
    assert np.array_equal(truth, y[when.astype(int)])
    assert np.allclose(np.exp(log_chances).sum(axis=1), 1.0)
    accuracy = (model.classes_[log_chances.argmax(axis=1)] == truth).mean()
    assert accuracy == pytest.approx(model.candidates_[0]["accuracy"])


def test_a_horizon_counts_in_the_validation():
    X, y, times = turning()
    days = np.datetime64("2024-01-01") + times.astype("timedelta64[D]")
    counts = [
        len(ForwardClassifier(horizon=h).fit(X, y, times=days).forward_predictions()[0]) for h in ("30d", "60d", None)
    ]
    assert counts == sorted(set(counts))
    assert counts[-1] == 90 * (5 + 4 + 3 + 2 + 1)
    model = (
        ForwardClassifier()
        .fit(X, y, times=days)
        .partial_fit(X[:200], y[:200], times=days[:200] + np.timedelta64(2000, "D"))
    )
    assert len(model.forward_predictions()[0]) == 1100 / 2


def test_few_documents_are_learned_without_validation():
    model = ForwardClassifier().fit([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1]], ["a", "b", "a"], times=range(3))
    assert model.candidates_ == []
    assert model.predict([[0.9, 0.0]]).tolist() == ["a"]


@pytest.mark.parametrize("wrong", [[], ["average"], ["windows"]])
def test_unknown_candidates_are_refused(wrong):
    X, y, times = turning()
    with pytest.raises(InvalidInput, match="candidates must be"):
        ForwardClassifier(candidates=wrong).fit(X, y, times=times)


def test_a_penalty_must_be_positive():
    X, y, times = turning()
    with pytest.raises(InvalidInput, match="C must be"):
        ForwardClassifier(C=[]).fit(X, y, times=times)


def test_the_comparison_is_saved(tmp_path):
    X, y, times = turning()
    model = ForwardClassifier().fit(X, y, times=times)
    again = driftline.load(model.save(tmp_path / "model"))
    assert again.candidates_ == model.candidates_
    again.partial_fit(X[:60], y[:60], times=times[:60] + 2000)
    model.partial_fit(X[:60], y[:60], times=times[:60] + 2000)
    assert np.array_equal(again.coef_, model.coef_)


def test_added_classes_are_as_if_they_had_been_there():
    rng = np.random.default_rng(0)
    X = rng.random((500, 3))
    y = np.where(np.arange(500) < 300, np.array(["a", "c"])[(X[:, 0] > X[:, 1]).astype(int)], "b")
    times = np.arange(500.0)
    grown = ForwardClassifier(C=1.0, candidates=["all", "documents"]).fit(X[:300], y[:300], times=times[:300])
    grown.partial_fit(X[300:], y[300:], classes=["b", "c"], times=times[300:])
    known = ForwardClassifier(C=1.0, candidates=["all", "documents"])
    known.partial_fit(X[:300], y[:300], classes=["a", "b", "c"], times=times[:300])
    known.partial_fit(X[300:], y[300:], times=times[300:])
    assert grown.classes_.tolist() == known.classes_.tolist() == ["a", "b", "c"]
    assert grown.chosen_ == known.chosen_
    assert np.allclose(grown.coef_, known.coef_, atol=1e-3)
    assert grown.forward_predictions()[2].shape[1] == 3
