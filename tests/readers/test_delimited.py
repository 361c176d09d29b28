import csv
import gzip
import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import driftline
from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.delimited import _BlockReader, read_delimited
from driftline.readers.missing_values import AMBIGUOUS, CERTAIN
from driftline.readers.records import Columns, Limits
from tests.oracles import delimited as oracle

COLUMNS = Columns("t", ("x",))


def read_all(data, *, delimiter=None, columns=COLUMNS, **limits):
    good, bad = [], []
    stream = ByteStream(io.BytesIO(data), "test")
    for records in read_delimited(stream, lambda sample: columns, Limits(**limits), delimiter=delimiter):
        if records.columns:
            listed = [records.values[name].to_pylist() for name in columns.needed()]
            good += [(int(n), list(row)) for n, row in zip(records.numbers, zip(*listed))]
        bad += [(unusable.number, unusable.reason) for unusable in records.unusable]
    return good, bad


pieces = st.sampled_from(
    [b"a", b"bc", b",", b",", b'"', b'"', b'""', b"\n", b"\n", b"\r\n", b"\r", "é".encode(), b"\xff", b"\0", b" "]
)
rows = st.sampled_from(
    [b"a,b\n", b'a,"b"\n', b'"a\nb","c ""d"""\r\n', b"a,b,c\n", b"a\n", b"\n", b'"a,b\n', b'a,"b" c\n', b'a,b"c\n']
)


@settings(max_examples=500, deadline=None)
@given(st.lists(rows | pieces).map(b"".join), st.integers(1, 40), st.sampled_from([12, 10_000]))
@example(b'a,"b\r', 1, 10_000)
@example(b'"a\n\nb', 3, 10_000)
@example(b'a,"b\nc,d\ne,"f', 7, 10_000)
def test_equals_the_plain_way_on_dirty_files(data, block, longest):
    good, bad = read_all(b"t,x\n" + data, block_bytes=block, first_block_bytes=max(block, 4), max_record_bytes=longest)
    expected, expected_bad = oracle.read(data, b",", 2, longest)
    assert good == [(line + 1, [field.decode() for field in fields]) for line, fields in expected]
    assert sorted(line for line, _ in bad) == [line + 1 for line in expected_bad]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), min_size=1),
    st.integers(4, 60),
    st.sampled_from(",;\t|"),
)
def test_reads_what_python_writes(drawn, block, delimiter):
    drawn = [(first.replace("\0", ""), second.replace("\0", "")) for first, second in drawn]
    read = [tuple(None if field in (AMBIGUOUS, *CERTAIN) else field for field in row) for row in drawn]
    written = io.StringIO()
    writer = csv.writer(written, delimiter=delimiter)
    writer.writerow(["t", "x"])
    writer.writerows(drawn)
    good, bad = read_all(written.getvalue().encode(), block_bytes=block, first_block_bytes=block)
    assert [tuple(fields) for _, fields in good] == read
    assert not bad


def test_clean_blocks_never_go_the_slow_way(monkeypatch):
    monkeypatch.setattr(_BlockReader, "_read_one_by_one", pytest.fail)
    data = b"t,x\r\n" + b'2003,"a ""quoted""\r\ntext, with commas"\r\n\r\n2004,plain\r\nwrong\r\n' * 50
    good, bad = read_all(data, block_bytes=100, first_block_bytes=100)
    assert [fields for _, fields in good] == [["2003", 'a "quoted"\r\ntext, with commas'], ["2004", "plain"]] * 50
    assert [line for line, _ in good[:2]] == [2, 5]
    assert [line for line, _ in bad] == list(range(6, 252, 5))


def test_an_unclosed_quote_costs_one_line():
    data = b't,x\n2003,one\n2004,"two\n2005,three\n2006,four\n'
    good, bad = read_all(data)
    assert [line for line, _ in good] == [2, 4, 5]
    assert bad == [(3, "unclosed quote: it is not closed properly within the file or max_record_bytes")]


def test_an_unclosed_quote_that_another_closes_costs_its_own_line():
    data = b't,x,y\n2003,one,a\n2004,"two,b\n2005,three,c\n2006,"four",d\n'
    good, bad = read_all(data)
    assert [line for line, _ in good] == [2, 4, 5]
    assert [line for line, _ in bad] == [3]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"2003", "wrong number of fields: 1 instead of 2"),
        (b"2003,a,b", "wrong number of fields: 3 instead of 2"),
        (b"2003,\xe9", "bad encoding: byte 0xe9 at position 6 is not UTF-8; it looks like encoding='cp1252'"),
        (b"2003,a\0b", "NUL byte: the record contains a zero byte, which is not text"),
        (b"2003," + b"x" * 200, "too long: more than max_record_bytes=100"),
        (
            b'2003,"' + b"x\n" * 100 + b'"',
            "unclosed quote: it is not closed properly within the file or max_record_bytes",
        ),
    ],
)
def test_says_why(row, reason):
    good, bad = read_all(b"t,x\n2003,good\n" + row + b"\n2004,good\n", max_record_bytes=100, block_bytes=50)
    assert (2, ["2003", "good"]) in good
    assert good[-1][1] == ["2004", "good"]
    assert bad[0] == (3, reason)


def test_the_delimiter_is_found_or_named():
    assert read_all(b't;x\n2003;"a;b"\n')[0] == [(2, ["2003", "a;b"])]
    assert read_all(b"t\tx\n2003\ta, b\n")[0] == [(2, ["2003", "a, b"])]
    assert read_all(b'"t, or time";x;t\na;b;2003\n', columns=Columns("t", ("x",)))[0] == [(2, ["2003", "b"])]
    assert read_all(b"t,x\ty\n2003,z\tw\n", delimiter="\t", columns=Columns("t,x", ("y",)))[0] == [(2, ["2003,z", "w"])]


def test_the_header_may_be_late_long_quoted_or_marked():
    assert read_all(b'\xef\xbb\xbf\r\n\r\n"t","x\ny"\n2003,a\n', columns=Columns("t", ("x\ny",)))[0] == [
        (5, ["2003", "a"])
    ]
    header = b"t,x," + b",".join(b"c%d" % i for i in range(1000))
    assert read_all(header + b"\n2003,a" + b"," * 1000, first_block_bytes=10, block_bytes=10)[0] == [(2, ["2003", "a"])]


def test_a_file_without_a_usable_header_is_an_error():
    with pytest.raises(InvalidInput, match="no header line with the column names"):
        read_all(b't,"x\n2003,a\n')
    with pytest.raises(InvalidInput, match="column names cannot be read: bad encoding"):
        read_all(b"t,\xff\n")
    with pytest.raises(AmbiguousInput, match="2 columns called 't'"):
        read_all(b"t,x,t\n1,2,3\n")
    assert read_all(b"") == ([], [])
    assert read_all(b"\n\n") == ([], [])
    assert read_all(b"t,x") == ([], [])


def test_a_truncated_file_keeps_what_it_had():
    data = gzip.compress(b"t,x\n" + b"".join(b"2003,row %d\n" % i for i in range(100_000)))
    good, bad = read_all(data[: len(data) // 2])
    assert good[:1] == [(2, ["2003", "row 0"])]
    assert len(good) > 10_000
    assert bad == [(good[-1][0] + 1, "truncated: the compressed data end early")]
    assert read_all(data[:12]) == ([], [(1, "truncated: the compressed data end early")])


def test_a_first_line_that_names_the_delimiter(tmp_path):
    for first in ("sep=;", '"sep=;"', "sep=;;"):
        path = tmp_path / "a.csv"
        path.write_text(f"{first}\nDatum;Kommentar\n20.03.2003;a, b, c\n")
        (document,) = driftline.read(path)
        assert document.text == "a, b, c"
    path.write_text("time,text,other,sep=;\n2003-03-20,war,x,y\n")
    assert [document.text for document in driftline.read(path)] == ["war"]


def test_words_for_missing_values_are_no_values(tmp_path):
    path = tmp_path / "whales.csv"
    path.write_text(
        "date,time,text,pod\n2024-08-13,NA,seen off the bank,J\nNA,NA,seen again,NA\n2024-08-14,10:48,NA,K\n"
    )
    source = driftline.read(path, label="pod")
    table = source.table()
    assert table["text"].to_pylist() == ["seen off the bank"]
    assert str(table["time"][0])[:16] == "2024-08-13 00:00"
    rejected = [(rejection.place, rejection.reason) for rejection in source.rejections.examples]
    assert rejected == [("line 3", "no time"), ("line 4", "no text")]


def test_a_label_called_na_is_a_label_unless_the_file_has_na_elsewhere(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("date,text,region\n2024-08-13,falling,NA\n2024-08-14,rising,EMEA\n")
    assert driftline.read(path, label="region").table()["label"].to_pylist() == ["NA", "EMEA"]
    path.write_text("date,text,region,notes\n2024-08-13,falling,NA,NA\n2024-08-14,rising,EMEA,none\n")
    assert driftline.read(path, label="region").table()["label"].to_pylist() == [None, "EMEA"]
