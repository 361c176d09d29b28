from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from driftline.core.errors import ModelFileError
from driftline.local import LocalNaiveBayes
from driftline.persistence.decode import Decoder
from driftline.persistence.encode import MAX_DEPTH, Encoder
from tests.persistence.holder import TRUSTED, Holder


def decoder(tensors=None, vocabularies=()):
    return Decoder((tensors or {}).__getitem__, vocabularies, TRUSTED)


def test_depth_is_limited_alike_in_both_directions():
    value = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    assert decoder().value(Encoder().value(value, "x")) == value
    with pytest.raises(ModelFileError, match="nested"):
        decoder().value([value])


def test_vocabularies_are_found_by_number():
    assert decoder(vocabularies=["words"]).value({"$": "vocabulary", "number": 0}) == "words"
    for number in (1, -1, "0", None):
        with pytest.raises(ModelFileError, match="vocabulary"):
            decoder(vocabularies=["words"]).value({"$": "vocabulary", "number": number})


def test_classes_that_were_made_are_remembered():
    encoder = Encoder(TRUSTED)
    used = decoder(encoder.tensors)
    used.estimator(encoder.estimator(Holder(first=Holder()), "x"))
    assert used.classes == {"tests.persistence.holder.Holder"}


@pytest.mark.parametrize("name", ["fit", "held", "__dict__", "a__", "held_.x", "_", "1_", ""])
def test_state_has_only_the_names_of_state(name):
    node = Encoder(TRUSTED).estimator(Holder(), "x")
    node["state"][name] = 1
    with pytest.raises(ModelFileError, match="names"):
        decoder().estimator(node)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "lil"},
        {"kind": "thing"},
        {"shape": [2]},
        {"shape": [2, -1]},
        {"shape": [3, 2]},
        {"data": [1.0, 2.0]},
        {"indptr": 5},
    ],
)
def test_sparse_parts_must_fit(changes):
    import scipy.sparse as sp

    encoder = Encoder()
    node = encoder.value(sp.csr_matrix(np.eye(2)), "x") | changes
    with pytest.raises(ModelFileError):
        decoder(encoder.tensors).value(node)


def test_sparse_indices_must_be_integers():
    import scipy.sparse as sp

    encoder = Encoder()
    node = encoder.value(sp.coo_matrix(np.eye(2)), "x")
    node["row"] = encoder.value(np.array([0.0, 1.0]), "y")
    with pytest.raises(ModelFileError, match="integers"):
        decoder(encoder.tensors).value(node)


def test_estimators_of_scikit_learn_come_back_with_parameters_state_and_output():
    fitted = StandardScaler(with_mean=False).fit([[1.0, 0.0], [1.0, 2.0]]).set_output(transform="default")
    encoder = Encoder()
    node = encoder.estimator(fitted, "x")
    found = decoder(encoder.tensors).estimator(node)
    assert type(found) is StandardScaler
    assert found.get_params() == fitted.get_params()
    np.testing.assert_array_equal(found.scale_, fitted.scale_)
    np.testing.assert_array_equal(found.transform([[3.0, 1.0]]), fitted.transform([[3.0, 1.0]]))
    assert found._sklearn_output_config == fitted._sklearn_output_config == {"transform": "default"}


def test_parameters_of_a_fitted_model_are_checked():
    encoder = Encoder()
    fitted = LocalNaiveBayes(bandwidth=2.0, strength=1.0).fit([[1, 0], [0, 2]], [0, 1], times=[0.0, 1.0])
    node = encoder.estimator(fitted, "x")
    node["parameters"]["side"] = "nowhere"
    with pytest.raises(ValueError, match="side"):
        decoder(encoder.tensors).estimator(node)
