import bz2
import gzip
import io
import lzma
import zlib

import pyarrow as pa
import pytest

from driftline.readers import compression
from driftline.readers.compression import Counted, Damaged, chunks, unsupported_compression

DATA = b"".join(b"line %d of a text that can be packed\n" % i for i in range(100_000))


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packed:
        packed.write(data)
    return sink.getvalue().to_pybytes()


PACKINGS = [gzip.compress, bz2.compress, lzma.compress, zstd]


def unpack(packed):
    """Return the bytes that could be unpacked, and the damage."""
    parts = []
    try:
        parts.extend(chunks(Counted(io.BytesIO(packed)), packed[:6]))
    except Damaged as damage:
        return b"".join(parts), str(damage)
    return b"".join(parts), None


@pytest.mark.parametrize("pack", [*PACKINGS, bytes])
def test_unpacks_what_was_packed_in_small_chunks(pack):
    packed = pack(DATA)
    parts = list(chunks(Counted(io.BytesIO(packed)), packed[:6]))
    assert b"".join(parts) == DATA
    assert max(map(len, parts)) <= compression.CHUNK


@pytest.mark.parametrize("pack", PACKINGS)
def test_several_packed_files_in_one_are_read_on(pack):
    assert unpack(pack(b"one ") + pack(b"") + pack(b"two")) == (b"one two", None)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_gzip_and_xz_may_be_padded(pack):
    assert unpack(pack(b"one") + b"\0" * 600) == (b"one", None)


def test_xz_may_not_request_all_memory():
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 2**30}]
    packed = lzma.LZMACompressor(filters=filters)
    data = packed.compress(b"text") + packed.flush()
    assert unpack(data) == (b"", "damaged compression: Memory usage limit exceeded")


@pytest.mark.parametrize("pack", PACKINGS)
def test_truncated_gives_what_is_there(pack):
    packed = pack(DATA)
    got, damage = unpack(packed[: len(packed) // 2])
    assert damage == "truncated: the compressed data end early"
    assert DATA.startswith(got)
    assert len(got) > len(DATA) // 4


@pytest.mark.parametrize("cut", range(1, 31))
def test_gzip_cut_anywhere_is_truncated(cut):
    packed = gzip.compress(b"a short text")
    got, damage = unpack(packed[:-cut])
    assert b"a short text".startswith(got)
    assert damage == "truncated: the compressed data end early"


@pytest.mark.parametrize("pack", PACKINGS)
def test_damage_in_the_middle_gives_what_comes_before(pack):
    packed = bytearray(pack(DATA))
    middle = len(packed) // 2
    packed[middle : middle + 2000] = b"\xff" * 2000
    got, damage = unpack(bytes(packed))
    assert damage.startswith("damaged compression: ")
    assert len(got) > len(DATA) // 4


@pytest.mark.parametrize("pack", PACKINGS)
def test_rubbish_behind_the_end_is_damage(pack):
    got, damage = unpack(pack(DATA) + b"rubbish" * 3)
    assert DATA.startswith(got)
    assert len(got) > len(DATA) - 2 * compression.CHUNK
    assert damage.startswith("damaged compression: ")


def test_all_output_comes_even_if_the_input_is_used_up_first():
    assert unpack(gzip.compress(b"x" * 10 * compression.CHUNK))[0] == b"x" * 10 * compression.CHUNK
    packer = zlib.compressobj(wbits=31)
    unfinished = packer.compress(b"x" * 5 * compression.CHUNK) + packer.flush(zlib.Z_SYNC_FLUSH)
    got, damage = unpack(unfinished)
    assert got == b"x" * 5 * compression.CHUNK
    assert damage.startswith("truncated")


def test_a_file_that_fails_is_damage():
    class Failing(io.RawIOBase):
        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    with pytest.raises(Damaged, match="unreadable file: Input/output error"):
        list(chunks(Counted(Failing(), b"start"), b"start"))


def test_other_packings_are_named():
    assert unsupported_compression(b"7z\xbc\xaf\x27\x1c") == "7z"
    assert unsupported_compression(b"PK\x03\x04...") == "zip"
    assert unsupported_compression(b"time,text") is None


def test_counts_the_packed_bytes():
    raw = Counted(io.BytesIO(b"def"), b"abc")
    assert raw.read(2) + raw.read(2) + raw.read(9) + raw.read(9) == b"abcdef"
    assert raw.count == 6
