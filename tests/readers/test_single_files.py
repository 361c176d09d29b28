"""Files of one document each: every file is a record or a reason."""

import os

import pytest

from driftline.readers.records import Columns, Limits
from driftline.readers.single_files import file_bytes, placed_records

COLUMNS = Columns("time", ("text",))


def test_bytes_or_the_reason_why_not(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    for name, content in (("whole", b"12345"), ("long", b"123456"), ("empty", b""), ("torn.gz", b"\x1f\x8b\x08\0\0")):
        (inside / name).write_bytes(content)
    (tmp_path / "outside").write_bytes(b"1")
    (inside / "link").symlink_to(tmp_path / "outside")
    os.mkfifo(inside / "pipe")
    limits = Limits(max_record_bytes=5)

    def found(name):
        return file_bytes(inside / name, inside, limits, "a mail")

    assert found("whole") == b"12345"
    assert found("empty") == b""
    assert found("long") == "too long: more than max_record_bytes=5"
    assert found("link").startswith("outside the folder")
    assert found("pipe").startswith("not a regular file")
    assert found("missing") == "unreadable file: No such file or directory"
    assert isinstance(found("torn.gz"), str)


def test_a_file_of_another_kind_is_named_by_what_was_expected(tmp_path):
    (tmp_path / "a").write_bytes(b"\xff")
    assert file_bytes(tmp_path / "a", tmp_path, Limits(), "a mail", encoding="no such").startswith("not a mail: ")


def _row(text):
    return {"time": "2003", "text": text}


@pytest.mark.parametrize(
    ("limits", "sizes"),
    [(Limits(batch_size=2), [2, 2, 1]), (Limits(block_bytes=3), [2, 2, 1]), (Limits(), [5])],
)
def test_batches_end_at_a_number_of_records_or_at_a_size(limits, sizes):
    given = [("file a", _row("aa")), ("file b", _row("b")), ("file c", _row(None)), ("file d", _row("ddd"))]
    given.append(("file e", "not text: a picture"))
    batches = list(placed_records("folder", given, COLUMNS, limits, text="text"))
    assert [
        len(batch.numbers) + len(batch.unusable) for batch in batches if len(batch.numbers) + len(batch.unusable)
    ] == sizes
    assert [number for batch in batches for number in batch.numbers] == [1, 2, 3, 4]
    assert [place for batch in batches for place in batch.places] == ["file a", "file b", "file c", "file d"]
    (rejected,) = [unusable for batch in batches for unusable in batch.unusable]
    assert (rejected.number, rejected.reason, rejected.place) == (5, "not text: a picture", "file e")
    assert [text for batch in batches for text in batch.values["text"].to_pylist()] == ["aa", "b", None, "ddd"]
