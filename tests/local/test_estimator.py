"""What the local estimators share."""

from __future__ import annotations

import warnings
from datetime import timedelta

import numpy as np
import pytest

from driftline.core.errors import InvalidInput, OutsideSupportWarning
from driftline.local import LocalLogisticRegression, LocalMultinomial, LocalNaiveBayes, LocalNGram
from driftline.local.estimator import LocalEstimator, class_number

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
    """Far outside the training range: the answer is that of the whole stream, and the warning points at the caller."""
    model = kind(bandwidth=8.0, side=side).fit(*data, times=DAYS)
    when = np.array(["2003-02-20", "2009-01-01"], dtype="datetime64[D]")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answers = np.asarray(getattr(model, ask)(data[0][:2], times=when))
    assert np.isfinite(answers).all()
    assert [each.category for each in caught] == [OutsideSupportWarning]
    assert "1 of 2 times have no" in str(caught[0].message)
    assert "2009-01-01" in str(caught[0].message)
    whole = kind(bandwidth="global", side=side).fit(*data, times=DAYS)
    np.testing.assert_allclose(answers[1], np.asarray(getattr(whole, ask)(data[0][:2], times=when))[1], rtol=1e-4)


def test_more_documents_without_times_come_after_the_newest():
    model = LocalMultinomial(bandwidth=3.0).fit(COUNTS[:3], times=[0.0, 5.0, 7.0])
    assert model._check_more_times(None, 2, 7.0).tolist() == [8.0, 9.0]
    assert model._check_more_times([1.0], 1, 7.0).tolist() == [1.0]


def test_a_label_has_a_number():
    assert class_number(np.array(["a", "b"]), "b") == 1
    with pytest.raises(InvalidInput, match=r"'c' is none of the classes \['a', 'b'\]"):
        class_number(np.array(["a", "b"]), "c")
