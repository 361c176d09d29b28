import gzip
import io
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.readers import compression
from driftline.readers.byte_stream import ByteStream, open_bytes
from driftline.readers.encodings import check_encoding
from driftline.readers.records import UnreadableFile


def read_all(data, size=1000, **options):
    stream = ByteStream(io.BytesIO(data), "test", **options)
    return b"".join(iter(lambda: stream.read(size), b"")), stream.damage


@settings(deadline=None)
@given(
    st.binary(max_size=300).filter(lambda data: data[:1] not in b"\x1f\x28BP7\xfd\xef\xff\xfe\0\x04"),
    st.integers(1, 50),
)
def test_plain_bytes_pass_as_they_are(data, size):
    assert read_all(data, size) == (data, None)


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\ufeff\0"), max_size=50), st.integers(1, 9))
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_are_believed_and_dropped(encoding, text, size):
    assert read_all(text.encode(encoding), size) == (text.encode(), None)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "shift_jis", "gb18030"])
def test_named_encodings_become_utf_8(encoding):
    text = "a ä b\n" if encoding in ("latin-1", "cp1252") else "日本語\n" * 50
    assert read_all(text.encode(encoding), 7, encoding=encoding)[0].decode() == text


def test_what_is_no_character_stays_no_character():
    data, damage = read_all(b"good\nbad \x81 byte\ngood\n", encoding="cp1252")
    lines = data.split(b"\n")
    assert damage is None
    assert lines[0] == lines[2] == b"good"
    with pytest.raises(UnicodeDecodeError):
        lines[1].decode()
    halved = "one\ntwo\n".encode("utf-16-le")[:-1]
    assert read_all(halved, encoding="utf-16-le")[0] == b"one\ntwo\xff"


def test_an_unknown_encoding_is_an_error():
    for wrong in ("klingon", "hex", "zlib"):
        with pytest.raises(InvalidInput, match=f"encoding '{wrong}' is not a known text encoding"):
            check_encoding(wrong)
    assert check_encoding("UTF8") == "utf-8"


def test_peeking_takes_nothing():
    stream = ByteStream(io.BytesIO(b"abcdef"), "x")
    assert stream.peek(3) == b"abc"
    assert stream.read(2) == b"ab"
    assert stream.peek(100) == b"cdef"
    assert stream.read(100) == b"cdef"
    assert stream.peek() == stream.read(1) == b""


def test_a_decompression_bomb_is_stopped(monkeypatch):
    monkeypatch.setattr(compression, "EXPANSION_FLOOR", 2**22)
    bomb = gzip.compress(b"\0" * 2**25)
    data, damage = read_all(bomb, 2**20, max_expansion=100)
    assert damage.startswith("decompression bomb: ")
    assert "max_expansion=100" in damage
    assert 2**22 - 2**21 <= len(data) <= 2**23
    assert read_all(bomb, 2**20, max_expansion=2000)[1] is None


def test_a_small_file_may_grow_as_it_likes():
    assert read_all(gzip.compress(b"a" * 2**21)) == (b"a" * 2**21, None)


def test_a_bomb_in_many_members_is_stopped_too(monkeypatch):
    monkeypatch.setattr(compression, "EXPANSION_FLOOR", 2**20)
    packer = zlib.compressobj(9, wbits=31)
    member = packer.compress(b"\0" * 2**20) + packer.flush()
    assert read_all(member * 20, 2**20)[1].startswith("decompression bomb: ")


def test_damage_is_reported_after_what_was_good():
    packed = gzip.compress(b"all of this is good\n" * 1000)
    data, damage = read_all(packed[:-8])
    assert data == b"all of this is good\n" * 1000
    assert damage == "truncated: the compressed data end early"


def test_packings_that_cannot_be_read_are_named():
    with pytest.raises(UnreadableFile, match="test is compressed with 7z; decompress it first"):
        read_all(b"7z\xbc\xaf")


def test_files_are_opened_and_closed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"text")
    with open_bytes(path) as stream:
        assert (stream.name, stream.read(9)) == ("a.txt", b"text")
    with open_bytes(path, name="folder/a.txt") as stream:
        assert stream.name == "folder/a.txt"
