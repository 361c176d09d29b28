"""Output of ``git log``, saved in a file or piped: every commit is a document, with its author date.

A commit starts with an unindented line ``commit`` and its id; headers such as ``Author:`` follow up to an empty line,
and then the message, each line of which is indented by four spaces. Further output after the message (changed files,
differences) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from driftline.readers.byte_stream import ByteStream
from driftline.readers.records import Columns, Limits, Records, bad_encoding
from driftline.readers.separated import separated
from driftline.readers.single_files import placed_records

_START = rb"commit [0-9a-f]{7,64}(?: \([^\n]{0,500}\))?\r?\n"
FIRST_LINES = re.compile(_START + rb"(?:[A-Z][A-Za-z]{3,15}: [^\n]{0,500}\n){1,6}")
"""First lines of a printed log."""

_SEPARATOR = re.compile(rb"\n(?=" + _START + rb")")
_PERSON = re.compile(r"(?P<name>[^<]*?)\s*(?:<(?P<email>[^>]*)>)?\s*")
_GIT_DATE = re.compile(
    r"\w{3} (?P<month>\w{3}) +(?P<day>\d{1,2}) (?P<clock>[\d:]{8}) (?P<year>\d{4})(?: (?P<zone>[+-]\d{4}))?"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_INDENT = "    "


def read_git_log_text(stream: ByteStream, columns: Columns, limits: Limits) -> Iterator[Records]:
    """Yield the commits of a printed log in the order of the file.

    >>> import io
    >>> log = b"commit 5c61e16\\nAuthor: Ann\\nDate:   Sat Aug 22 15:01:09 2026\\n\\n    Fix it\\n\\n    Truly.\\n"
    >>> (records,) = read_git_log_text(ByteStream(io.BytesIO(log), "x"), Columns("time", ("subject", "body")), Limits())
    >>> [records.values[name].to_pylist() for name in ("time", "subject", "body")]
    [['2026-08-22T15:01:09'], ['Fix it'], ['Truly.']]
    """
    return placed_records(stream.name, _commits(stream, limits), columns, limits, text="body")


def _commits(stream: ByteStream, limits: Limits) -> Iterator[tuple[str, dict[str, str | None] | str]]:
    for number, (raw, offset) in enumerate(separated(stream, limits, _SEPARATOR), start=1):
        if isinstance(raw, bytes) and not raw.strip():
            continue
        yield f"commit {number} (byte {offset})", commit_of(raw) if isinstance(raw, bytes) else raw


def commit_of(raw: bytes) -> dict[str, str | None] | str:
    """Return the columns of a printed commit, or why it is unusable."""
    try:
        lines = raw.decode().replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        return bad_encoding(error)
    if not lines[0].startswith("commit "):
        return "not a commit: it does not start with a line 'commit' and its id"
    end = lines.index("") if "" in lines else len(lines)
    headers = {name: value.strip() for name, colon, value in (line.partition(":") for line in lines[1:end]) if colon}
    subject, body = _message(lines[end + 1 :])
    author, committer = (_PERSON.fullmatch(headers.get(name, "")) for name in ("Author", "Commit"))
    return {
        "id": lines[0].split()[1],
        "time": _iso(headers.get("AuthorDate", headers.get("Date"))),
        "subject": subject,
        "body": body,
        "author": (author and author["name"]) or None,
        "author_email": (author and author["email"]) or None,
        "committer": (committer and committer["name"]) or None,
        "committed": _iso(headers.get("CommitDate")),
    }


def _message(lines: list[str]) -> tuple[str, str]:
    """Return subject and body: the indented lines up to the first other one."""
    message = []
    for line in lines:
        if line.strip() and not line.startswith(_INDENT):
            break
        message.append(line.removeprefix(_INDENT).rstrip())
    subject, _, body = "\n".join(message).strip("\n").partition("\n\n")
    return " ".join(subject.split("\n")), body.strip("\n")


def _iso(date: str | None) -> str | None:
    """Convert git's default date format to ISO 8601; return other formats (``--date=iso``) unchanged."""
    match = _GIT_DATE.fullmatch(date or "")
    if match is None or match["month"] not in _MONTHS:
        return date
    zone = match["zone"] and f"{match['zone'][:3]}:{match['zone'][3:]}"
    month = _MONTHS.index(match["month"]) + 1
    return f"{match['year']}-{month:02}-{int(match['day']):02}T{match['clock']}{zone or ''}"
