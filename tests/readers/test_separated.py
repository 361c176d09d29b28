import io
import re

import pytest

from driftline.readers.byte_stream import ByteStream
from driftline.readers.records import Limits
from driftline.readers.separated import separated

HASHES = re.compile(rb"\n(?=# )")


@pytest.mark.parametrize("block", [1, 3, 1000])
def test_records_and_their_places(block):
    data = b"# a\nb\n# c\n\n# d"
    found = list(separated(ByteStream(io.BytesIO(data), "x"), Limits(block_bytes=block), HASHES))
    assert found == [(b"# a\nb\n", 0), (b"# c\n\n", 6), (b"# d", 11)]
    assert b"".join(raw for raw, _ in found) == data


def test_a_record_that_is_too_long_is_skipped():
    data = b"# a\n" + b"x" * 20_000 + b"\n# b\n"
    limits = Limits(block_bytes=500, max_record_bytes=1000)
    (reason, place), (raw, _) = separated(ByteStream(io.BytesIO(data), "x"), limits, HASHES)
    assert isinstance(reason, str)
    assert place == 0
    assert raw == b"# b\n"
