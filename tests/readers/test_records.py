import numpy as np

from driftline.readers.records import Columns, Limits, Records, Unusable, bad_encoding, too_long


def test_places_are_words_and_numbers_or_given():
    records = Records("x", {}, np.array([3, 7]), None, word="row")
    assert [records.place(0), records.place(1)] == ["row 3", "row 7"]
    assert records.place_of(Unusable(9, "no time")) == "row 9"
    assert records.place_of(Unusable(9, "no time", place="commit abc")) == "commit abc"
    assert records._replace(places=["file a", "file b"]).place(1) == "file b"


def test_each_column_is_needed_once():
    assert Columns("t", ("t", "x"), "l", "t").needed() == ["t", "x", "l"]


def test_reasons_begin_with_their_category():
    assert too_long(Limits(max_record_bytes=1000)) == "too long: more than max_record_bytes=1,000"
    error = UnicodeDecodeError("utf-8", b"ab\xff", 2, 3, "invalid")
    assert bad_encoding(error).startswith("bad encoding: byte 0xff at position 3")
