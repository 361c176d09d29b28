import gzip
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.readers.byte_stream import ByteStream
from driftline.readers.json_array import read_json_array
from driftline.readers.records import Columns, Limits


def read_all(data, **limits):
    good, bad = [], []
    for records in read_json_array(ByteStream(io.BytesIO(data), "x"), lambda s: Columns("t", ("x",)), Limits(**limits)):
        if records.columns:
            good += list(zip(records.numbers.tolist(), records.values["x"]))
        bad += [(unusable.number, unusable.reason) for unusable in records.unusable]
    return good, bad


elements = st.one_of(
    st.builds(lambda x: ({"t": 1, "x": x}, True), st.text(max_size=6)),
    st.sampled_from([(5, False), ([{"t": 1}], False), ("a ] string", False), (None, False), (-1.5, False)]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(elements), st.integers(1, 40), st.sampled_from([None, 2]))
def test_every_element_is_read_or_reported(drawn, block, indent):
    data = json.dumps([element for element, _ in drawn], indent=indent, ensure_ascii=False).encode()
    good, bad = read_all(data, block_bytes=block)
    assert good == [(i, element["x"]) for i, (element, is_good) in enumerate(drawn, start=1) if is_good]
    assert [number for number, _ in bad] == [i for i, (_, is_good) in enumerate(drawn, start=1) if not is_good]


BROKEN = b'[{"x": "one"}, {"x": oops, "y": ["]", "\\"}"]}, {"x": "two"}, {"x": "\xff"}, {"x": "three"}]'


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_goes_on_behind_a_broken_element(block):
    good, bad = read_all(BROKEN, block_bytes=block)
    assert good == [(1, "one"), (3, "two"), (5, "three")]
    assert [number for number, _ in bad] == [2, 4]
    assert bad[0][1].startswith("broken JSON: Expecting value")
    assert bad[1][1].startswith("bad encoding")


@pytest.mark.parametrize("block", [1, 10, 1000])
def test_passes_over_an_element_that_is_too_long(block):
    long = b'{"x": "' + b'\\"]}' * 100 + b'"}'
    good, bad = read_all(b'[{"x": "one"}, ' + long + b', {"x": "two"}]', block_bytes=block, max_record_bytes=100)
    assert good == [(1, "one"), (3, "two")]
    assert [number for number, _ in bad] == [2]
    assert bad[0][1].startswith("too long")


def test_an_array_that_is_not_closed_or_goes_on_is_reported():
    assert read_all(b'[{"x": "one"}, {"x": ') == (
        [(1, "one")],
        [(2, "broken JSON: Expecting value; the array is not closed")],
    )
    assert read_all(b'[{"x": "one"}')[1] == [(2, "broken JSON: the array is not closed")]
    assert read_all(b'[{"x": "one"}] {}')[1] == [(2, "broken JSON: the array is followed by other text")]
    assert read_all(b'[{"x": "one"},]')[1] == []
    assert read_all(b"[]") == ([], [])


def test_a_truncated_file_keeps_what_it_had():
    data = gzip.compress(json.dumps([{"x": str(i)} for i in range(20_000)]).encode())
    good, bad = read_all(data[: len(data) // 2])
    assert len(good) > 1000
    assert [reason for _, reason in bad] == ["truncated: the compressed data end early"]


def test_nesting_without_end_is_no_crash():
    good, bad = read_all(b'[{"x": "one"}, {"y": ' + b"[" * 50_000 + b"]" * 50_000 + b'}, {"x": "two"}]')
    assert good == [(1, "one"), (3, "two")]
    assert bad == [(2, "broken JSON: nested too deeply")]
