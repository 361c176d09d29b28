"""mbox files: consecutive emails, each after a line that starts with ``From ``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from driftline.readers.byte_stream import ByteStream
from driftline.readers.mail import mail_records, read_mail
from driftline.readers.records import Columns, Limits, Records
from driftline.readers.separated import separated

_SEPARATOR = re.compile(rb"\n\r?\n(?=From [^\r\n]*\r?\n)")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)


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
    """Yield (the mail with its ``From `` line, or why there is none; its offset in the decompressed file)."""
    for raw, offset in separated(stream, limits, _SEPARATOR):
        if isinstance(raw, str) or raw.startswith(b"From "):
            yield raw, offset
        elif raw.strip():
            yield "not a mail: it does not start with a line 'From '", offset
