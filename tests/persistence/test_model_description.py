from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import MultinomialNB

import driftline
from driftline.core.errors import ModelFileError
from driftline.persistence.encode import Encoder
from driftline.persistence.model import save_model
from driftline.persistence.model_description import describe, in_words
from tests.naming import shown
from tests.persistence.holder import TRUSTED, Holder, Point


def test_a_model_is_described_without_loading_it(tmp_path):
    model = Holder(first=3.5, second="x" * 100).fit(np.zeros((2, 3)))
    save_model(model, tmp_path / "model", trusted=TRUSTED)
    reported = describe(tmp_path / "model")
    assert reported.class_name == "tests.persistence.holder.Holder"
    assert reported.fitted
    assert reported.parameters == {"first": "3.5", "second": "text of 100 characters"}
    assert reported.state == {"held_": "array of float64, 2 × 3"}
    assert reported.driftline_version == driftline.__version__
    assert sorted(reported.files) == ["manifest.json", "model.safetensors"]


def test_an_unfitted_model_says_so(tmp_path):
    save_model(Holder(), tmp_path / "model", trusted=TRUSTED)
    assert not describe(tmp_path / "model").fitted


def test_an_estimator_of_scikit_learn_is_described(tmp_path):
    save_model(MultinomialNB(alpha=0.5).fit([[1, 2], [2, 1]], [0, 1]), tmp_path / "model")
    reported = describe(tmp_path / "model")
    assert reported.fitted
    assert reported.parameters["alpha"] == "0.5"
    assert reported.state["feature_count_"] == "array of float64, 2 × 2"


def test_damage_is_noticed(tmp_path):
    save_model(Holder(), tmp_path / "model", trusted=TRUSTED)
    (tmp_path / "model" / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelFileError):
        describe(tmp_path / "model")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        (float("inf"), "inf"),
        ([1] * 100, "list of 100"),
        ({"a": 1}, "{'a': 1}"),
        (dict.fromkeys(map(str, range(99))), "dictionary of 99"),
        (sp.csr_matrix((3, 4)), "sparse csr of float64, 3 × 4"),
        (np.float64(2.5), "2.5"),
        (np.array(1), "array of int64, one value"),
        (Point(1), "Point"),
        (Holder(), "Holder"),
        (np.dtype("f4"), "dtype <f4"),
        (np.random.default_rng(0), "generator"),
        (["word"] * 100, "strings"),
        ([7] * 20, str([7] * 20)),
        ([7] * 21, "list of 21"),
    ],
    ids=shown,
)
def test_values_in_words(value, words):
    assert in_words(Encoder(TRUSTED).value(value, "x")) == words
