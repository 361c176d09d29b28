"""The store in PostgreSQL behaves like the one in SQLite."""

import os
import time

import pytest

from driftline.service.recovery import recover
from driftline.service.submissions import WriterQueue
from driftline.service.writer import Writer
from tests.service.running import BEARER, send, served, story_lines, take, wait_for
from tests.service.store.postgres_schema import ADDRESS, address  # noqa: F401


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


def end_connections(name):
    """End the connections of an application, as a server does that restarts; return their number."""
    import psycopg

    with psycopg.connect(ADDRESS, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s", (name,)
        ).fetchall()
    return len(rows)


@pytest.fixture
def named(address):  # noqa: F811
    """Return the address of an empty schema with the name of an application, and that name."""
    name = f"driftline_lost_{os.getpid()}_{time.time_ns()}"
    return f"{address}&application_name={name}", name


def test_lost_connections_are_made_again_and_nothing_is_stored_twice(named):
    from driftline.service.store.database import StoreError
    from driftline.service.store.opened import open_store

    where, name = named
    lines = story_lines(1000)
    with served(where) as client:
        assert send(client, lines[:600]).json()["taken"] == 600
        assert end_connections(name)
        for path in ("overview", "health", "documents?q=rain", "alarms"):
            assert client.get(f"/api/{path}").status_code == 200, path  # a question is repeated
        found = wait_for(lambda: (answer := send(client, lines[:800])).status_code == 200 and answer)
        assert (found.json()["taken"], found.json()["repeated"]) == (200, 600)
        assert end_connections(name)
        assert wait_for(lambda: client.get("/readyz").status_code == 200)
        assert wait_for(lambda: send(client, lines).status_code == 200)
        with client.service.readers.reading() as database:
            assert database.execute("SELECT count(*), count(DISTINCT id) FROM documents") == [(1000, 1000)]
        second = open_store(where, writes=True)
        with pytest.raises(StoreError, match="another service"):
            second.lock()  # the new connection has the lock again
        second.close()
        models = client.service.queue.call(lambda writer: writer.learner.to_bytes()).result()
    database = open_store(where, writes=False)
    assert recover(database, 6).learner.to_bytes() == models
    database.close()


def lose_the_server(name, monkeypatch):
    """End the connections of a service, and refuse new ones."""
    from driftline.service.store.postgresql import psycopg

    connect = psycopg.connect

    def refuse(*given, **options):
        raise psycopg.OperationalError("connection refused")

    monkeypatch.setattr(psycopg, "connect", refuse)
    ended = connect(ADDRESS, autocommit=True)
    ended.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s", (name,))
    ended.close()


def test_a_service_waits_for_its_server_and_is_not_ready_meanwhile(named, monkeypatch):
    from driftline.service.store import postgresql

    where, name = named
    lines = story_lines(400)
    with served(where) as client:
        assert send(client, lines[:200]).json()["taken"] == 200
        connect = postgresql.psycopg.connect
        monkeypatch.setattr("driftline.service.writer.TRY_EVERY", 0.05)
        lose_the_server(name, monkeypatch)
        refused = send(client, lines)
        assert (refused.status_code, int(refused.headers["Retry-After"])) == (503, 5)
        wait_for(lambda: client.get("/readyz").status_code == 503)
        assert client.get("/api/overview").status_code == 503
        assert send(client, lines).status_code == 503  # without waiting
        monkeypatch.setattr(postgresql.psycopg, "connect", connect)
        wait_for(lambda: client.get("/readyz").status_code == 200)
        assert send(client, lines).json() | {"batch": None} == {
            "taken": 200,
            "repeated": 200,
            "rejected": [],
            "batch": None,
        }


def kept(database):
    """Return what a service has stored and derived: documents, aggregates, alarms, topics."""
    return [
        database.execute(sql)
        for sql in (
            "SELECT key, id, topic, probability FROM documents ORDER BY key",
            "SELECT level, start, kind, body FROM periods ORDER BY level, start, kind",
            "SELECT level, block, start, most, body FROM period_words ORDER BY level, block, start",
            "SELECT kind, word, topic, state, start, evidence FROM alarms ORDER BY id",
            "SELECT id, words FROM topics ORDER BY id",
        )
    ]


@pytest.mark.parametrize("waits", [False, True])
def test_a_stop_while_the_server_is_gone_loses_nothing(named, tmp_path, monkeypatch, caplog, waits):
    """The last snapshot is left out, also if the writer already waits for the server; batches are learned again."""
    from driftline.service.store import postgresql
    from driftline.service.store.opened import open_store

    where, name = named
    lines = story_lines(1200)
    connect = postgresql.psycopg.connect
    with served(where) as client:
        assert send(client, lines[:600]).json()["taken"] == 600
        assert send(client, lines[600:1000]).json()["taken"] == 400  # after the last snapshot
        before = client.service.queue.call(lambda writer: (writer.learner.to_bytes(), writer.state.n_since)).result()
        lose_the_server(name, monkeypatch)
        if waits:
            assert send(client, lines[1000:]).status_code == 503
    assert before[1] == 400
    assert "could not be saved before the end" in caplog.text
    assert "Traceback" not in caplog.text
    monkeypatch.setattr(postgresql.psycopg, "connect", connect)
    with served(where) as client:
        models = client.service.queue.call(lambda writer: writer.learner.to_bytes()).result()
        assert models == before[0]
        assert send(client, lines).json() | {"batch": None} == {
            "taken": 200,
            "repeated": 1000,
            "rejected": [],
            "batch": None,
        }
    whole = open_store(str(tmp_path / "whole"), writes=True)
    writer = Writer(whole, WriterQueue(), n_topics=6)
    for part in (lines[:600], lines[600:1000], lines[1000:]):
        take(writer, part, batch=len(part))
    writer.save()
    database = open_store(where, writes=False)
    assert kept(database) == kept(whole)
    assert recover(database, 6).learner.to_bytes() == writer.learner.to_bytes()
    database.close()
    whole.close()


def test_a_joined_process_connects_again(named):
    where, name = named
    lines = story_lines(300)
    with served(where) as learning, served(where, join=True) as joined:
        assert send(joined, lines[:100]).json()["taken"] == 100
        wait_for(lambda: learning.service.writer.n_documents == 100)
        assert end_connections(name)
        wait_for(lambda: send(joined, lines).status_code == 200)
        wait_for(lambda: send(learning, lines[:10]).status_code == 200)
        wait_for(lambda: joined.service.writer.n_documents == 300)
        assert joined.get("/readyz").status_code == 200


def test_no_server():
    from driftline.service.store.database import StoreError
    from driftline.service.store.opened import open_store

    with pytest.raises(StoreError, match="cannot be reached"):
        open_store("postgresql://postgres@127.0.0.1:1/none", writes=True)
