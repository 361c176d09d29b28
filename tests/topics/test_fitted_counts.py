import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.topics import LDA, contrasts, coverage, effects, topics_over_time
from driftline.topics.fitted_counts import counts_for

CALLS = {
    "topics_over_time": lambda model, X: topics_over_time(model, X, times=np.arange(40)),
    "coverage": lambda model, X: coverage(model, X, by=["a", "b"] * 20),
    "contrasts": lambda model, X: contrasts(model, X, between=["a", "b"] * 20),
    "effects": lambda model, X: effects(model, X, "x", data={"x": np.arange(40.0)}),
}


@pytest.fixture(scope="module")
def model():
    return LDA(2, random_state=0).fit(counts())


def counts():
    return np.random.default_rng(0).poisson(2.0, (40, 6)).astype(float)


def changed(value):
    X = counts().astype(complex if isinstance(value, complex) else float)
    X[3, 2] = value
    return X


BAD = {
    "NaN": changed(np.nan),
    "infinite": changed(np.inf),
    "negative": changed(-1),
    "complex": changed(2j),
    "one row": counts()[0],
    "other columns": counts()[:, :5],
    "texts": [["a"] * 6] * 40,
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_is_no_count_is_refused(model, call, bad):
    with pytest.raises(ValueError, match=r"NaN|infinity|egative|omplex|1D|2D|columns|convert|number"):
        call(model, bad)


@pytest.mark.parametrize("X", [counts(), counts().astype(np.float16), sp.csc_matrix(counts())], ids=type)
def test_counts_of_every_kind_are_the_same(model, X):
    np.testing.assert_array_equal(counts_for(model, X, "coverage").toarray(), counts())


def test_missing_counts_are_named(model):
    with pytest.raises(InvalidInput, match="topics_over_time needs the counts"):
        topics_over_time(model, None, times=np.arange(40))


def test_a_model_without_topics_is_refused():
    with pytest.raises(InvalidInput, match="no topics"):
        counts_for(object(), counts(), "coverage")
