"""Labels, present and missing."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.local.missing_labels import encode, encode_first, labelled


@pytest.mark.parametrize(
    ("y", "classes", "known"),
    [
        ([0, 1, -1], None, [1, 1, 0]),
        ([1, -1, 1], None, [1, 1, 1]),
        ([-1, -1, -1], None, [0, 0, 0]),
        ([1, -1, 1], [0, 1], [1, 0, 1]),
        ([1, -1, 1], [-1, 1], [1, 1, 1]),
        (np.array(["a", None, "b"], dtype=object), None, [1, 0, 1]),
        (np.array(["a", np.nan, "b"], dtype=object), None, [1, 0, 1]),
        (np.array([2, -1, 3], dtype=object), None, [1, 0, 1]),
        ([0.0, np.nan, 1.0], None, [1, 0, 1]),
        (["x", "y", "x"], None, [1, 1, 1]),
        ([True, False, True], None, [1, 1, 1]),
    ],
)
def test_which_documents_are_labelled(y, classes, known):
    assert labelled(y, 3, classes)[1].tolist() == [bool(k) for k in known]


def test_encode():
    labels, known = labelled(["b", "a", "b"], 3)
    names, codes = encode(labels, known)
    assert names.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, 1]
    assert encode(labels, known, ["b", "a", "c"])[0].tolist() == ["a", "b", "c"]


def test_encode_mixed_objects():
    labels, known = labelled(np.array(["b", None, "a"], dtype=object), 3)
    names, codes = encode(labels, known)
    assert names.dtype.kind == "U"
    assert codes.tolist() == [1, 0]


def test_refusals():
    with pytest.raises(InvalidInput, match="None"):
        labelled(None, 2)
    with pytest.raises(InvalidInput, match="3 documents but 2 labels"):
        labelled([0, 1], 3)
    with pytest.raises(InvalidInput, match="infinity"):
        labelled([0.0, np.inf], 2)
    with pytest.raises(InvalidInput, match="no document has a label"):
        encode(*labelled([-1, -1], 2))
    with pytest.raises(InvalidInput, match="document 1 has the label 5"):
        encode(*labelled([0, 5, 1], 3), classes=[0, 1])
    with pytest.raises(ValueError, match="Unknown label type"):
        encode(*labelled([0.5, 1.25], 2))
    with pytest.raises(InvalidInput, match="only one class, 'a'"):
        encode_first(*labelled(["a", "a"], 2))
    with pytest.raises(InvalidInput, match="no document has a label"):
        encode_first(*labelled([-1, -1], 2, [0, 1]), classes=[0, 1])
