"""Exports as records: the objects at their places, each turned into a message or a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from driftline.readers.byte_stream import ByteStream
from driftline.readers.columns import Choice, known_columns
from driftline.readers.exports.elasticsearch import hit_record, line_records
from driftline.readers.exports.mastodon import activity_record
from driftline.readers.exports.shapes import PLACES, is_in_documents
from driftline.readers.exports.slack import slack_record
from driftline.readers.exports.telegram import telegram_record
from driftline.readers.json_array import Element, element_records
from driftline.readers.json_walk import Found, objects_at
from driftline.readers.records import FIRST_RECORDS, Chooser, Records
from driftline.readers.settings import Settings

MESSAGE_COLUMNS = ("id", "time", "text", "author", "thread", "channel")
"""Columns of messages for ``time=``, ``text=``, ``label=``, ``author=`` and ``thread=``."""
MESSAGE_CHOICE = Choice("time", "text", label=False, id="id", author="author", thread="thread")
"""Columns read by default."""
_Convert = Callable[[Mapping[str, object], Mapping[str, object]], dict[str, object] | str]
"""Function from an object and its enclosing object to a record, or to the reason why there is none."""


def read_export(
    stream: ByteStream, kind: str, settings: Settings, *, people: Mapping[str, str] | None = None
) -> Iterator[Records]:
    """Yield the records of an export; for Slack, `people` are the names of the authors, by their ids."""
    limits = settings.limits
    elements: Iterator[Element]
    if kind == "elasticsearch":
        if is_in_documents(stream):
            elements = _converted(objects_at(stream, PLACES[kind], limits), lambda hit, around: hit_record(hit))
        else:
            elements = line_records(stream, limits)
        return element_records(stream.name, elements, settings.chooser(stream.name), limits)
    channel = stream.name.rpartition("/")[0].rpartition("/")[2] or None
    convert: dict[str, _Convert] = {
        "slack": lambda message, around: slack_record(message, channel, people or {}),
        "mastodon": lambda activity, around: activity_record(activity),
        "telegram": lambda message, around: telegram_record(message, around.get("name")),
    }
    elements = _converted(objects_at(stream, PLACES[kind], limits), convert[kind])
    choose = _message_columns(settings, stream.name)
    return element_records(stream.name, elements, choose, limits, first=FIRST_RECORDS)


def _message_columns(settings: Settings, source: str) -> Chooser:
    return lambda sample: known_columns(
        MESSAGE_COLUMNS, settings.choice, MESSAGE_CHOICE, source=source, origin="channel"
    )


def _converted(found: Iterator[Found], convert: _Convert) -> Iterator[Element]:
    for one in found:
        yield one.element if isinstance(one.element, str) else convert(one.element, one.around), one.length
