import io
import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.readers import jsonl
from driftline.readers.byte_stream import ByteStream
from driftline.readers.jsonl import columns_of, read_jsonl
from driftline.readers.records import Columns, Limits
from tests.oracles import json_lines

COLUMNS = Columns("t", ("x",), "l", "i")


def read_all(data, **limits):
    """Return [(line, values)] and [(line, reason)] of everything in `data`."""
    good, bad = [], []
    stream = ByteStream(io.BytesIO(data), "test")
    for records in read_jsonl(stream, lambda sample: COLUMNS, Limits(**limits)):
        columns = [_listed(records.values[name]) for name in COLUMNS.needed()] if records.columns else []
        good += [(int(n), dict(zip(COLUMNS.needed(), row))) for n, row in zip(records.numbers, zip(*columns))]
        bad += [(unusable.number, unusable.reason) for unusable in records.unusable]
    return good, bad


def _listed(values):
    return values.to_pylist() if isinstance(values, pa.Array) else list(values)


good_lines = st.builds(
    lambda t, x, ascii: json.dumps({"t": t, "x": x, "i": 1, "extra": [x]}, ensure_ascii=ascii).encode(),
    st.sampled_from(["2003-04-05", "2003", ""]),
    st.text(st.characters(codec="utf-8"), max_size=8),
    st.booleans(),
)
odd_lines = st.sampled_from(
    [
        b"",
        b"  \t",
        b"\r",
        b'{"t": 5, "x": "number for a time"}',
        b'{"t": "2003", "x": 7}',
        b'{"t": "2003", "x": null}',
        b'{"x": "no time"}',
        b'{"t": "2003", "t": "2004", "x": "twice"}',
        b'{"t": "2003", "x": "two"} {"t": "2003", "x": "in one line"}',
        b'{"t": "2003",',
        b'"x": "in two lines"}',
        b'{"t": "2003", "x": "NaN", "z": NaN}',
        b'{"t": "2003", "x": "raw \x00 zero"}',
        b'{"t": "2003", "x": "escaped \\u0000 zero"}',
        b'{"t": "2003", "x": "half \\ud800 pair", "z": "\\ud800"}',
        b'{"t": "2003", "z": "\xff bad", "x": "encoding"}',
        b'{"t": "2003", "x": "lone \r return"}',
        b' {"t": "2003", "x": "white around"} \r',
        b"[1, 2]",
        b"5",
        b"{}",
        b"}{",
        b'{"t": "2003", "x": "' + b"long" * 50 + b'"}',
        b"{" * 30,
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(good_lines | odd_lines), st.booleans(), st.integers(1, 300), st.sampled_from([60, 10_000]))
def test_equals_the_plain_way_on_dirty_files(lines, ends_with_feed, block, longest):
    data = b"\n".join(lines) + b"\n" * ends_with_feed
    good, bad = read_all(data, block_bytes=block, first_block_bytes=block, max_record_bytes=longest)
    expected, expected_bad = json_lines.read(data, longest)
    assert good == [(number, {name: record.get(name) for name in "txli"}) for number, record in expected]
    assert sorted(number for number, _ in bad) == expected_bad
    assert len(good) + len(bad) == sum(bool(line.strip()) for line in lines)


def test_clean_lines_never_go_the_slow_way(monkeypatch):
    data = b"".join(b'{"t": "2003-01-%02d", "x": "text %d", "l": "a", "i": %d}\r\n' % (i, i, i) for i in range(1, 29))
    monkeypatch.setattr(jsonl, "_read_by_line", pytest.fail)
    good, bad = read_all(data, first_block_bytes=200, block_bytes=100)
    assert [record["x"] for _, record in good] == [f"text {i}" for i in range(1, 29)]
    assert [number for number, _ in good] == list(range(1, 29))
    assert not bad


@settings(max_examples=200, deadline=None)
@given(
    st.lists(good_lines | odd_lines, min_size=1),
    st.sampled_from([1, 50, 200]),
    st.sampled_from(['"a"', "1", "1.5", "true", '["a"]', "[]", "null"]),
)
def test_equals_the_plain_way_in_pieces(lines, piece, label):
    first = b'{"t": "2003", "x": "first", "l": %s, "i": 1}' % label.encode()
    odd = [b'{"t": 1.5, "x": 1.5, "l": 1.5, "i": 1.5}', b'{"t": "2003", "x": "a", "l": "ab", "i": true}']
    data = b"\n".join([first, *lines, *odd, first])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "_CHUNK_BYTES", piece)
        good, bad = read_all(data)
    expected, expected_bad = json_lines.read(data, 10_000)
    assert good == [(number, {name: record.get(name) for name in "txli"}) for number, record in expected]
    assert sorted(number for number, _ in bad) == expected_bad


def test_a_broken_line_costs_only_its_neighbours_the_quick_way(monkeypatch):
    lines = [b'{"t": "2003", "x": "text %d"}' % i for i in range(20_000)]
    lines[10_000] = b"oops"
    slow = []
    by_line = jsonl._read_by_line
    monkeypatch.setattr(jsonl, "_read_by_line", lambda block, *rest: slow.append(block) or by_line(block, *rest))
    good, bad = read_all(b"\n".join(lines))
    assert len(good) == 19_999
    assert [number for number, _ in bad] == [10_001]
    assert sum(len(block.data) for block in slow) < 100_000


@pytest.mark.parametrize("value", ["[" * 5000 + "]" * 5000, "9" * 5000, "Inf"])
def test_what_only_arrow_takes_is_taken_next_to_a_broken_line_too(value):
    line = f'{{"t": "2003", "x": "kept", "z": {value}}}\n'.encode()
    start = b'{"t": "2003", "x": "first"}\n'
    clean, _ = read_all(start * 20 + line, first_block_bytes=100)
    dirty, bad = read_all(start * 20 + line + b"oops\n", first_block_bytes=100)
    assert clean == dirty
    assert clean[-1][1]["x"] == "kept"
    assert [number for number, _ in bad] == [22]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"t": 1', "broken JSON: Expecting ',' delimiter at column 8"),
        (b"[1]", "not an object: a line must contain one JSON object"),
        (
            b'{"t": "\xe9"}',
            "bad encoding: byte 0xe9 at position 8 is not UTF-8; it looks like encoding='cp1252'",
        ),
        (b'{"t": "' + b"x" * 100 + b'"}', "too long: more than max_record_bytes=90"),
        (b'{"t":' + b"[" * 80, "broken JSON: Expecting value at column 86"),
    ],
)
def test_says_why(line, reason):
    _, bad = read_all(b'{"t": "2003"}\n' + line, max_record_bytes=90)
    assert bad == [(2, reason)]


def test_nesting_without_end_is_no_crash():
    _, bad = read_all(b'{"t":' + b"[" * 100_000)
    assert bad == [(1, "broken JSON: nested too deeply")]


def test_a_line_of_200_megabytes_is_passed_over_in_little_memory():
    class Endless(io.RawIOBase):
        """A file whose second line is 200 MB long, without any of it in memory."""

        left = 200

        def read(self, size=-1):
            self.left -= 1
            if self.left == 199:
                return b'{"t": "2003", "x": "before"}\n{"t": "'
            return b"x" * 2**20 if self.left > 0 else (b'"}\n{"t": "2004"}\n' if self.left == 0 else b"")

    good, bad = [], []
    for records in read_jsonl(ByteStream(Endless(), "x"), lambda sample: Columns("t", ("x",)), Limits()):
        good += records.numbers.tolist()
        bad += [unusable.number for unusable in records.unusable]
    assert (good, bad) == ([1, 3], [2])


def test_only_an_array_of_objects_is_read_as_one():
    assert read_all(b'[1, 2]\n{"x": "line 2"}\n')[0][0][0] == 2
    assert [record["x"] for _, record in read_all(b' [\n {"x": "a"},\n {"x": "b"}\n]\n')[0]] == ["a", "b"]
    assert read_all(b"[ ]") == ([], [])
    good, bad = read_all(b'[{"x": "a"}]\n{"x": "b"}\n\n{"x": "c"}')
    assert len(good) == 1
    assert [reason for _, reason in bad] == ["broken JSON: the array is followed by other text"] * 2


def test_columns_of_records_that_differ():
    assert columns_of([{"a": 1, "b": [2]}, {"c": None}]) == {"a": [1], "b": [[2]], "c": [None]}


def test_nothing_gives_nothing():
    assert read_all(b"") == ([], [])
    assert read_all(b"\n \n") == ([], [])
    assert read_all(b"oops\n{}\noops") == ([(2, dict.fromkeys("txli"))], read_all(b"oops\n{}\noops")[1])
