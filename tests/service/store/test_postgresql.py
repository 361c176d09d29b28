"""The store in PostgreSQL behaves like the one in SQLite."""

import pytest

from driftline.service.submissions import WriterQueue
from driftline.service.writer import Writer
from tests.service.running import BEARER, send, served, story_lines, take
from tests.service.store.postgres_schema import address  # noqa: F401


def test_the_same_documents_aggregates_and_models(address, tmp_path):  # noqa: F811
    from driftline.service.store.opened import open_store

    lines = story_lines(1500)
    stores = [open_store(address, writes=True), open_store(str(tmp_path / "store"), writes=True)]
    writers = [Writer(store, WriterQueue(), n_topics=5) for store in stores]
    for writer in writers:
        take(writer, lines, batch=300)
        assert take(writer, lines[:300])[0].repeated == 200
        writer.save()
    assert writers[0].learner.to_bytes() == writers[1].learner.to_bytes()
    for sql in (
        "SELECT level, start, kind, body FROM periods ORDER BY level, start, kind",
        "SELECT level, block, start, most, body FROM period_words ORDER BY level, block, start",
        "SELECT key, time, text, topic FROM documents ORDER BY key",
        "SELECT number, word FROM words ORDER BY number",
    ):
        assert stores[0].execute(sql) == stores[1].execute(sql)
    for words in (["rain"], ["storm", "pet*"], ["it's"], ["'; DROP"]):
        found = [set(store.newest_matches(words, 5000, 0, 2**62)) for store in stores]
        assert found[0] == found[1] or words[0] in ("it's", "'; DROP")
    assert Writer(stores[0], WriterQueue(), n_topics=5).learner.to_bytes() == writers[0].learner.to_bytes()
    for store in stores:
        store.close()


def test_one_writer(address):  # noqa: F811
    from driftline.service.store.database import StoreError
    from driftline.service.store.opened import open_store

    one, two = open_store(address, writes=True), open_store(address, writes=True)
    one.lock()
    with pytest.raises(StoreError, match="another service"):
        two.lock()
    one.close()
    two.close()


def test_the_whole_service(address):  # noqa: F811
    with served(address) as client:
        assert send(client, story_lines(700)).json()["taken"] == 700
        for path in (
            "overview?span=31536000",
            "topics",
            "documents?q=rain",
            "words/curves?word=rain",
            "alarms",
            "health",
        ):
            assert client.get(f"/api/{path}", headers=BEARER).status_code == 200, path
        key = client.get("/api/documents").json()["documents"][0]["key"]
        assert client.request("DELETE", f"/api/documents/{key}", json={}).status_code == 200


def test_no_server():
    from driftline.service.store.database import StoreError
    from driftline.service.store.opened import open_store

    with pytest.raises(StoreError, match="cannot be reached"):
        open_store("postgresql://postgres@127.0.0.1:1/none", writes=True)
