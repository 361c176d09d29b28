import numpy as np
import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.evolving.frames.label_codes import codes_of, labelled_values, sorted_classes


@pytest.mark.parametrize(
    "y",
    [
        ["war", None, "peace"],
        ["war", -1, "peace"],
        ["war", float("nan"), "peace"],
        np.array(["war", None, "peace"], dtype=object),
        pa.array(["war", None, "peace"]),
        pa.chunked_array([["war"], [None, "peace"]]),
    ],
    ids=["list", "list with -1", "list with NaN", "objects", "arrow", "chunks"],
)
def test_missing_labels_of_every_kind(y):
    values, labelled = labelled_values(y, 3)
    assert labelled.tolist() == [True, False, True]
    classes = sorted_classes(values[labelled])
    assert classes.tolist() == ["peace", "war"]
    assert codes_of(values, labelled, classes).tolist() == [1, -1, 0]


def test_numbers_keep_their_kind():
    values, labelled = labelled_values(np.array([5, -1, 2]), 3)
    assert sorted_classes(values[labelled]).dtype.kind == "i"
    assert codes_of(values, labelled, np.array([2, 5])).tolist() == [1, -1, 0]


def test_no_labels_at_all():
    values, labelled = labelled_values(None, 4)
    assert not labelled.any()
    assert codes_of(values, labelled, np.zeros(0)).tolist() == [-1] * 4


def test_refusals():
    with pytest.raises(InvalidInput, match="3 documents but 2 labels"):
        labelled_values([1, 2], 3)
    with pytest.raises(InvalidInput, match="not among the classes"):
        codes_of(np.array([7]), np.array([True]), np.array([1, 2]))
    with pytest.raises(InvalidInput, match="one kind"):
        sorted_classes([1], ["a"])
    with pytest.raises(InvalidInput, match="NaN or infinity"):
        labelled_values(np.array([1.0, np.nan]), 2)
    with pytest.raises(ValueError, match="label type"):
        labelled_values(np.array([0.25, 0.5]), 2)
