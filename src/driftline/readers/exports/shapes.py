"""Detection of the program that exported a JSON file, from the first object at the paths of its records."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping

from driftline.readers.byte_stream import ByteStream
from driftline.readers.json_walk import Path, objects_at
from driftline.readers.records import Limits

PLACES: Mapping[str, tuple[Path, ...]] = {
    "elasticsearch": (("hits", "hits", "*"), ("*",)),
    "slack": (("messages", "*"), ("*",)),
    "mastodon": (("orderedItems", "*"), ("*",)),
    "telegram": (
        ("messages", "*"),
        ("chats", "list", "*", "messages", "*"),
        ("left_chats", "list", "*", "messages", "*"),
    ),
}
"""Path of the records of each program."""
ACTIONS = ("index", "create", "update", "delete")
"""Actions of a bulk file of Elasticsearch."""
_PEEK = 2**20
_SLACK_TIME = re.compile(r"\d{9,11}\.\d{1,6}")
_DESCRIBES = {"_index", "_id", "_type", "routing", "_routing", "version", "version_type", "op_type", "pipeline"}


def export_format(stream: ByteStream) -> str | None:
    """Return the program that exported a JSON file; None if it is none of these.

    >>> data = b'{"took": 3, "hits": {"total": 1, "hits": [{"_id": "1", "_source": {"message": "disk full"}}]}}'
    >>> export_format(ByteStream(io.BytesIO(data), "x"))
    'elasticsearch'
    """
    start = stream.peek(_PEEK).lstrip()
    if not start.startswith((b"{", b"[")):
        return None
    line = start.partition(b"\n")[0]
    first = _object_of(line)
    if first is not None:
        if is_action(first) or is_hit(first):
            return "elasticsearch"
        start = line
    return next((name for name in PLACES if _has_shape(start, name)), None)


def is_in_documents(stream: ByteStream) -> bool:
    """Return whether hits of Elasticsearch are in JSON documents, rather than one per line."""
    start = stream.peek(_PEEK).lstrip()
    return start.startswith(b"[") or _has_shape(start, "elasticsearch")


def is_action(record: Mapping[str, object]) -> bool:
    """Return whether an object is an action line of a bulk file.

    >>> is_action({"index": {"_index": "logs"}}), is_action({"index": 5})
    (True, False)
    """
    if len(record) != 1:
        return False
    ((action, about),) = record.items()
    return action in ACTIONS and isinstance(about, dict) and about.keys() <= _DESCRIBES


def is_hit(record: Mapping[str, object]) -> bool:
    """Return whether an object is a document as Elasticsearch returns it."""
    return isinstance(record.get("_source"), dict) and ("_index" in record or "_id" in record)


def is_slack(record: Mapping[str, object]) -> bool:
    """Return whether an object is a message of Slack."""
    time = record.get("ts")
    return "type" in record and isinstance(time, str) and _SLACK_TIME.fullmatch(time) is not None


def is_activity(record: Mapping[str, object]) -> bool:
    """Return whether an object is an activity of Mastodon's outbox."""
    return "actor" in record and "object" in record and isinstance(record.get("type"), str)


def is_telegram(record: Mapping[str, object]) -> bool:
    """Return whether an object is a message of Telegram."""
    return record.get("type") in ("message", "service") and "date" in record and "text" in record


_SIGNS: Mapping[str, Callable[[Mapping[str, object]], bool]] = {
    "elasticsearch": is_hit,
    "slack": is_slack,
    "mastodon": is_activity,
    "telegram": is_telegram,
}


_KEYS = {"elasticsearch": b'"_source"', "slack": b'"ts"', "mastodon": b'"actor"', "telegram": b'"date"'}
"""Key that must occur in the exports of each program; it is searched before the file is parsed."""


def _has_shape(start: bytes, name: str) -> bool:
    if _KEYS[name] not in start:
        return False
    found = next(objects_at(ByteStream(io.BytesIO(start), ""), PLACES[name], Limits()), None)
    return found is not None and isinstance(found.element, dict) and _SIGNS[name](found.element)


def _object_of(line: bytes) -> dict[str, object] | None:
    """Return the JSON object of a line; None if it is not an object."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
