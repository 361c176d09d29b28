"""Files of consecutive records, each of which begins at a line of a known form: mails in an mbox, commits in a log."""

from __future__ import annotations

import re
from collections.abc import Iterator

from driftline.readers.byte_stream import ByteStream
from driftline.readers.records import Limits, too_long

_OVERLAP = 2**12  # longer than any plausible separator, so that none is missed between two blocks


def separated(stream: ByteStream, limits: Limits, separator: re.Pattern[bytes]) -> Iterator[tuple[bytes | str, int]]:
    """Yield (a record, or the reason why there is none; its offset in the decompressed file).

    `separator` matches the bytes before the first line of a record.

    >>> import io
    >>> list(separated(ByteStream(io.BytesIO(b"# a\\nb\\n# c\\n"), "x"), Limits(), re.compile(rb"\\n(?=# )")))
    [(b'# a\\nb\\n', 0), (b'# c\\n', 6)]
    """
    held, offset = b"", 0  # the buffer, and its offset in the file
    start = searched = 0  # offsets in the buffer: start of the record, and end of the part without another start
    skipping = False
    while True:
        match = separator.search(held, searched)
        if match is not None:
            if not skipping:
                yield _of_usable_length(held[start : match.end()], limits), offset + start
            start = searched = match.end()
            skipping = False
            continue
        if not skipping and len(held) - start > limits.max_record_bytes + _OVERLAP:
            yield too_long(limits), offset + start
            skipping = True
        searched = max(searched, len(held) - _OVERLAP)
        if skipping:
            start = searched
        chunk = stream.read(limits.block_bytes)
        if not chunk:
            break
        held, offset, searched, start = held[start:] + chunk, offset + start, searched - start, 0
    if stream.damage is not None:
        yield stream.damage, offset + start
    elif not skipping:
        yield _of_usable_length(held[start:], limits), offset + start


def _of_usable_length(raw: bytes, limits: Limits) -> bytes | str:
    return too_long(limits) if len(raw) > limits.max_record_bytes else raw
