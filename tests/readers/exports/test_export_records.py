import io
import json
import sys
import zipfile

import pytest

from driftline import read
from driftline.core.errors import InvalidInput

HITS = [
    {"_index": "logs", "_id": "1", "_source": {"@timestamp": "2003-03-20T03:34:00Z", "message": "disk full"}},
    {"_index": "logs", "_id": "2", "_source": {"message": "no time"}},
    {"_index": "logs", "_id": "3"},
    {"_index": "logs", "_id": "4", "fields": {"@timestamp": ["2003-03-21T00:00:00Z"], "message": ["from fields"]}},
]
TELEGRAM = [
    {
        "id": 1,
        "type": "message",
        "date": "2003-03-20T04:34:00",
        "date_unixtime": "1048131240",
        "from": "Ann",
        "text": "War",
    },
    {
        "id": 2,
        "type": "message",
        "date": "2003-03-21T00:00:00",
        "from": "Bob",
        "text": ["a ", {"type": "link", "text": "b"}],
    },
    {"id": 3, "type": "service", "date": "2003-03-21T00:00:00", "action": "invite_members", "text": ""},
    {"id": 4, "type": "message", "date": "2003-03-22T00:00:00", "from": None, "text": [5]},
]
NOTE = {"id": "n1", "type": "Note", "content": "<p>War &amp; peace</p>", "published": "2003-03-20T03:34:00Z"}
OUTBOX = [
    {"id": "1", "type": "Create", "actor": "ann", "published": "2003-03-20T03:34:00Z", "object": NOTE},
    {
        "id": "2",
        "type": "Announce",
        "actor": "ann",
        "published": "2003-03-20T03:34:00Z",
        "object": "https://example.org/1",
    },
    {"id": "3", "type": "Create", "actor": "ann", "object": 5},
    {"id": "4", "type": "Create", "actor": "ann", "object": {"id": "n4", "content": "undated"}},
]
SLACK = [
    {
        "type": "message",
        "user": "U1",
        "ts": "1048131240.000200",
        "text": "see <https://a.b|this> &amp; ask <@U2> in <#C1|war>",
    },
    {"type": "message", "subtype": "channel_join", "user": "U1", "ts": "1048131241.0", "text": "<@U1> has joined"},
    {
        "type": "message",
        "bot_id": "B1",
        "username": "bot",
        "ts": "1048131242.0",
        "text": "<!here> built",
        "thread_ts": "1048131240.000200",
    },
    {"type": "message", "user": "U9", "ts": "soon", "text": "x"},
]


def read_json(folder, value, name="a.json", **options):
    text = value if isinstance(value, str) else json.dumps(value, indent=1)
    (folder / name).write_text(text)
    stream = read(folder / name, **options)
    return list(stream), dict(stream.rejections.reasons), stream.n_present


@pytest.mark.parametrize("shape", ["search", "pages", "array", "lines"])
def test_elasticsearch_hits(shape, tmp_path):
    page = {"took": 1, "hits": {"total": {"value": 4}, "hits": HITS}}
    value = {
        "search": page,
        "pages": "\n".join(json.dumps({"took": 1, "hits": {"hits": [hit]}}) for hit in HITS),
        "array": HITS,
        "lines": "\n".join(map(json.dumps, HITS)),
    }[shape]
    documents, reasons, n = read_json(tmp_path, value)
    assert [(d.id, d.time.day, d.text) for d in documents] == [("1", 20, "disk full"), ("4", 21, "from fields")]
    assert (reasons, n) == ({"no time": 1, "no text": 1}, 4)


def test_elasticsearch_bulk(tmp_path):
    lines = [
        {"index": {"_index": "logs", "_id": "1"}},
        {"date": "2003-03-20", "message": "one"},
        {"delete": {"_id": "9"}},
        {"create": {"_id": "2"}},
        {"update": {"_id": "3"}},
        {"doc": {"date": "2003-03-21", "message": "three"}},
        {"date": "2003-03-22", "message": "without an action"},
        {"index": {}},
    ]
    text = "\n".join(map(json.dumps, lines)) + "\n{broken\n\n"
    documents, reasons, n = read_json(tmp_path, text, "a.ndjson")
    assert [(d.id, d.text) for d in documents] == [("1", "one"), ("3", "three"), ("5", "without an action")]
    assert (reasons, n) == ({"no text": 2, "broken JSON": 1}, 6)


@pytest.mark.parametrize("shape", ["chat", "account", "line"])
def test_telegram(shape, tmp_path):
    chat = {"name": "News", "type": "private_group", "id": 7, "messages": TELEGRAM}
    value = {
        "chat": chat,
        "account": {
            "about": "x" * 70_000,
            "contacts": {"list": [{"first_name": "A"}]},
            "chats": {"about": "", "list": [chat]},
        },
        "line": json.dumps(chat),
    }[shape]
    documents, reasons, n = read_json(tmp_path, value, "result.json", label="channel")
    assert [(d.id, d.time.isoformat(), d.text, d.author, d.label) for d in documents] == [
        ("News/1", "2003-03-20T03:34:00+00:00", "War", "Ann", "News"),
        ("News/2", "2003-03-21T00:00:00+00:00", "a b", "Bob", "News"),
        ("News/4", "2003-03-22T00:00:00+00:00", "5", None, "News"),
    ]
    assert (reasons, n) == ({"no text": 1}, 4)


def test_mastodon(tmp_path):
    value = {"@context": "https://www.w3.org/ns/activitystreams", "type": "OrderedCollection", "orderedItems": OUTBOX}
    documents, reasons, n = read_json(tmp_path, value, "outbox.json")
    assert [(d.id, d.text, d.author) for d in documents] == [("n1", "War & peace", "ann")]
    assert (reasons, n) == ({"no text": 1, "not an object": 1, "no time": 1}, 4)


def test_slack_as_a_folder_and_as_an_archive(tmp_path):
    export = tmp_path / "export"
    (export / "general").mkdir(parents=True)
    (export / "general" / "2003-03-20.json").write_text(json.dumps(SLACK))
    (export / "general" / "2003-03-21.json").write_text("[]")
    (export / "channels.json").write_text('[{"id": "C1", "name": "general", "created": 1048131240}]')
    (export / "users.json").write_text('[{"id": "U1", "name": "ann"}, {"id": "U2", "name": "bob"}, 5]')
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for file in sorted(export.rglob("*.json")):
            archive.write(file, file.relative_to(export).as_posix())
    for source in (export, tmp_path / "export.zip"):
        stream = read(source, label="channel")
        assert [(d.id, d.time.isoformat(), d.text, d.author, d.thread, d.label) for d in stream] == [
            (
                "general/1048131240.000200",
                "2003-03-20T03:34:00.000200+00:00",
                "see this & ask @bob in #war",
                "ann",
                "1048131240.000200",
                "general",
            ),
            (
                "general/1048131242.0",
                "2003-03-20T03:34:02+00:00",
                "@here built",
                "bot",
                "1048131240.000200",
                "general",
            ),
        ]
        assert dict(stream.rejections.reasons) == {"no text": 1, "unreadable time": 1}
        assert stream.n_present == 4


def test_a_named_format_decides(tmp_path):
    value = json.dumps({"hits": {"hits": HITS}})
    assert len(read_json(tmp_path, value, format="elasticsearch")[0]) == 2  # knows the fields, too
    assert len(read_json(tmp_path, value, format="jsonl")[0]) == 1
    assert read_json(tmp_path, SLACK[:1], format="slack")[2] == 1
    with pytest.raises(InvalidInput, match=r"a\.json has no column 'topic' for label="):
        read_json(tmp_path, SLACK, label="topic")


@pytest.mark.parametrize(
    "value",
    [
        '{"messages": [{"role": "user", "content": "x"}], "date": "2003", "text": "a chat as training data"}\n' * 2,
        '{"hits": 5, "date": "2003", "text": "x"}\n' * 2,
        '{"index": 5, "date": "2003", "text": "x"}\n' * 2,
        '[{"ts": 5, "date": "2003", "text": "x", "type": "message"}, {"date": "2003", "text": "y"}]',
        '[{"actor": "x", "date": "2003", "text": "x"}, {"date": "2003", "text": "y"}]',
    ],
)
def test_what_only_looks_a_little_like_an_export_is_read_as_before(value, tmp_path):
    documents, reasons, _ = read_json(tmp_path, value)
    assert (len(documents), reasons) == (2, {})


def test_standard_input(monkeypatch):
    class Input:
        buffer = io.BytesIO(json.dumps({"orderedItems": OUTBOX}).encode())

    monkeypatch.setattr(sys, "stdin", Input())
    assert [document.id for document in read("-")] == ["n1"]


def test_broken_exports_keep_what_comes_before(tmp_path):
    text = json.dumps({"orderedItems": OUTBOX})
    documents, reasons, _ = read_json(tmp_path, text[: text.index('"id": "4"')])
    assert (len(documents), reasons["broken JSON"]) == (1, 1)
