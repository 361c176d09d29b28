"""Conversion of JSON lines to records; an invalid line is rejected individually, with its number and the reason."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from driftline.core.errors import InvalidInput
from driftline.readers.timestamps import TimeReader, Times
from driftline.service.store.keys import DAY, HOUR, ORIGIN

TIMES = ("time", "timestamp", "date", "datetime", "created_at", "published", "@timestamp")
TEXTS = ("text", "message", "body", "content", "title")
MOST_TEXT = 2**20
"""Maximum size of a document in bytes."""
DEEPEST = 64
"""Maximum depth of nested JSON."""
AHEAD = DAY
"""Maximum number of microseconds by which a document may be ahead of the clock, so that none distorts "now"."""
LONGEST_ID, LONGEST_LABEL = 500, 200
STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
UNREADABLE = "its time cannot be read; write ISO 8601"
EARLY, LATE = 1e8, 1e10
"""Range of numbers that are unambiguously seconds since 1970: 1973 to 2286."""
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


class Record(NamedTuple):
    """A document to be stored; `digest` identifies it among all others."""

    time: int
    text: str
    id: str | None
    label: str | None
    digest: int


class Rejected(NamedTuple):
    """The number of a rejected line, or the place of another record, and the reason."""

    line: int | str
    reason: str


class ReadLines(NamedTuple):
    """The records of some lines, the line number of each, and the rejected lines."""

    records: list[Record]
    lines: list[int]
    rejected: list[Rejected]


def read_lines(
    lines: Iterable[bytes | None],
    *,
    now: int,
    secret: bytes,
    first: int = 1,
    repeat_key: str | None = None,
    most_text: int = MOST_TEXT,
) -> ReadLines:
    r"""Read JSON lines; None is a line that was too long. Empty lines are skipped.

    `repeat_key` identifies the request or file; documents without an id are identified by it, their line and content.

    >>> found = read_lines([b'{"time": "2025-01-01", "text": "rain"}', b"{"], now=2**60, secret=b"s")
    >>> found.records[0].text, found.rejected[0].line
    ('rain', 2)
    """
    read: list[tuple[int, dict[str, Any]]] = []
    rejected: list[Rejected] = []
    for number, line in enumerate(lines, start=first):
        found = _parsed(line, most_text)
        if isinstance(found, str):
            rejected.append(Rejected(number, found))
        elif found is not None:
            read.append((number, found))
    times = _times([_first_of(record, TIMES) for _, record in read])
    records, places = [], []
    for (number, record), moment in zip(read, times):
        made = _record(record, moment, now, secret, repeat_key, number, most_text)
        if isinstance(made, str):
            rejected.append(Rejected(number, made))
        else:
            records.append(made)
            places.append(number)
    return ReadLines(records, places, sorted(rejected, key=lambda each: each.line))


def record_of(
    time: int, text: str, id: str | None, label: str | None, *, now: int, secret: bytes, earlier: int = 0
) -> Record | str:
    """Return the record of a document that was read elsewhere, or the reason why it is rejected.

    `earlier` is the number of equal documents before it, which makes it another one if it has no id.
    """
    repeat_key = "\nequal" if earlier else None  # a line end, which no Idempotency-Key contains
    return _record({"text": text, "id": id, "label": label}, time, now, secret, repeat_key, earlier, MOST_TEXT)


def _parsed(line: bytes | None, most_text: int) -> dict[str, Any] | str | None:
    """Return the object of a line, the reason for its rejection, or None for an empty line."""
    if line is None:
        return "the line is too long"
    if not line.strip():
        return None
    if len(line) > 2 * most_text + 100_000:
        return f"the document has more than {most_text:,} bytes"
    if line.count(b"[") + line.count(b"{") > DEEPEST and _depth(line) > DEEPEST:
        return f"the JSON is nested more than {DEEPEST} deep"
    try:
        found = json.loads(line)
    except RecursionError:
        return f"the JSON is nested more than {DEEPEST} deep"
    except UnicodeDecodeError:
        return "the line is not UTF-8"
    except ValueError as error:
        return "a number has too many digits" if "digits" in str(error) else f"broken JSON: {str(error)[:100]}"
    return found if isinstance(found, dict) else "not a JSON object with a time and a text"


def _depth(line: bytes) -> int:
    """Return the maximum nesting of brackets outside strings.

    >>> _depth(b'[[1], ["[[[["]]')
    2
    """
    deepest = depth = 0
    for byte in STRING.sub(b"", line):
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


def _first_of(record: dict[str, Any], names: Sequence[str]) -> object:
    for name in names:
        if record.get(name) is not None:
            return record[name]
    return None


def _times(values: list[object]) -> list[int | str]:
    """Return times in microseconds, or the reason for a rejection; the unit of numbers is inferred from the batch."""
    quick = [_quick_time(value) for value in values]
    if all(moment is not None for moment in quick):
        return [moment for moment in quick if moment is not None]
    plain = [value if _may_be_time(value) else None for value in values]
    read = _plain_times(plain)
    return [moment if _may_be_time(value) or value is None else UNREADABLE for moment, value in zip(read, values)]


def _may_be_time(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value == value


def _plain_times(plain: list[Any]) -> list[int | str]:
    try:
        found = TimeReader().read(plain)
    except InvalidInput:  # the unit of a number is not clear
        found = None
    if found is None:  # or day and month cannot be distinguished
        return [_lone_time(value) for value in plain]
    return [_time(found, place) for place in range(len(plain))]


def _lone_time(value: str | int | float | None) -> int | str:
    """Return a single time in microseconds, or the reason for its rejection.

    >>> _lone_time("2025-01-01T00:00:00Z"), _lone_time(104)
    (1735689600000000, 'its time is a number whose unit is unclear; write ISO 8601, or seconds since 1970')
    """
    try:
        found = TimeReader().read([value])
    except InvalidInput:
        return "its time is a number whose unit is unclear; write ISO 8601, or seconds since 1970"
    return "its day and month are ambiguous; write the time as 2025-01-31" if found is None else _time(found, 0)


def _quick_time(value: object) -> int | None:
    """Return the time of a full ISO string or of seconds since 1970, in microseconds; None for any other form.

    >>> _quick_time("2025-01-01T00:00:00Z"), _quick_time(1735689600.5), _quick_time("2025")
    (1735689600000000, 1735689600500000, None)
    """
    if isinstance(value, float) and EARLY < value < LATE:
        return round(value * 1e6)
    if isinstance(value, str) and len(value) > 18 and value[10:11] == "T":
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - EPOCH) // MICROSECOND
    return None


def _time(found: Times, place: int) -> int | str:
    if found.missing[place]:
        return f"no time; name it {TIMES[0]!r}"
    return int(found.microseconds[place]) if found.readable[place] else UNREADABLE


def _record(
    record: dict[str, Any],
    moment: int | str,
    now: int,
    secret: bytes,
    repeat_key: str | None,
    number: int,
    most_text: int,
) -> Record | str:
    if isinstance(moment, str):
        return moment
    text = _first_of(record, TEXTS)
    if not isinstance(text, str) or not text.strip():
        return "no text" if text is None or isinstance(text, str) else "its text is not a string"
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        return "its text is not valid Unicode"
    if size > most_text:
        return f"the document has more than {most_text:,} bytes"
    if moment > now + AHEAD:
        return "its time is more than a day ahead of the clock"
    if moment < -ORIGIN * HOUR:
        return "its time is before 1850"
    name = record.get("id")
    if name is not None and not isinstance(name, str | int):
        return "its id is neither a string nor a whole number"
    name = None if name is None or not str(name).strip() else str(name)  # an empty id names nothing
    label, fault = _label(record.get("label"))
    if fault is not None:
        return fault
    if name is not None and (len(name) > LONGEST_ID or not _is_storable(name)):
        return f"its id has more than {LONGEST_ID} characters, or some that cannot be stored"
    if name is not None:
        content = b"i" + name.encode()
    elif repeat_key is not None:
        content = b"k" + f"{number}:{repeat_key}:{moment}:".encode() + text.encode()
    else:
        content = b"t" + f"{moment}:".encode() + text.encode()
    return Record(moment, text.replace("\0", " "), name, label, digest_of(content, secret))


def _label(value: object) -> tuple[str | None, str | None]:
    """Return a label (None if it is empty), and the reason if it is invalid.

    >>> _label(" sport "), _label(5), _label(""), _label(["a"])
    (('sport', None), ('5', None), (None, None), (None, 'its label is neither a string nor a number'))
    """
    if value is None:
        return None, None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None, "its label is neither a string nor a number"
    label = str(value).strip()
    if len(label) > LONGEST_LABEL or not label.isprintable():
        return None, f"its label has more than {LONGEST_LABEL} characters, or some that cannot be printed"
    return label or None, None


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def digest_of(content: bytes, secret: bytes) -> int:
    """Return a keyed 8-byte digest of a content as a signed number; without the secret, contents cannot be tested."""
    digest = hashlib.blake2b(content, digest_size=8, key=secret).digest()
    return int.from_bytes(digest, "little", signed=True)
