"""The caches of reading connections are emptied at intervals."""

from __future__ import annotations

import apsw


def cached(database):
    """Return the bytes of pages that a connection has cached."""
    return database._connection.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0]


def test_caches_of_idle_connections_are_emptied_and_queries_continue(filled):
    readers = filled.readers
    few = 200_000  # the schema, and the pages that every query reads first
    found = []
    for _ in readers._all:  # each query uses the next connection
        with readers.reading() as database:
            found.append(database.execute("SELECT count(*), sum(length(text)) FROM documents"))
    assert min(map(cached, readers._all)) > few
    with readers.reading() as in_use:
        readers.release_memory()
        assert [cached(each) > few for each in readers._all] == [each is in_use for each in readers._all]
    for _ in readers._all:
        with readers.reading() as database:
            assert database.execute("SELECT count(*), sum(length(text)) FROM documents") == found[0]
