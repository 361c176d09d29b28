import gzip
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.readers.byte_stream import ByteStream
from driftline.readers.line_blocks import line_blocks
from driftline.readers.records import Limits


def blocks_of(data, **limits):
    return list(line_blocks(ByteStream(io.BytesIO(data), "x"), Limits(**limits)))


@settings(deadline=None)
@given(
    st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"."))), st.integers(1, 30), st.integers(1, 9)
)
def test_blocks_hold_all_lines_with_their_numbers_but_the_long_ones(lines, block, longest):
    data = b"x" + b"\n".join(lines)  # so that no byte order mark is at the start
    lines = data.split(b"\n")
    found, long = {}, []
    for part in blocks_of(data, block_bytes=block, first_block_bytes=block, max_record_bytes=longest):
        long += [unusable.number for unusable in part.unusable]
        numbered = enumerate(part.data.split(b"\n"), start=part.first_line)
        found |= {number: line for number, line in numbered if line}
    passed_over = {n: line for n, line in enumerate(lines, start=1) if n not in found and line.strip(b" \t\r\n")}
    assert sorted(passed_over) == long
    assert all(len(line) > longest for line in passed_over.values())
    assert all(lines[number - 1] == line for number, line in found.items())


def test_what_breaks_off_is_reported_where_it_does():
    data = gzip.compress(b"".join(b"line %d\n" % i for i in range(100_000)))[:-5000]
    parts = blocks_of(data)
    (unusable,) = parts[-1].unusable
    assert unusable.reason == "truncated: the compressed data end early"
    assert unusable.number == 1 + sum(part.data.count(b"\n") for part in parts)
    assert parts[-1].data == b""
