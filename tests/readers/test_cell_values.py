import datetime

import numpy as np
import pyarrow as pa
import pytest

from driftline.readers.cell_values import reason_for, to_labels, to_strings, to_texts


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array(["a", None, ""]), ["a", None, ""]),
        (pa.array(["a", None], pa.large_string()), ["a", None]),
        (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
        (pa.chunked_array([["a"], ["b"]]), ["a", "b"]),
        (pa.array([b"a", "é".encode()]), ["a", "é"]),
        (pa.array([1, None, -3]), ["1", None, "-3"]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array([1.0, 1.5, None]), ["1", "1.5", None]),
        (pa.array([["a", "b"], [], None]), ["a b", "", None]),
        (pa.array([["a", None]]), ["a"]),
        (pa.array([[1, 2]]), ["1 2"]),
        (pa.nulls(2), [None, None]),
        (pa.array([datetime.date(2003, 4, 5)]), ["2003-04-05"]),
        ([np.float32("nan"), np.float32(1.5)], [None, "1.5"]),
        (["a", 5, 2.0, float("nan"), None, True, ["a", 1, None], ("b",), np.array(["c"]), b"d"], None),
    ],
)
def test_every_kind_of_value_becomes_a_string(values, expected):
    if expected is None:
        expected = ["a", "5", "2", None, None, "true", "a 1", "b", "c", "d"]
    strings = to_strings(values)
    assert strings.values.type == pa.large_string()
    assert strings.values.to_pylist() == expected
    assert not strings.problems


def test_what_is_no_text_says_why():
    strings = to_strings([{"a": 1}, b"\xff", "\ud800", "good", ["x", {}]])
    assert strings.values.to_pylist() == [None, None, None, "good", None]
    assert reason_for(strings, 0) == "not text: an object"
    assert reason_for(strings, 1).startswith("bad encoding: byte 0xff")
    assert reason_for(strings, 2).startswith("bad encoding: half of a surrogate pair")
    assert reason_for(strings, 4) == "not text: an object"
    assert reason_for(to_strings([None]), 0) == "no text"


def test_bytes_that_call_themselves_a_string_are_found_out():
    column = pa.array([b"good", b"\xff"]).view(pa.string())
    strings = to_strings(column)
    assert strings.values.to_pylist() == ["good", None]
    assert reason_for(strings, 1).startswith("bad encoding")


def test_texts_of_several_columns_are_joined_without_traces_of_what_is_not_there():
    subject = pa.array(["s", "", None, None, "s"])
    body = ["b", "b", "b", None, ""]
    place = pa.array([None, None, None, None, "p"], pa.large_string())
    assert to_texts([subject, body, place]).values.to_pylist() == ["s\nb", "b", "b", None, "s\np"]
    assert to_texts([["", None], [None, None]]).values.to_pylist() == ["", None]


def test_a_problem_in_one_of_several_columns_is_a_problem():
    texts = to_texts([["subject", "fine"], [{"no": "text"}, "too"]])
    assert texts.values.to_pylist() == [None, "fine\ntoo"]
    assert reason_for(texts, 0) == "not text: an object"


def test_labels_are_strings_and_empty_ones_are_none():
    assert to_labels(pa.array(["a", "", None])).to_pylist() == ["a", None, None]
    assert to_labels(pa.array([["grain", "wheat"], ["corn"], [], None])).to_pylist() == [
        "grain|wheat",
        "corn",
        None,
        None,
    ]
    assert to_labels(pa.array([-1, 0])).to_pylist() == ["-1", "0"]
    assert to_labels(["a"]).type == pa.string()
