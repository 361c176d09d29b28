"""The classifier that knows what time it is."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from driftline.core.errors import InvalidInput
from driftline.intensity import IntensityClassifier
from driftline.intensity.classification.forward_choice import CANDIDATES, COMBINED
from driftline.intensity.classification.intensity_classifier import METHODS
from driftline.intensity.simulate import simulate_intensity_stream

# The order of the documents is their time, which is what most of these tests mean
pytestmark = pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")


def stream(seed=0, n=800, n_topics=3, apart=1.2):
    """Documents as points around their topic's centre, topics in bursts."""
    found = simulate_intensity_stream(
        n, n_topics, rates=[0.05, 2.0], transition=0.01, association="implicit", random_state=seed
    )
    rng = np.random.default_rng(seed)
    X = rng.normal(0, 1, (n, 4)) + apart * np.eye(4)[found.topics]
    return X, found.topics, found.times


@pytest.mark.parametrize("base", [None, GaussianNB(), RidgeClassifier()], ids=["default", "naive Bayes", "scores only"])
def test_fewer_errors_than_the_classifier_alone(base):
    X, y, times = stream()
    model = IntensityClassifier(base).fit(X[:200], y[:200], times=times[:200])
    alone = (model.estimator_.predict(X[200:]) != y[200:]).sum()
    errors = (model.predict(X[200:], times=times[200:]) != y[200:]).sum()
    assert errors < 0.8 * alone
    assert model.score(X[200:], y[200:], times=times[200:]) == pytest.approx(1 - errors / 600)


def test_the_answer_is_the_geometric_mean_of_the_methods():
    X, y, times = stream(1)
    posteriors = {}
    for method in METHODS:
        model = IntensityClassifier(methods=method).fit(X[:200], y[:200], times=times[:200])
        posteriors[method] = model.predict_proba(X[200:], times=times[200:])
    assert (posteriors["base"].argmax(axis=1) == model.estimator_.predict(X[200:])).all(), "the classifier's own"
    np.testing.assert_allclose(posteriors["base"], model.estimator_.predict_proba(X[200:]), atol=1e-9)
    model = IntensityClassifier(methods=COMBINED).fit(X[:200], y[:200], times=times[:200])
    product = posteriors["tracker"] * posteriors["chain"] * posteriors["neighbours"]
    wanted = np.cbrt(product) / np.cbrt(product).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X[200:], times=times[200:]), wanted, atol=1e-4)
    assert (model.predict(X[200:], times=times[200:]) == wanted.argmax(axis=1)).all()
    tracker = model.track(X[200:], times=times[200:])
    np.testing.assert_allclose(posteriors["tracker"], tracker.topic_proba_, atol=1e-9)
    order = np.random.default_rng(0).permutation(600)
    for method in ("shares", "calibration"):
        model = IntensityClassifier(methods=[method]).fit(X[:200], y[:200])
        shuffled = model.predict_proba(X[200:][order])
        np.testing.assert_allclose(shuffled, posteriors[method][order], atol=1e-9, err_msg="the order plays no part")


def test_classes_that_come_in_no_order_cost_little():
    """The chain learns that nothing lasts; what is left of the neighbours must not undo the calibration."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(0, 1, (2000, 2)) + 1.2 * np.eye(2)[y]
    model = IntensityClassifier().fit(X[:500], y[:500])
    alone = model.estimator_.score(X[500:], y[500:])
    assert model.score(X[500:], y[500:]) > alone - 0.01


def test_where_the_stream_misleads_validation_falls_back_on_the_classifier():
    """Classes alternate, so that a document never has the class of its neighbours."""
    rng = np.random.default_rng(0)
    y = np.arange(1200) % 2
    X = rng.normal(0, 1, (1200, 2)) + 0.3 * np.eye(2)[y]
    times = np.datetime64("2020-01-01") + np.arange(1200).astype("timedelta64[D]")
    order = rng.permutation(400)
    labels = np.where(np.arange(400) % 5 == 0, -2, y[:400]).astype(object)
    labels[labels == -2] = None
    model = IntensityClassifier().fit(X[order], labels[order], times=times[order])
    assert model.methods_[0] in ("base", "calibration")
    assert model.validation_errors_["base"] < model.validation_errors_["combined"]
    always = IntensityClassifier(methods=COMBINED).fit(X[:400], y[:400])
    assert (always.validation_errors_, always.simpler_, always.overruled_) == (None, None, None), "not asked for"
    wrong = dict.fromkeys(CANDIDATES, 0)
    for n in (200, 300):
        for name, methods in CANDIDATES.items():
            part = IntensityClassifier(methods=methods).fit(X[:n], y[:n])
            wrong[name] += int((part.predict(X[n:400]) != y[n:400]).sum())
    assert IntensityClassifier().fit(X[:400], y[:400]).validation_errors_ == wrong
    rest = slice(400, None)
    assert model.score(X[rest], y[rest], times=times[rest]) > always.score(X[rest], y[rest]) + 0.02
    straight = IntensityClassifier().fit(X[:400], labels, times=times[:400])
    assert model.validation_errors_ == straight.validation_errors_, "in order of time"


def test_a_stream_unlike_the_training_documents_gets_the_simpler_answer():
    """Classes come in runs, which pays; then documents become doubtful, and whole runs of them would be overruled."""
    rng = np.random.default_rng(3)
    y, times = np.repeat(np.arange(48) % 2, 25), np.arange(1200.0)
    X = rng.normal(0, 1, (1200, 2)) + 2.0 * np.eye(2)[y]
    model = IntensityClassifier().fit(X[:400], y[:400], times=times[:400])
    assert model.methods_[0] not in ("base", "calibration")
    assert model.methods_used(X[400:], times=times[400:]) == model.methods_
    doubtful = rng.normal(0, 0.3, (800, 2)) + np.array([1.0, 1.1])
    assert model.methods_used(doubtful, times=times[400:]) == [model.simpler_]
    simpler = model._combine(model._first_evidence(doubtful), times[400:], [model.simpler_])
    np.testing.assert_array_equal(model.predict_proba(doubtful, times=times[400:]), simpler)
    named = IntensityClassifier(methods=model.methods_).fit(X[:400], y[:400], times=times[:400])
    assert named.methods_used(doubtful, times=times[400:]) == model.methods_, "methods that were named are kept"


def test_a_class_that_begins_late_in_training_is_not_ignored_on_the_stream():
    """The classifier has learned that one class is rare and never predicts it; the stream has more of it.

    Before the origins there are too few of it for calibration to help, so only held-out documents show its use. The
    models of the stream overrule the classifier too often, and calibration is given instead, not the classifier.
    """
    rng = np.random.default_rng(0)
    y = np.concatenate([rng.random(75) < 0.08, rng.random(25) < 0.5, rng.random(300) < 0.6]).astype(int)
    y[[3, 40]] = 1
    X = rng.normal(0, 1, (400, 30)) + np.outer(2 * y - 1, np.arange(30) < 4)
    model = IntensityClassifier(LogisticRegression(C=0.01)).fit(X[:100], y[:100])
    assert len(set(model.estimator_.predict(X[100:]))) == 1, "the classifier alone names one class only"
    assert model.compared_ == "base"
    assert model.simpler_ == "calibration"
    assert model.score(X[100:], y[100:]) > model.estimator_.score(X[100:], y[100:]) + 0.2
    model.overruled_["chosen"] = 0.0
    assert model.methods_used(X[100:]) == ["calibration"]


def test_without_a_signal_the_classifier_answers_alone():
    """The rarer class of training is the larger one of the stream, and nothing in the documents says which is which.

    The shares that EM finds by such likelihoods can end anywhere: here at all documents for one class.
    """
    rng = np.random.default_rng(4)
    y = np.concatenate([rng.random(120) < 0.1, rng.random(600) < 0.3]).astype(int)
    X = rng.normal(0, 1, (720, 20))
    model = IntensityClassifier().fit(X[:120], y[:120])
    assert model.signal_ < 3
    assert (model.methods_, model.validation_errors_) == (["base"], None)
    alone = model.estimator_.predict(X[120:])
    assert (model.predict(X[120:]) == alone).all()
    always = IntensityClassifier(methods=COMBINED).fit(X[:120], y[:120])
    assert (always.predict(X[120:]) != y[120:]).mean() > (alone != y[120:]).mean() + 0.2
    assert always.methods_ == list(COMBINED), "methods that were named are kept"


@pytest.mark.parametrize(
    "base", [None, KNeighborsClassifier(25)], ids=["a class too rare", "too few for the classifier"]
)
def test_too_few_labels_to_validate(base):
    y = np.arange(40) % 2 if base else np.repeat([0, 1], [36, 4])
    X = np.random.default_rng(0).normal(0, 1, (40, 2)) + 2 * np.eye(2)[y]
    model = IntensityClassifier(base).fit(X, y)
    assert (model.methods_, model.validation_errors_) == (["base"], None)


def test_a_refit_is_calibrated_again_so_that_a_rare_class_does_not_take_over():
    """With the first calibration, nearly all documents of the stream would go to the rare class."""
    errors = {False: 0, True: 0}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = (rng.random(1600) < 0.03).astype(int)
        X = rng.normal(0, 0.3, (1600, 60))
        X[:, :8] += 0.4 * y[:, None]
        for refit in errors:
            model = IntensityClassifier(LogisticRegression(C=0.1), refit=refit, methods=COMBINED).fit(X[:400], y[:400])
            errors[refit] += (model.predict(X[400:]) != y[400:]).sum()
    assert errors[True] < errors[False]


def test_one_soft_refit_helps_when_little_is_labelled():
    errors = {}
    for refit in (False, True):
        errors[refit] = 0
        for seed in range(4):
            X, y, times = stream(seed, apart=1.6)
            train = np.concatenate([np.flatnonzero(y == k)[:4] for k in range(3)])
            rest = np.setdiff1d(np.arange(800), train)
            model = IntensityClassifier(refit=refit, methods=COMBINED).fit(X[train], y[train], times=times[train])
            errors[refit] += (model.predict(X[rest], times=times[rest]) != y[rest]).sum()
    assert errors[True] < errors[False]


def test_labels_of_any_kind_and_unlabelled_documents():
    X, y, times = stream(2)
    names = np.array(["war", "sars", "budget"], dtype=object)[y]
    partly = names.copy()
    partly[::3] = None
    model = IntensityClassifier().fit(X, partly, times=times)
    assert set(model.classes_) == {"war", "sars", "budget"}
    assert model.score(X, names, times=times) > 0.8
    assert model.score(X, partly, times=times) > 0.8
    numbers = np.where(np.arange(800) % 3 == 0, -1, y)
    again = IntensityClassifier().fit(X, numbers, times=times)
    assert again.classes_.tolist() == [0, 1, 2]
    assert IntensityClassifier().fit(X, np.where(y == 0, -1, 1)).classes_.tolist() == [-1, 1], "a common pair of labels"
    np.testing.assert_allclose(again.predict_proba(X, times=times), model.predict_proba(X, times=times)[:, [2, 1, 0]])


def test_sparse_and_text():
    X, y, times = stream(3)
    sparse, dense = (IntensityClassifier(refit=True).fit(part[:200], y[:200]) for part in (sp.csr_matrix(X), X))
    np.testing.assert_allclose(
        sparse.predict_proba(sp.csr_matrix(X)), dense.predict_proba(X), atol=2e-3, err_msg="sparse and dense agree"
    )
    words = [" ".join(["ball goal team", "vote law bill"][k].split()[: 1 + i % 3]) for i, k in enumerate(y % 2)]
    model = IntensityClassifier(make_pipeline(TfidfVectorizer(), LogisticRegression())).fit(words, y % 2, times=times)
    assert model.score(words, y % 2, times=times) == 1.0


def test_the_order_of_the_documents_does_not_matter():
    X, y, times = stream(4)
    model = IntensityClassifier().fit(X[:300], y[:300], times=times[:300])
    order = np.random.default_rng(0).permutation(500)
    straight = model.predict_proba(X[300:], times=times[300:])
    np.testing.assert_allclose(
        model.predict_proba(X[300:][order], times=times[300:][order]), straight[order], atol=1e-9
    )
    np.testing.assert_allclose(model.predict_log_proba(X[300:], times=times[300:]), np.log(straight))


def test_the_stream_can_be_looked_at():
    X, y, times = stream(5)
    model = IntensityClassifier().fit(X[:300], y[:300], times=times[:300])
    tracker = model.track(X[300:], times=times[300:])
    assert tracker.bursts_.num_rows > 0
    assert (tracker.intensity_lower_ <= tracker.intensity_upper_).all()


def test_few_documents_are_enough_for_an_answer():
    X, y, times = stream(6, n=30, n_topics=2)
    one_each = [int(np.flatnonzero(y == k)[0]) for k in range(2)]
    model = IntensityClassifier().fit(X[one_each], y[one_each], times=times[one_each])
    assert (model.scale_, model.bias_.tolist()) == (1.0, [0.0, 0.0])
    assert model.predict(X[:1], times=times[:1]).shape == (1,)


def test_settings_can_be_searched():
    X, y, _times = stream(7, n=200)
    search = GridSearchCV(
        IntensityClassifier(), {"methods": ["shares", ("tracker", "chain")], "estimator": [GaussianNB()]}, cv=2
    )
    assert search.fit(X, y).best_score_ > 0.4


def test_what_cannot_be_done_is_refused():
    X, y, times = stream(8, n=60)
    with pytest.raises(InvalidInput, match="sample weights"):
        IntensityClassifier(KNeighborsClassifier(), refit=True).fit(X, y)
    with pytest.raises(InvalidInput, match="no document has a label"):
        IntensityClassifier().fit(X, np.full(60, -1))
    for methods in ((), ["chain", "clock"]):
        with pytest.raises(InvalidInput, match="one or several of tracker, chain"):
            IntensityClassifier(methods=methods).fit(X, y)
    with pytest.raises(InvalidInput, match="60 documents but 5 times"):
        IntensityClassifier().fit(X, y, times=times[:5])


def test_a_refit_keeps_the_columns_of_a_data_frame():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.repeat([0, 1, 0, 1], 15)
    frame = pl.DataFrame({"first": X[:, 0] + 2 * y, "second": X[:, 1]})
    model = IntensityClassifier(refit=True, methods="tracker").fit(frame, y)
    plain = IntensityClassifier(refit=True, methods="tracker").fit(frame.to_numpy(), y)
    # a warning of scikit-learn, that there are no names any more, is an error here
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(frame.to_numpy()), atol=1e-6)
