"""The number of records of a source, counted in plain Python without driftline's readers."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

from tests.oracles import delimited


def count_lines(data: bytes) -> int:
    """JSON lines: every line that is not blank."""
    return sum(1 for line in data.split(b"\n") if line.strip(b" \t\r\n"))


def count_mails(data: bytes) -> int:
    """An mbox: every whole line ``From …`` at the start or behind an empty line, and one for what stands before."""
    lines = data.split(b"\n")
    n_mails, behind_empty, before = 0, False, False
    for i, line in enumerate(lines):
        is_whole = i < len(lines) - 1 and b"\r" not in line.removesuffix(b"\r")
        if line.startswith(b"From ") and (i == 0 or (behind_empty and is_whole)):
            n_mails += 1
        elif not n_mails and line.strip():
            before = True
        behind_empty = i > 0 and line in (b"", b"\r")
    return n_mails + before


def count_rows(data: bytes, delimiter: bytes, max_record_bytes: int = 2**24) -> int:
    """Delimited text: the records behind the header, by the oracle that takes one character at a time."""
    position = 0
    while position < len(data) and data[position] in b"\r\n":
        position = delimited.behind_line(data, position)
    header, end, _ = delimited.one_record(data, position, delimiter)
    if header is None:
        return -1
    good, bad = delimited.read(data[end:], delimiter, len(header), max_record_bytes)
    return len(good) + len(bad)


def count_items(data: bytes) -> int | None:
    """A feed: the items that are not within another; None if it is not well-formed, or defines its own entities."""
    if b"<!" in data.replace(b"<![CDATA[", b"").replace(b"<!--", b""):
        return None
    try:
        root = ET.fromstring(data)
    except (ET.ParseError, LookupError, ValueError):
        return None
    return _items_in(root) if root.tag.rpartition("}")[2] in ("rss", "feed", "RDF") else None


def _items_in(element: ET.Element) -> int:
    if element.tag.rpartition("}")[2] in ("item", "entry"):
        return 1
    return sum(map(_items_in, element))


def count_at(data: bytes, *paths: str) -> int | None:
    """A JSON document: the elements of the arrays at dotted paths, ``*`` for each; None if it is not well-formed."""
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if len(re.findall(rb'"(?:hits|messages|orderedItems|chats|list)"', data)) > max(
        path.count(".") + 1 for path in paths
    ):
        return None  # a key twice: Python keeps the last, and we count both
    return sum(_count_at(whole, path.split(".") if path else []) for path in paths)


def _count_at(value: Any, path: list[str]) -> int:
    if not path:
        return len(value) if isinstance(value, list) else 0
    if path[0] == "*":
        return sum(_count_at(inner, path[1:]) for inner in value) if isinstance(value, list) else 0
    return _count_at(value.get(path[0]), path[1:]) if isinstance(value, dict) else 0


def count_bulk(lines: list[bytes]) -> int:
    """A bulk file: a pair of an action and a document is one, and so is everything that has lost its other half."""
    kinds = "".join(map(_kind_of_line, (line for line in lines if line.strip(b" \t\r\n"))))
    return len(re.findall("a[dx]|a|d|x|-", kinds))


def _kind_of_line(line: bytes) -> str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return "x"
    if not isinstance(value, dict):
        return "x"
    if len(value) == 1:
        ((key, about),) = value.items()
        if (
            key in ("index", "create", "update", "delete")
            and isinstance(about, dict)
            and set(about) <= {"_id", "_index"}
        ):
            return "-" if key == "delete" else "a"
    return "d"
