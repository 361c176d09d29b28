import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.readers.delimited_scan import Layout, find_records, scan_record

LAYOUT = Layout(b",", 2)


@settings(deadline=None)
@given(st.lists(st.sampled_from(['"', '""', ",", "a", " ", "\n", "\r\n", "é"])).map("".join))
def test_a_record_is_scanned_as_by_pythons_csv(text):
    data = text.encode()
    try:
        expected = next(csv.reader(io.StringIO(text, newline=""), strict=False), [])
    except csv.Error:
        pytest.skip("Python's csv does not take it")
    scanned = scan_record(data, 0, b",", final=True)
    if scanned is not None:
        assert [field.decode() for field in scanned[0]] == (expected or [""])
        assert scan_record(data + b"\nx", 0, b",", final=False)[0] == scanned[0] or not data


def test_an_end_that_has_not_come_is_none():
    for data in (b"", b"a", b"a,", b'"a', b'"a"', b"a\r", b'"a""'):
        assert scan_record(data, 0, b",", final=False) is None
    assert scan_record(b'"a', 0, b",", final=True) is None
    assert scan_record(b"a\r", 0, b",", final=True) == ([b"a"], 2, False)
    assert scan_record(b"a\r\nb", 0, b",", final=False) == ([b"a"], 3, False)


def test_what_stands_behind_a_closing_quote_is_noted():
    assert scan_record(b'"a"b,c\n', 0, b",", final=False) == ([b"ab", b"c"], 7, True)
    assert scan_record(b'a,"b"c', 0, b",", final=True) == ([b"a", b"bc"], 6, True)
    assert scan_record(b'a"b",c\n', 0, b",", final=False) == ([b'a"b"', b"c"], 7, False)


@pytest.mark.parametrize("data", [b'a "b" c\n', b'"a" b,c\n', b'a,b"\n"c,d\n'])
def test_unclean_quoting_is_left_to_the_scan(data):
    assert find_records(data, LAYOUT, final=True) is None


def test_an_unclosed_quote_at_the_end_is_left_to_the_scan():
    assert find_records(b'a,b\n"c', LAYOUT, final=True) is None
    assert find_records(b'a,b\n"c', LAYOUT, final=False).end == 4


def test_line_ends_of_all_kinds_count():
    found = find_records(b'a,b\rc,"d\r\ne"\n\r\nf,g', LAYOUT, final=True)
    assert found.lines.tolist() == [0, 1, 4]
    assert found.n_lines == 4
    assert found.end == 18
    assert find_records(b"a,b\r", LAYOUT, final=False).end == 0
    assert find_records(b"", LAYOUT, final=True).end == 0
