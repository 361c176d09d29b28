"""A byte stream divided into blocks of whole lines; a line that is too long is skipped, not buffered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from driftline.readers.byte_stream import ByteStream
from driftline.readers.records import Limits, Unusable, too_long

BLANK = b" \t\r\n"


class LineBlock(NamedTuple):
    """Whole lines, the number of the first of them, and the lines skipped before them."""

    data: bytes
    first_line: int
    unusable: list[Unusable]


def line_blocks(stream: ByteStream, limits: Limits) -> Iterator[LineBlock]:
    """Yield blocks of whole lines; if the bytes end in damage, the truncated line is reported.

    >>> import io
    >>> limits = Limits(max_record_bytes=6, block_bytes=4, first_block_bytes=4)
    >>> [block for block in line_blocks(ByteStream(io.BytesIO(b"one\\nfar too long\\ntwo"), "x"), limits)]
    [LineBlock(data=b'one\\n', first_line=1, unusable=[]),
     LineBlock(data=b'two', first_line=3, unusable=[Unusable(number=2, reason='too long: ...)])]
    """
    begun: list[bytes] = []  # parts of a line whose end has not been read yet
    begun_bytes = 0
    line = 1
    unusable: list[Unusable] = []
    skipping = False
    size = limits.first_block_bytes
    while chunk := stream.read(size):
        size = limits.block_bytes
        if skipping:
            end = chunk.find(b"\n") + 1
            if not end:
                continue
            chunk, skipping = chunk[end:], False
            line += 1
        cut = chunk.rfind(b"\n") + 1
        if cut:
            data = b"".join([*begun, chunk[:cut]])
            yield LineBlock(data, line, unusable)
            line += data.count(b"\n")
            begun, begun_bytes, unusable = [], 0, []
        begun.append(chunk[cut:])
        begun_bytes += len(chunk) - cut
        if begun_bytes > limits.max_record_bytes:
            unusable.append(Unusable(line, too_long(limits)))
            begun, begun_bytes, skipping = [], 0, True
    rest = b"".join(begun)
    if stream.damage is not None:
        unusable.append(Unusable(line, stream.damage))
        rest = b""
    if rest.strip(BLANK) or unusable:
        yield LineBlock(rest, line, unusable)
