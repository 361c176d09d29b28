from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.core.labels import (
    LabelCoder,
    check_given,
    classes_of,
    codes_of,
    first_classes,
    label_codes,
    labelled_accuracy,
    labelled_values,
    numbered_labels,
)
from tests.naming import shown

MISSING = [
    ["war", None, "peace"],
    ["war", -1, "peace"],
    ["war", float("nan"), "peace"],
    np.array(["war", None, "peace"], dtype=object),
    np.array(["war", np.float32("nan"), "peace"], dtype=object),
    np.array(["war", None, "peace"], dtype=np.dtypes.StringDType(na_object=None)),
    pa.array(["war", None, "peace"]),
    pa.chunked_array([["war"], [None, "peace"]]),
    pd.Series(["war", None, "peace"]),
    pd.Series(["war", None, "peace"], dtype="string"),
    pd.Series(["war", None, "peace"], dtype="category"),
    pl.Series(["war", None, "peace"]),
]


@pytest.mark.parametrize("y", MISSING, ids=shown)
def test_missing_labels_of_every_kind(y):
    values, known = labelled_values(y, 3)
    assert known.tolist() == [True, False, True]
    classes = classes_of(values[known])
    assert classes.tolist() == ["peace", "war"]
    assert classes.dtype.kind == "U"
    assert codes_of(values, known, classes).tolist() == [1, -1, 0]


@pytest.mark.parametrize(
    ("y", "classes", "known"),
    [
        ([0, 1, -1], None, [1, 1, 0]),
        ([1, -1, 1], None, [1, 1, 1]),
        ([-1, -1, -1], None, [0, 0, 0]),
        ([1, -1, 1], [0, 1], [1, 0, 1]),
        ([1, -1, 1], [-1, 1], [1, 1, 1]),
        (np.array(["a", None, "b"], dtype=object), None, [1, 0, 1]),
        (np.array([2, -1, 3], dtype=object), None, [1, 0, 1]),
        (np.array([1, -1, None], dtype=object), None, [1, 1, 0]),
        ([0.0, np.nan, 1.0], None, [1, 0, 1]),
        ([0.0, -1.0, np.nan], None, [1, 0, 0]),
        (["x", "y", "x"], None, [1, 1, 1]),
        (["x", "-1", "x"], None, [1, 1, 1]),
        (np.array([3, 4, 5], dtype=np.uint8), None, [1, 1, 1]),
        ([True, False, True], None, [1, 1, 1]),
        (None, None, [0, 0, 0]),
    ],
)
def test_which_documents_are_labelled_where_signs_may_be_classes(y, classes, known):
    assert labelled_values(y, 3, classes=classes, signs=True)[1].tolist() == [bool(k) for k in known]


def test_without_signs_minus_one_is_never_a_class_unless_it_is_named():
    assert labelled_values([1, -1, 1], 3)[1].tolist() == [True, False, True]
    assert labelled_values([1, -1, 1], 3, classes=[-1, 1])[1].tolist() == [True, True, True]


def test_numbers_keep_their_kind():
    values, known = labelled_values(np.array([5, -1, 2], dtype=np.int32), 3)
    assert classes_of(values[known]).dtype == np.int32
    assert codes_of(values, known, np.array([2, 5])).tolist() == [1, -1, 0]
    values, known = labelled_values([5, None, 2], 3)
    assert classes_of(values[known]).tolist() == [2, 5]


def test_classes_of_several_parts():
    assert classes_of(["b", "a"], np.array(["c"], dtype=object), []).tolist() == ["a", "b", "c"]
    assert classes_of([]).tolist() == []
    assert classes_of([2], np.array([1], dtype=np.int8)).tolist() == [1, 2]


def test_classes_of_a_first_fit():
    values, known = labelled_values(["b", "a", "b"], 3)
    assert first_classes(values, known).tolist() == ["a", "b"]
    assert first_classes(values, known, ["b", "a", "c"]).tolist() == ["a", "b", "c"]
    with pytest.raises(InvalidInput, match="no document has a label"):
        first_classes(*labelled_values([-1, -1], 2))
    with pytest.raises(InvalidInput, match="only one class, 'a'"):
        first_classes(*labelled_values(["a", "a"], 2), at_least=2)
    assert first_classes(*labelled_values([-1, -1], 2), [0, 1], at_least=2).tolist() == [0, 1]


def test_no_labels_at_all():
    values, known = labelled_values(None, 4)
    assert not known.any()
    assert codes_of(values, known, np.zeros(0)).tolist() == [-1] * 4
    with pytest.raises(InvalidInput, match="Model requires y to be passed, but the target y is None"):
        check_given(None, "Model")
    check_given([1], "Model")


def test_refusals():
    with pytest.raises(InvalidInput, match="3 documents but 2 labels"):
        labelled_values([0, 1], 3)
    with pytest.raises(InvalidInput, match="infinity"):
        labelled_values([0.0, np.inf], 2)
    with pytest.raises(InvalidInput, match="Unknown label type"):
        labelled_values([0.5, 1.25], 2)
    with pytest.raises(InvalidInput, match="bytes"):
        labelled_values(np.array([b"x", b"y"]), 2)
    with pytest.raises(InvalidInput, match="one kind"):
        labelled_values(["a", 1], 2)
    with pytest.raises(InvalidInput, match="one kind"):
        classes_of([1], ["a"])
    with pytest.raises(InvalidInput, match="document 2 has the label 5, which is not among the classes"):
        codes_of(*labelled_values([-1, 0, 5, 1], 4), np.array([0, 1]))
    with pytest.raises(InvalidInput, match="not among the classes"):
        codes_of(*labelled_values(["war"], 1), np.array([0, 1]))
    with pytest.raises(InvalidInput, match="not among the classes"):
        codes_of(*labelled_values([0], 1), np.zeros(0))


def test_labels_that_are_codes_already():
    assert numbered_labels([2.0, None, 0.0], 3).tolist() == [2, -1, 0]
    assert numbered_labels(np.array([2, -1, 0], dtype=np.int8), 3).tolist() == [2, -1, 0]
    assert numbered_labels(None, 2).tolist() == [-1, -1]
    for y in ([0, -2], ["a", "b"], [0.5, 1.0]):
        with pytest.raises(ValueError, match="label"):
            numbered_labels(y, 2)


def test_accuracy_counts_documents_with_a_label():
    predicted = np.array(["a", "b", "a", "b"])
    assert labelled_accuracy(predicted, ["a", None, "b", "b"]) == pytest.approx(2 / 3)
    assert labelled_accuracy(predicted, ["a", None, "b", "b"], [1, 5, 2, 1]) == pytest.approx(1 / 2)
    with pytest.raises(InvalidInput, match="no document has a label"):
        labelled_accuracy(predicted, [None] * 4)
    assert labelled_accuracy(np.array([1, 1]), [1, -1]) == 1.0
    assert labelled_accuracy(np.array([1, 1]), [1, -1], classes=[-1, 1]) == 0.5
    assert labelled_accuracy(np.array([1, -1]), [-1, -1], classes=[-1, 1]) == 0.5


def test_streams_are_coded_without_importing_scikit_learn():
    code = "import sys; from driftline.core.labels import label_codes; label_codes(['a'])"
    code += "; sys.exit('sklearn' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


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
        pl.Series(["b", None, "a", "b"]).cast(pl.Categorical),
        pl.Series(["b", None, "a", "b"]).cast(pl.Enum(["b", "a", "c"])),
        np.array(["b", None, "a", "b"], dtype=np.dtypes.StringDType(na_object=None)),
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
    assert label_codes([0, -1, 2])[1] == ("0", "2")
    codes, names = label_codes(np.array([2, 0, -1]), ["x", "y", "z"])
    assert codes.tolist() == [2, 0, -1]
    assert names == ("x", "y", "z")


def test_a_corpus_without_any_label():
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
def test_what_is_not_a_label_is_an_error(labels, names):
    with pytest.raises(InvalidInput, match="label"):
        label_codes(labels, names)


def test_many_names_take_linear_time():
    names = [f"author {i}" for i in range(150_000)]
    start = time.process_time()
    codes, found = label_codes(names * 4)
    assert len(found) == 150_000
    assert codes.max() == 149_999
    assert time.process_time() - start < 4


@pytest.mark.parametrize(("weights", "problem"), [([1.0, 1.0], "has the shape"), ([0.0, 0.0, 1.0], "sum to zero")])
def test_weights_of_an_accuracy_that_cannot_be_used(weights, problem):
    with pytest.raises(InvalidInput, match=problem):
        labelled_accuracy(np.array(["a", "b", "a"]), ["a", "a", None], weights)
