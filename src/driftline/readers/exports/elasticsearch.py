"""Elasticsearch: hits of searches and scrolls, lines of dumps, and bulk files of an action and a document in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftline.readers.byte_stream import ByteStream
from driftline.readers.exports.shapes import is_action
from driftline.readers.json_array import Element
from driftline.readers.jsonl import line_elements
from driftline.readers.records import Limits

_NO_DOCUMENT = "no text: an action without a document"


def hit_record(hit: Mapping[str, Any]) -> dict[str, Any] | str:
    """Return the document of a hit, with its id; values in ``fields`` are lists of one value, which are unpacked.

    >>> hit_record({"_id": "7", "_source": {"@timestamp": "2003-03-20", "message": "disk full"}})
    {'@timestamp': '2003-03-20', 'message': 'disk full', 'id': '7'}
    """
    document = hit.get("_source")
    if not isinstance(document, dict):
        fields = hit.get("fields")
        if not isinstance(fields, dict):
            return "no text: a hit without _source"
        document = {
            name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in fields.items()
        }
    return _with_id(document, hit)


def line_records(stream: ByteStream, limits: Limits) -> Iterator[Element]:
    """Yield the documents of a bulk file or of a dump with a hit per line.

    An action and the document after it are one record. So is a deletion, which has no document, and a document without
    an action.
    """
    action: Mapping[str, Any] | None = None
    for record, length in line_elements(stream, limits):
        if isinstance(record, str):
            action = None  # an action and its document are one record, even if only one of them is broken
            yield record, length
        elif is_action(record):
            if action is not None:
                yield _NO_DOCUMENT, length
            action = record
            if "delete" in record:
                action = None
                yield "no text: a deletion", length
        else:
            yield _document(record, action), length
            action = None
    if action is not None:
        yield _NO_DOCUMENT, 1


def _document(record: dict[str, Any], action: Mapping[str, Any] | None) -> dict[str, Any] | str:
    if action is None:
        return hit_record(record) if "_source" in record or "_index" in record else record
    ((kind, about),) = action.items()
    if kind == "update":
        record = record.get("doc", record.get("upsert", record))
    return _with_id(record, about) if isinstance(record, dict) else "not an object: the document of an update"


def _with_id(document: dict[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    return document if "id" in document or "_id" not in about else {**document, "id": about["_id"]}
