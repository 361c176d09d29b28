from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import driftline
from driftline.base.estimator import DriftEstimator
from driftline.core.errors import InvalidInput, TimesAssumedWarning


class Model(DriftEstimator):
    pass


def test_counts_become_canonical_csr():
    twice = sp.coo_matrix(([1, 2, 3], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    counts = Model()._check_counts(twice, reset=True)
    assert counts.format == "csr"
    assert counts.dtype == np.float64
    assert counts.has_canonical_format
    assert counts.toarray().tolist() == [[0, 3], [3, 0]]
    assert twice.nnz == 3, "the caller's matrix was changed"


def test_dense_counts_and_frames_are_taken_too():
    assert Model()._check_counts([[1, 0], [0, 2]], reset=True).nnz == 2
    model = Model()
    model._check_counts(pd.DataFrame({"war": [1], "sars": [2]}), reset=True)
    assert model.feature_names_in_.tolist() == ["war", "sars"]


def test_unsorted_csr_is_not_changed_in_place():
    unsorted = sp.csr_matrix((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    counts = Model()._check_counts(unsorted, reset=True)
    assert counts.indices.tolist() == [0, 1]
    assert unsorted.indices.tolist() == [1, 0]


def test_negative_counts_are_refused_with_their_place():
    for X in (np.array([[0, 1], [2, 0], [0, -3.5]]), sp.csr_matrix([[0, 1], [2, 0], [0, -3.5]])):
        with pytest.raises(InvalidInput, match=r"document 2 counts a word -3\.5 times"):
            Model()._check_counts(X, reset=True)


def test_another_number_of_words_is_refused():
    model = Model()
    model._check_counts(np.ones((2, 3)), reset=True)
    assert model.n_features_in_ == 3
    with pytest.raises(ValueError, match="3 features"):
        model._check_counts(np.ones((2, 4)), reset=False)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_counts_must_be_finite(bad):
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        Model()._check_counts(np.array([[1, bad]]), reset=True)


def test_fitting_fixes_what_kind_of_time_the_model_lives_in():
    model = Model()
    assert model._check_times(["1970-01-02"], 1, reset=True).tolist() == [1.0]
    assert model._time_axis.kind == "datetime"
    with pytest.raises(InvalidInput, match="pass dates"):
        model._check_times([3.0], 1, reset=False)
    with pytest.warns(TimesAssumedWarning, match="Model was given no times: the documents are assumed"):
        assert model._check_times(None, 2, reset=True).tolist() == [0.0, 1.0]
    assert model._time_axis.kind == "number"


def test_save_and_load_need_trust_for_strangers(tmp_path):
    with pytest.raises(InvalidInput, match="trusted"):
        Model().save(tmp_path / "model")
    assert Model().save(tmp_path / "model", trusted=["tests"]) == tmp_path / "model"
    assert isinstance(driftline.load(tmp_path / "model", trusted=["tests"]), Model)
