"""An empty schema of the local PostgreSQL, removed afterwards."""

import contextlib
import os
import socket
import time

import pytest

ADDRESS = os.environ.get("DRIFTLINE_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/postgres")


def listens(port):
    """Return whether a local server listens on a port."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def new_schema():
    """Yield the address of an empty schema."""
    import psycopg

    name = f"driftline_test_{os.getpid()}_{time.time_ns()}"
    with contextlib.closing(psycopg.connect(ADDRESS, autocommit=True)) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
        try:
            yield f"{ADDRESS}?options=-csearch_path%3D{name}"
        finally:
            connection.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture
def address():
    """Yield the address of an empty schema; skip without a server."""
    psycopg = pytest.importorskip("psycopg", reason="the extra postgresql is not installed")
    if not listens(5432) and "DRIFTLINE_TEST_POSTGRESQL" not in os.environ:
        pytest.skip("no PostgreSQL listens on 127.0.0.1:5432")
    try:
        psycopg.connect(ADDRESS).close()
    except psycopg.OperationalError as error:
        pytest.skip(f"PostgreSQL refuses the connection: {str(error).splitlines()[0]}")
    with new_schema() as found:
        yield found
