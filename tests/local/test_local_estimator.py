"""What the local estimators share."""

from __future__ import annotations

import warnings
from datetime import timedelta

import numpy as np
import pytest

from driftline.core.errors import InvalidInput, OutsideSupportWarning
from driftline.local import LocalLogisticRegression, LocalMultinomial, LocalNaiveBayes, LocalNGram
from driftline.local.local_estimator import LocalClassifier, LocalEstimator

# The order of the documents is their time, which is what most of these tests mean
pytestmark = pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")

DAYS = np.datetime64("2003-02-01") + np.arange(40)
LABELS = np.arange(40) % 2
COUNTS = np.random.default_rng(0).poisson(1.5, (40, 4)) + np.column_stack([LABELS, 1 - LABELS, LABELS, LABELS])
WORDS = [np.repeat(np.arange(4), row) for row in COUNTS]
MODELS = [
    (LocalMultinomial, (COUNTS,), "score_samples"),
    (LocalNGram, (WORDS,), "score_samples"),
    (LocalNaiveBayes, (COUNTS, LABELS), "predict_proba"),
    (LocalLogisticRegression, (COUNTS, LABELS), "predict_proba"),
]
every_model = pytest.mark.parametrize(("kind", "data", "ask"), MODELS, ids=[kind.__name__ for kind, _, _ in MODELS])


@every_model
@pytest.mark.parametrize("bandwidth", [8.0, np.inf, "8d", timedelta(days=8), np.timedelta64(8, "D"), "global"])
def test_bandwidths_of_every_kind(kind, data, ask, bandwidth):
    assert issubclass(kind, LocalEstimator)
    model = kind(bandwidth=bandwidth).fit(*data, times=DAYS)
    assert model.bandwidth_ == (np.inf if bandwidth in (np.inf, "global") else 8.0)


@every_model
@pytest.mark.parametrize(
    "wrong", [{"bandwidth": 0.0}, {"bandwidth": -2.0}, {"bandwidth": "0d"}, {"kernel": "box"}, {"side": "future"}]
)
def test_bad_settings_are_refused_by_all_alike(kind, data, ask, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        kind(**wrong).fit(*data, times=DAYS)


@every_model
@pytest.mark.parametrize("side", ["both", "past"])
def test_times_without_data_are_named_in_one_warning(kind, data, ask, side):
    """Far outside the training range: the answer is that of the last document, and the warning points at the caller."""
    model = kind(bandwidth=8.0, side=side).fit(*data, times=DAYS)
    when = np.array(["2003-02-20", "2009-01-01"], dtype="datetime64[D]")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answers = np.asarray(getattr(model, ask)(data[0][:2], times=when))
    assert np.isfinite(answers).all()
    assert [each.category for each in caught] == [OutsideSupportWarning]
    assert "1 of 2 times has no" in str(caught[0].message)
    assert "2009-01-01" in str(caught[0].message)
    last = np.repeat(DAYS.max() + np.timedelta64(int(side == "past"), "us"), 2)
    np.testing.assert_allclose(answers[1], np.asarray(getattr(model, ask)(data[0][:2], times=last))[1], rtol=1e-4)


def test_more_documents_without_times_come_after_the_newest():
    model = LocalMultinomial(bandwidth=3.0).fit(COUNTS[:3], times=[0.0, 5.0, 7.0])
    assert model._check_more_times(None, 2, 7.0).tolist() == [8.0, 9.0]
    assert model._check_more_times([1.0], 1, 7.0).tolist() == [1.0]


def test_a_label_has_a_number():
    model = LocalNaiveBayes(bandwidth=8.0).fit(COUNTS, np.where(LABELS, "spam", "ham"))
    assert isinstance(model, LocalClassifier)
    np.testing.assert_allclose(model.probabilities("spam", [20.0]).sum(), 1)
    assert model._class_number("spam") == 1
    with pytest.raises(InvalidInput, match=r"'eggs' is not one of the classes \['ham', 'spam'\]"):
        model.probabilities("eggs", [20.0])


def silenced(call):
    """Return the answer without the warning about times that have no data around them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutsideSupportWarning)
        return np.asarray(call())


def as_documents(kind, counts):
    """Return rows of counts as the kind of estimator takes documents."""
    return [np.repeat(np.arange(len(row)), row) for row in counts] if kind is LocalNGram else np.asarray(counts)


def assert_proper(kind, answers):
    """Check that answers are finite, and probabilities between zero and one that sum to one."""
    assert np.isfinite(answers).all()
    if kind in (LocalNaiveBayes, LocalLogisticRegression):
        np.testing.assert_allclose(answers.sum(axis=1), 1)
        assert ((answers >= 0) & (answers <= 1)).all()
    else:
        assert (answers <= 0).all()


@every_model
def test_a_window_with_one_document(kind, data, ask):
    """Documents are a hundred bandwidths apart, so just after one of them it is all there is."""
    settings = {LocalMultinomial: {"smoothing": 1.0}, LocalNGram: {"order": 1, "background": 0.0}}.get(kind, {})
    times = 100.0 * np.arange(40)
    local, whole = (
        np.asarray(
            getattr(kind(bandwidth=bandwidth, **settings).fit(*data, times=times), ask)(data[0], times=times + 0.5)
        )
        for bandwidth in (1.0, "global")
    )
    forward = kind(bandwidth=1.0, side="past", **settings).fit(*data, times=times)
    answers = np.asarray(getattr(forward, ask)(data[0], times=times + 0.5))
    for found in (local, answers):
        assert_proper(kind, found)
        if ask == "score_samples":  # to know the document itself makes it likelier
            assert found.sum() > whole.sum()
        else:
            own = [np.take_along_axis(each, LABELS[:, None], axis=1) for each in (found, whole)]
            assert own[0].mean() > own[1].mean()


@every_model
def test_constant_times_are_the_global_model(kind, data, ask):
    times = np.full(40, 7.0)
    settings = {"center": "zero"} if kind is LocalLogisticRegression else {}
    answers = [
        np.asarray(getattr(kind(bandwidth=bandwidth, **settings).fit(*data, times=times), ask)(data[0], times=times))
        for bandwidth in (2.0, "cv", "global")
    ]
    np.testing.assert_allclose(answers[0], answers[2], rtol=1e-4)
    np.testing.assert_allclose(answers[1], answers[2], rtol=1e-9)
    # Logistic regression that selects again uses all documents at the newest time; with a given bandwidth it does not
    settings = {"bandwidth": 2.0} if kind is LocalLogisticRegression else {}
    chosen = kind(side="past", **settings).fit(*data, times=times)
    before = silenced(lambda: getattr(chosen, ask)(data[0][:2], times=times[:2]))  # nothing is known yet
    assert_proper(kind, before)
    if ask == "predict_proba":
        np.testing.assert_allclose(before, 0.5)


@every_model
def test_past_only_documents_of_one_time_do_not_know_each_other_but_later_ones_do(kind, data, ask):
    times = np.minimum(np.arange(40.0), 30.0)
    model = kind(side="past", bandwidth=3.0).fit(*data, times=times)
    just_before, at_newest, just_after = (
        np.asarray(silenced(lambda when=when: getattr(model, ask)(data[0], times=np.full(40, when))))
        for when in (np.nextafter(30.0, 29.0), 30.0, np.nextafter(30.0, 31.0))
    )
    np.testing.assert_allclose(at_newest, just_before, rtol=1e-9)
    assert (np.abs(just_after - at_newest) > 1e-3).any()


@every_model
@pytest.mark.parametrize("kernel", ["tricube", "triangular"])
def test_weights_that_all_but_vanish(kind, data, ask, kernel):
    """The only documents near lie a rounding error within the kernel's reach: their weights are 1e-16, or 1e-47."""
    settings = {} if kind is LocalMultinomial else {"grid": "exact"}
    settings |= {"order": 1} if kind is LocalNGram else {}
    times = np.repeat([0.0, 2.5], 20)
    model = kind(kernel=kernel, bandwidth=1.0, **settings).fit(*data, times=times)
    at = np.full(2, np.nextafter(1.0, 0.0))
    answers = silenced(lambda: getattr(model, ask)(data[0][:2], times=at))
    assert_proper(kind, answers)
    steady = kind(bandwidth="global", **settings).fit(*data, times=times)
    whole = getattr(steady, ask)(data[0][:2], times=at)
    np.testing.assert_allclose(answers, whole, rtol=0.05)


@every_model
@pytest.mark.parametrize("side", ["both", "past"])
def test_words_never_seen_and_documents_without_words(kind, data, ask, side):
    counts = np.column_stack([COUNTS, np.zeros(40, dtype=int)])
    settings = {"n_words": 5} if kind is LocalNGram else {}
    model = kind(bandwidth=8.0, side=side, **settings).fit(as_documents(kind, counts), *data[1:])
    asked = np.array([[0, 0, 0, 0, 3], [0, 0, 0, 0, 0], [1, 2, 0, 1, 0], [1, 2, 0, 1, 3]])
    answers = np.asarray(getattr(model, ask)(as_documents(kind, asked), times=np.full(4, 20.0)))
    assert_proper(kind, answers)
    if kind in (LocalMultinomial, LocalNGram):
        assert answers[1] == 0.0
        assert answers[0] < 3 * np.log(0.02)  # possible, but hardly
    elif kind is LocalNaiveBayes:
        np.testing.assert_allclose(answers[1], model.class_shares([20.0])[0])
    else:
        np.testing.assert_allclose(answers[0], answers[1])
        np.testing.assert_allclose(answers[2], answers[3])


@every_model
def test_only_documents_without_words(kind, data, ask):
    empty = as_documents(kind, np.zeros((40, 4), dtype=int))
    settings = {"n_words": 4} if kind is LocalNGram else {}
    for bandwidth in (8.0, "cv"):
        model = kind(bandwidth=bandwidth, **settings).fit(empty, *data[1:])
        answers = silenced(lambda model=model: getattr(model, ask)(data[0][:3], times=[0.0, 20.0, 39.0]))
        assert_proper(kind, answers)
    if kind in (LocalMultinomial, LocalNGram):  # all words are alike
        np.testing.assert_allclose(answers, -np.log(4) * COUNTS[:3].sum(axis=1))


@pytest.mark.parametrize("kind", [LocalNaiveBayes, LocalLogisticRegression])
@pytest.mark.parametrize("side", ["both", "past"])
def test_separable_classes_and_a_class_absent_from_a_window(kind, side):
    """Each class has words of its own, and after the thirtieth document there is only one of them."""
    labels = np.where(np.arange(60) < 30, np.arange(60) % 2, 1)
    counts = np.column_stack([5 * (labels == 0), 5 * (labels == 1), np.ones(60, dtype=int)])
    for bandwidth in (6.0, "cv"):
        model = kind(bandwidth=bandwidth, side=side).fit(counts, labels)
        answers = model.predict_proba(counts[10:], times=np.arange(10.0, 60.0))
        assert_proper(kind, answers)
        assert (answers.argmax(axis=1) == labels[10:]).all()
    model = kind(bandwidth=6.0, side=side).fit(counts, labels)
    early, late = model.predict_proba([[0, 0, 1]] * 2, times=[12.0, 55.0])[:, 0]
    assert 0 < late < early  # rare by now, not impossible


@pytest.mark.parametrize("kind", [LocalNaiveBayes, LocalLogisticRegression])
def test_documents_without_a_label_do_not_count_in_the_score(kind):
    labels = np.array(["war", "peace"], dtype=object)[LABELS]
    model = kind(bandwidth=8.0).fit(COUNTS, labels, times=DAYS)
    some = np.arange(40) < 25
    right = model.predict(COUNTS, times=DAYS) == labels
    assert model.score(COUNTS, np.where(some, labels, None), times=DAYS) == pytest.approx(right[some].mean())
    weights = np.where(np.arange(40) < 10, 3.0, 1.0)
    assert model.score(COUNTS, labels, weights, times=DAYS) == pytest.approx(np.average(right, weights=weights))
    with pytest.raises(InvalidInput, match="no document has a label"):
        model.score(COUNTS, [None] * 40, times=DAYS)
    with pytest.raises(InvalidInput, match="requires y to be passed"):
        model.score(COUNTS, None, times=DAYS)
    with pytest.raises(InvalidInput, match="40 documents but 3 labels"):
        model.score(COUNTS, ["war"] * 3, times=DAYS)


def test_minus_one_is_a_label_if_it_is_a_class():
    signs = 2 * LABELS - 1
    model = LocalNaiveBayes(bandwidth=8.0).fit(COUNTS, signs, times=DAYS)
    negative = signs == -1
    right = (model.predict(COUNTS, times=DAYS) == signs)[negative]
    assert model.score(COUNTS[negative], signs[negative], times=DAYS[negative]) == pytest.approx(right.mean())


def test_confidence_levels_are_checked():
    shares = LocalMultinomial(bandwidth=8.0).fit(COUNTS, times=DAYS)
    logistic = LocalLogisticRegression(bandwidth=8.0).fit(COUNTS, LABELS, times=DAYS)
    for band in (lambda: shares.frequency(0, level=95), lambda: shares.drift_speed(level=95)):
        with pytest.raises(InvalidInput, match="it is 95"):
            band()
    with pytest.raises(InvalidInput, match="it is 0"):
        logistic.coefficient_curve(0, level=0)
