import io
import json

import pytest

from driftline.readers.byte_stream import ByteStream
from driftline.readers.exports.shapes import export_format, is_action, is_in_documents

HIT = {"_index": "a", "_id": "1", "_source": {"x": 1}}
SAID = {"type": "message", "ts": "1048131240.000200", "text": "x"}
MESSAGE = {"id": 1, "type": "message", "date": "2003-03-20T00:00:00", "text": "x"}
ACTIVITY = {"actor": "a", "type": "Create", "object": {}}


def shape_of(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    stream = ByteStream(io.BytesIO(data), "x")
    found = export_format(stream)
    assert stream.read(len(data) + 1) == data
    return found


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"hits": {"hits": [HIT]}}, "elasticsearch"),
        ([HIT], "elasticsearch"),
        (HIT, "elasticsearch"),
        (b'{"index": {}}\n{"x": 1}', "elasticsearch"),
        ([SAID], "slack"),
        ({"messages": [SAID]}, "slack"),
        ({"orderedItems": [ACTIVITY]}, "mastodon"),
        ({"name": "x", "messages": [MESSAGE]}, "telegram"),
        ({"about": "x" * 100_000, "chats": {"list": [{"messages": [MESSAGE]}]}}, "telegram"),
        ({"messages": [{"role": "user", "date": 5}]}, None),
        ({"hits": {"hits": []}}, None),
        ([{"ts": "soon", "type": "x"}], None),
        ([5, SAID], None),
        ({"index": {"text": "x"}}, None),
        ({"x": 1}, None),
        (b"", None),
        (b"[", None),
        (b"time,text", None),
        (b"{" * 5000, None),
    ],
)
def test_shapes(value, expected):
    assert shape_of(value) == expected


def test_only_the_first_line_of_lines_is_looked_at():
    assert shape_of(b'{"text": "x"}\n' + json.dumps({"orderedItems": [ACTIVITY]}).encode()) is None


def test_documents_or_lines():
    for value, expected in (([HIT], True), ({"hits": {"hits": [HIT]}}, True), (HIT, False), ({"index": {}}, False)):
        assert is_in_documents(ByteStream(io.BytesIO(json.dumps(value).encode()), "x")) is expected


def test_actions():
    assert is_action({"delete": {"_id": "1", "_index": "a", "routing": "b"}})
    assert not is_action({"index": {"_id": 1, "text": 2}})
    assert not is_action({"index": {}, "text": "x"})
    assert not is_action({})
