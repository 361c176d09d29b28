"""Text files whose lines begin with a time: logs, and chats that were exported as text.

A line that begins with a time starts a document; lines that follow without one belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from driftline.readers.byte_stream import ByteStream
from driftline.readers.columns import Choice
from driftline.readers.records import Columns, Limits, Records, bad_encoding
from driftline.readers.separated import separated
from driftline.readers.single_files import placed_records

LOG_COLUMNS = ("time", "text", "author", "level")
"""Columns of dated lines for ``text=``, ``label=`` and the like."""
LOG_CHOICE = Choice("time", "text", label=False, id=False, author="author", thread=False)
"""Columns read by default."""

_SPECIAL_SPACE = rb"(?: |\xc2\xa0|\xe2\x80\xaf)?"
_MARKS = rb"(?:\xef\xbb\xbf)?(?:\xe2\x80[\x8e\x8f]){0,2}"
"""A byte order mark, and the invisible marks of the writing direction with which chats begin a line."""
_ZONE = rb" ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)"
_NAMES = rb"(?:[A-Z][a-z]{2},? )?"
_TIMES = (
    rb"\d{4}[-/.]\d\d[-/.]\d\d[T ,]{1,2}\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:" + _ZONE + rb")?",
    rb"\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d\d),? \d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:"
    + _SPECIAL_SPACE
    + rb"[AaPp]\.?[Mm]\.?)?",
    _NAMES + rb"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: [A-Z]{3,4})? \d{4}",
    _NAMES + rb"\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:" + _ZONE + rb")?",
)
_REQUEST = rb"(?:[^\s\[]{1,100} ){1,3}\[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\]"
"""Start of a line of a web server's log: host, identity and user, then the time."""
_NUMBER = rb"(?:\[\d{1,9}\] )?"
"""Number of the process, with which some servers begin a line."""
_START = _MARKS + _NUMBER + rb"(?:\[?(?:" + rb"|".join(_TIMES) + rb")(?=\]|:?\s|$)\]?|" + _REQUEST + rb")"
_SEPARATOR = re.compile(rb"\n(?=" + _START + rb")")
_FIRST = re.compile(_START)
_REQUEST_TIME = re.compile(r"(?P<before>[^\[]*)\[(?P<date>[^\]:]+):(?P<clock>[\d:]+) (?P<zone>[+-]\d{4})\]")
_RECORD = re.compile(
    r"[\ufeff\u200e\u200f]*(?:\[\d{1,9}\] )?(?P<bracket>\[)?(?P<time>"
    + "|".join(each.replace(_SPECIAL_SPACE, rb" ?").decode() for each in _TIMES)
    + r")\]?"
)
_CHAT = re.compile(r" ?(?:- )?(?P<author>[^:\n]{1,80}): (?P<text>.*)", re.DOTALL)
_NOTICE = "no text: a notice of the chat"
_LEVEL = re.compile(r"\b(?i:(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL))\b")
_LEVEL_WITHIN = 100
"""Number of characters of a line in which its level is sought."""
_LINES_LOOKED_AT = 20
_YEAR_FIRST = re.compile(r"(\d\d)/(\d\d)/(\d\d) (\d\d:\d\d:\d\d) (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b")
"""Start of a line of Log4j, whose dates have the year first, in two digits."""
_CHAT_TIME = re.compile(
    r"(?:\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{4}[-/.]\d\d[-/.]\d\d), .*|"
    r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4} \d{1,2}[:.]\d\d(?: [AaPp].*)?"
)
"""Times as chats write them: a comma after the date, or no seconds."""
_SPACES = re.compile(r"[\u202f\xa0]")
_HEAD = 60
"""Number of characters of a line in which special spaces, as before AM and PM, are written as plain ones."""


def are_dated_lines(stream: ByteStream) -> bool:
    r"""Return whether the first line begins with a time, as do at least a third of the first ones, and one other.

    >>> import io
    >>> are_dated_lines(ByteStream(io.BytesIO(b"2003-04-05 10:11:12 INFO start\n2003-04-05 10:11:13 INFO end\n"), "x"))
    True
    """
    lines = [line for line in stream.peek().splitlines() if line.strip()][:_LINES_LOOKED_AT]
    dated = [_FIRST.match(line) is not None for line in lines]
    return len(dated) > 1 and dated[0] and sum(dated) >= max(2, len(dated) / 3)


def is_chat(stream: ByteStream) -> bool:
    """Return whether the first line has the form of a chat's."""
    found = document_of(stream.peek().split(b"\n", 1)[0])
    return found == _NOTICE or (isinstance(found, dict) and found["author"] is not None)


def read_dated_lines(stream: ByteStream, columns: Columns, limits: Limits) -> Iterator[Records]:
    """Yield the lines that begin with a time, each with those that follow without one, in the order of the file.

    >>> import io
    >>> chat = b"[05.04.03, 10:11:12] Ann: has it begun?\\n[05.04.03, 10:12:00] Bob: yes,\\nlong ago\\n"
    >>> chosen = Columns("time", ("text",), author="author")
    >>> (records,) = read_dated_lines(ByteStream(io.BytesIO(chat), "x"), chosen, Limits())
    >>> [records.values[name].to_pylist() for name in ("time", "author", "text")]
    [['05.04.03, 10:11:12', '05.04.03, 10:12:00'], ['Ann', 'Bob'], ['has it begun?', 'yes,\\nlong ago']]
    """
    return placed_records(stream.name, _documents(stream, limits), columns, limits, text="text")


def _documents(stream: ByteStream, limits: Limits) -> Iterator[tuple[str, dict[str, str | None] | str]]:
    line = 1
    for raw, _ in separated(stream, limits, _SEPARATOR):
        if isinstance(raw, str) or raw.strip():
            yield f"line {line}", document_of(raw) if isinstance(raw, bytes) else raw
        line += raw.count(b"\n") if isinstance(raw, bytes) else 1


def document_of(raw: bytes) -> dict[str, str | None] | str:
    """Return the columns of a line and those that follow it, or why it is unusable."""
    try:
        text = raw.decode().replace("\r\n", "\n").rstrip("\n")
        text = _SPACES.sub(" ", text[:_HEAD]) + text[_HEAD:]
    except UnicodeDecodeError as error:
        return bad_encoding(error)
    if request := _REQUEST_TIME.match(text):
        time = f"{request['date'].replace('/', ' ')} {request['clock']} {request['zone']}"
        return _row(time, request["before"].rstrip() + text[request.end() :])
    match = _RECORD.match(text)
    if match is None:
        return "no time: the line does not begin with a time"
    time, rest = match["time"], text[match.end() :]
    if year_first := _YEAR_FIRST.match(text):
        time = f"20{year_first[1]}-{year_first[2]}-{year_first[3]} {year_first[4]}"
    is_chat = _CHAT_TIME.fullmatch(time) and (match["bracket"] or rest.startswith(" - "))
    if not is_chat:
        return _row(_with_point(time), rest)
    said = _CHAT.fullmatch(rest)
    return _row(time, said["text"], said["author"].strip(" \u200e\u200f\u202a\u202c~")) if said else _NOTICE


def _row(time: str, text: str, author: str | None = None) -> dict[str, str | None]:
    level = _LEVEL.search(text, 0, _LEVEL_WITHIN) if author is None else None
    return {"time": time, "text": text.lstrip(" \t:-"), "author": author, "level": level and level[1].upper()}


def _with_point(time: str) -> str:
    """Write the comma of Python's logging before a fraction of a second as a point; in chats, it follows the date."""
    return re.sub(r"(:\d\d),(\d+)", r"\1.\2", time)
