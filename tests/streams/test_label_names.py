import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.streams.label_names import LabelCoder, label_codes


@pytest.mark.parametrize(
    "labels",
    [
        ["b", None, "a", "b"],
        np.array(["b", None, "a", "b"], dtype=object),
        pa.array(["b", None, "a", "b"]),
        pa.array(["b", None, "a", "b"], pa.large_string()),
        pa.array(["b", None, "a", "b"]).dictionary_encode(),
        pa.chunked_array([["b", None], ["a", "b"]]),
        pd.Series(["b", np.nan, "a", "b"]),
        pd.Series(["b", None, "a", "b"], dtype="category"),
        pl.Series(["b", None, "a", "b"]),
    ],
    ids=lambda labels: f"{type(labels).__module__}.{type(labels).__name__}",
)
def test_names_become_codes_in_sorted_order(labels):
    codes, names = label_codes(labels)
    assert codes.tolist() == [1, -1, 0, 1]
    assert names == ("a", "b")


def test_numbers_become_codes_in_numeric_order():
    assert label_codes([10, -1, 9])[0].tolist() == [1, -1, 0]
    assert label_codes([10, None, 9])[1] == ("9", "10")
    codes, names = label_codes(np.array([2, 0, -1]), ["x", "y", "z"])
    assert codes.tolist() == [2, 0, -1]
    assert names == ("x", "y", "z")


def test_no_labels_at_all():
    codes, names = label_codes([None, None])
    assert codes.tolist() == [-1, -1]
    assert names == ()


def test_coding_in_parts_is_coding_at_once():
    rng = np.random.default_rng(0)
    labels = [None if n == 0 else f"label {n}" for n in rng.integers(0, 40, size=500)]
    coder = LabelCoder()
    for start in range(0, 500, 70):
        coder.add(pa.array(labels[start : start + 70], pa.string()))
    codes, names = coder.finish()
    expected, same = label_codes(labels)
    assert names == same
    assert codes.tolist() == expected.tolist()
    assert [None if code < 0 else names[code] for code in codes] == labels


def test_names_that_no_document_has_are_left_out():
    encoded = pa.DictionaryArray.from_arrays(pa.array([1, None]), pa.array(["unused", "used"]))
    assert label_codes(encoded) == (pytest.approx([0, -1]), ("used",))


@pytest.mark.parametrize(
    ("labels", "names"), [([1.5], None), (["a", 1], None), ([-2], None), ([3], ["a"]), (["a"], ["a"])]
)
def test_what_is_no_label_is_an_error(labels, names):
    with pytest.raises(InvalidInput, match="label"):
        label_codes(labels, names)
