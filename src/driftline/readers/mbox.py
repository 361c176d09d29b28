"""mbox files: consecutive emails, each after a line that starts with ``From ``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from driftline.readers.byte_stream import ByteStream
from driftline.readers.mail import mail_records, read_mail
from driftline.readers.records import Columns, Limits, Records, too_long

_SEPARATOR = re.compile(rb"\n\r?\n(?=From [^\r\n]*\r?\n)")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_OVERLAP = 2**12  # longer than any plausible separator, so that none is missed between two blocks


def read_mbox(stream: ByteStream, columns: Columns, limits: Limits, *, drop_quotes: bool = False) -> Iterator[Records]:
    """Return the mails of an mbox; a place is, for example, ``message 3 (byte 10423)``.

    >>> import io
    >>> data = b"From a\\nDate: 20 Mar 2003 03:34 +0000\\n\\nwar\\n>From now on\\n\\nFrom b\\nSubject: x\\n\\ny\\n"
    >>> (records,) = read_mbox(ByteStream(io.BytesIO(data), "x"), Columns("time", ("body",)), Limits())
    >>> records.values["body"].to_pylist(), records.place(1)
    (['war\\nFrom now on', 'y'], 'message 2 (byte 56)')
    """
    return mail_records(stream.name, _mails(stream, limits, drop_quotes), columns, limits)


def _mails(stream: ByteStream, limits: Limits, drop_quotes: bool) -> Iterator[tuple[str, dict[str, str | None] | str]]:
    for number, (raw, offset) in enumerate(_split(stream, limits), start=1):
        mail = read_mail(_unescaped(raw), drop_quotes=drop_quotes) if isinstance(raw, bytes) else raw
        yield f"message {number} (byte {offset})", mail


def _unescaped(raw: bytes) -> bytes:
    """Return the mail without its ``From `` line, and with ``>From `` unescaped."""
    return _ESCAPED.sub(rb"\1", raw.partition(b"\n")[2])


def _split(stream: ByteStream, limits: Limits) -> Iterator[tuple[bytes | str, int]]:
    """Yield (the mail with its ``From `` line, or why there is none; where it starts in the decompressed file)."""
    held, offset = b"", 0  # the buffer, and its offset in the file
    start = searched = 0  # in the buffer: where the mail starts, and up to where no other starts
    skipping = False
    while True:
        match = _SEPARATOR.search(held, searched)
        if match is not None:
            if not skipping:
                yield from _judged(held[start : match.end()], offset + start, limits)
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
        yield from _judged(held[start:], offset + start, limits)


def _judged(raw: bytes, offset: int, limits: Limits) -> Iterator[tuple[bytes | str, int]]:
    if len(raw) > limits.max_record_bytes:
        yield too_long(limits), offset
    elif raw.startswith(b"From "):
        yield raw, offset
    elif raw.strip():
        yield "not a mail: it does not start with a line 'From '", offset
