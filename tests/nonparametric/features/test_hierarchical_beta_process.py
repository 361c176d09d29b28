"""The classifier by the presence of words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import BernoulliNB

import driftline
from driftline.core.errors import InvalidInput
from driftline.nonparametric import HierarchicalBetaProcess


def simulated(seed, n, c=8.0, c0=4.0, mass=15.0):
    """Draw documents of classes from the model; return them and their classes."""
    rng = np.random.default_rng(seed)
    base = driftline.BetaProcess(mass, c0).sample(400, random_state=rng)
    base = np.clip(base, 1e-6, 1 - 1e-6)
    weights = rng.beta(c * base, c * (1 - base), (len(n), len(base)))
    y = np.repeat(np.arange(len(n)), n)
    return (rng.random((len(y), len(base))) < weights[y]).astype(float), y


def test_true_concentrations_are_found():
    X, y = simulated(0, [120, 80, 100, 60])
    model = HierarchicalBetaProcess().fit(X, y)
    assert model.concentration_ == pytest.approx(8.0, rel=0.35)
    assert model.base_concentration_ == pytest.approx(4.0, rel=0.35)
    assert model.mass_ == pytest.approx(15.0, rel=0.25)
    fixed = HierarchicalBetaProcess(concentration=8.0).fit(X, y)
    assert fixed.concentration_ == 8.0
    assert fixed.log_evidence_ <= model.log_evidence_ + 1e-6
    assert HierarchicalBetaProcess(30.0, 4.0).fit(X, y).log_evidence_ < model.log_evidence_


def test_it_beats_laplace_where_its_model_holds_and_classes_are_unbalanced():
    X, y = simulated(1, [200, 30, 12, 5], mass=25.0)
    half = np.arange(len(y)) % 2 == 0
    model = HierarchicalBetaProcess().fit(X[half], y[half])
    laplace = BernoulliNB(alpha=1.0).fit(X[half], y[half])
    assert model.score(X[~half], y[~half]) > laplace.score(X[~half], y[~half])


def test_weights_are_between_the_share_in_the_class_and_the_base():
    X, y = simulated(2, [30, 10])
    model = HierarchicalBetaProcess(5.0, 2.0).fit(X, y)
    share = np.array([X[y == k].mean(axis=0) for k in (0, 1)])
    low, high = np.minimum(share, model.base_weights_), np.maximum(share, model.base_weights_)
    seen = X.any(axis=0)
    assert ((model.weights_ >= low - 1e-12) & (model.weights_ <= high + 1e-12))[:, seen].all()
    np.testing.assert_allclose(model.weights_[0], (5 * model.base_weights_ + X[y == 0].sum(axis=0)) / 35)


def test_probabilities_are_those_of_bayes_rule_word_by_word():
    X, y = simulated(3, [12, 8])
    X = X[:, X.any(axis=0)][:, :6]
    seen = X.any(axis=0)
    model = HierarchicalBetaProcess(3.0, 2.0).fit(X, y)
    new = np.array([[1, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0.0]])
    joint = []
    for k in (0, 1):
        p = model.weights_[k]
        logs = np.where(new > 0, np.log(np.where(seen, p, 1)), np.log1p(-np.where(seen, p, 0)))[:, seen].sum(axis=1)
        fresh = (new[:, ~seen] > 0).sum(axis=1)
        joint.append(np.log([12, 8][k] / 20) + logs - model.new_words_[k] - fresh * np.log(3 + [12, 8][k]))
    expected = np.exp(np.array(joint).T)
    np.testing.assert_allclose(model.predict_proba(new), expected / expected.sum(axis=1, keepdims=True))


def test_new_words_favour_classes_with_few_documents():
    model = HierarchicalBetaProcess(2.0, 1.0).fit([[1, 0, 0]] * 9 + [[0, 1, 0]], [0] * 9 + [1])
    assert model.new_words_[1] > model.new_words_[0]
    plain, new = model.predict_joint_log_proba([[1, 1, 0], [1, 1, 1]])
    assert (new - plain)[1] > (new - plain)[0]


def test_counts_are_presence_and_layout_does_not_matter():
    X, y = simulated(4, [20, 20])
    one = HierarchicalBetaProcess(3.0, 2.0).fit(X, y)
    other = HierarchicalBetaProcess(3.0, 2.0).fit(sp.csr_matrix(X * 7), y)
    np.testing.assert_array_equal(one.predict_log_proba(X), other.predict_log_proba(X * 2))


def test_unlabelled_documents_are_left_out_and_names_are_kept(tmp_path):
    X, y = simulated(5, [20, 20])
    names = np.where(y == 0, "a", "b").astype(object)
    some = names.copy()
    some[::4] = None
    model = HierarchicalBetaProcess().fit(X, some)
    again = HierarchicalBetaProcess().fit(X[some != None], some[some != None])  # noqa: E711
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
    assert set(model.predict(X)) <= {"a", "b"}
    loaded = driftline.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("X", [np.zeros((4, 3)), np.ones((4, 3)), np.eye(4)])
def test_awkward_documents(X):
    model = HierarchicalBetaProcess().fit(X, [0, 0, 1, 1])
    assert np.isfinite(model.predict_proba(X)).all()
    one = HierarchicalBetaProcess().fit(X, [2, 2, 2, 2])
    assert one.predict(X).tolist() == [2, 2, 2, 2]


def test_bad_input_is_refused():
    with pytest.raises(InvalidInput, match="no document has a label"):
        HierarchicalBetaProcess().fit([[1, 0]], [-1])
    with pytest.raises(ValueError, match="NaN"):
        HierarchicalBetaProcess().fit([[1, np.nan]], [0])
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        HierarchicalBetaProcess().fit([[1, -2]], [0])
    with pytest.raises(InvalidInput, match="requires y"):
        HierarchicalBetaProcess().fit([[1, 2]], None)
