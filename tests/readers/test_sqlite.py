import gzip
import sqlite3

import pytest

from driftline import read
from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers import sqlite as module


def made(path, *statements, rows=()):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    if rows:
        connection.executemany(f"INSERT INTO posts VALUES ({','.join('?' * len(rows[0]))})", rows)
    connection.commit()
    connection.close()
    return path


POSTS = "CREATE TABLE posts (id INTEGER PRIMARY KEY, created, body)"


def test_rows_of_all_kinds(tmp_path):
    rows = [
        (1, "2003-03-20", "war"),
        (2, "2003-03-21", b"\0\1"),
        (3, None, "no time"),
        (4, "2003-03-22", None),
        (5, "2003-03-23", 17),
        (6, b"2003", "time is a blob"),
        (7, "2003-03-24", "peace"),
    ]
    stream = read(made(tmp_path / "a.db", POSTS, rows=rows))
    assert [(document.id, document.text) for document in stream] == [("1", "war"), ("5", "17"), ("7", "peace")]
    assert dict(stream.rejections.reasons) == {"not text": 1, "no time": 1, "no text": 1, "unreadable time": 1}
    assert stream.rejections.examples[0].reason == "not text: a BLOB, which contains bytes"
    assert stream.rejections.examples[0].source == "a.db, table posts"
    assert stream.n_present == 7


def test_text_that_is_not_utf_8_gets_a_suggestion(tmp_path):
    path = made(tmp_path / "a.db", POSTS, "INSERT INTO posts VALUES (1, '2003', CAST(x'436166e9206372e86d65' AS TEXT))")
    stream = read(path)
    assert list(stream) == []
    assert "it looks like encoding='cp1252'" in stream.rejections.examples[0].reason


def test_the_table_with_dated_texts_is_found_or_named(tmp_path):
    path = made(
        tmp_path / "a.sqlite",
        POSTS,
        "CREATE TABLE users (name TEXT)",
        'CREATE TABLE "odd ""name" (date TEXT, text TEXT)',
        "INSERT INTO \"odd \"\"name\" VALUES ('2004', 'x')",
        "CREATE VIEW latest AS SELECT created, upper(body) AS body FROM posts",
        rows=[(1, "2003-03-20", "a longer text than the other")],
    )
    assert [document.text for document in read(path)] == ["a longer text than the other"]
    assert [document.text for document in read(path, table='odd "name')] == ["x"]
    assert [document.text for document in read(path, table="latest")] == ["A LONGER TEXT THAN THE OTHER"]
    with pytest.raises(InvalidInput, match=r"no table 'x' \(its tables: 'posts', 'users', 'odd \"name', 'latest'\)"):
        read(path, table="x")
    with pytest.raises(InvalidInput, match=r"no column of table 'users' of a\.sqlite looks like a time"):
        read(path, table="users")


def test_tables_that_are_equally_good_are_ambiguous(tmp_path):
    path = made(
        tmp_path / "a.db",
        POSTS,
        "CREATE TABLE notes AS SELECT '2003' AS date, 'some text' AS text",
        rows=[(1, "2003", "some text")],
    )
    with pytest.raises(AmbiguousInput, match="choose with table='posts' or table='notes'"):
        read(path)
    with pytest.raises(InvalidInput, match=r"no table of b\.db has both a time and a text"):
        read(made(tmp_path / "b.db", "CREATE TABLE a (x)", "CREATE TABLE b (x)"))
    with pytest.raises(InvalidInput, match=r"no table of c.db .*its tables: none"):
        read(made(tmp_path / "c.db", "PRAGMA user_version = 1", "CREATE TABLE a (x)", "DROP TABLE a"))


def test_names_of_columns_are_quoted(tmp_path):
    names = ['a"; DROP TABLE posts; --', "text with spaces"]
    statement = f"CREATE TABLE posts ({', '.join(module._quoted(name) for name in names)})"
    path = made(tmp_path / "a.db", statement, rows=[("2003", "war")])
    assert [document.text for document in read(path, time=names[0], text=names[1])] == ["war"]


def test_a_file_is_never_written(tmp_path):
    path = made(tmp_path / "a.db", POSTS, rows=[(1, "2003", "war")])
    before = path.read_bytes()
    path.chmod(0o444)
    list(read(path))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.db"]


def test_what_is_still_in_the_journal_is_read(tmp_path):
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(POSTS)
    connection.execute("INSERT INTO posts VALUES (1, '2003', 'war')")
    connection.commit()
    assert [document.text for document in read(tmp_path / "a.db")] == ["war"]
    connection.close()


def test_hostile_views_only_read_and_end(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_MOST_STEPS", 3)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT '2003' AS date, i AS text FROM n"
    slow = "SELECT '2003' AS date, 'x' AS text FROM t a, t b, t c, t d WHERE a.x + b.x + c.x + d.x < 0"
    path = made(
        tmp_path / "a.db",
        "CREATE TABLE t AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100) SELECT x FROM n",
        f"CREATE VIEW endless AS {endless}",
        f"CREATE VIEW slow AS {slow}",
        "CREATE VIEW loading AS SELECT load_extension('x') AS text, '2003' AS date",
    )
    for view in ("endless", "slow", "loading"):
        with pytest.raises(InvalidInput, match=f"table '{view}' of a.db cannot be read"):
            read(path, table=view)


def test_long_texts_and_blobs_are_not_held(tmp_path):
    rows = [(1, "2003", "x" * 200_000), (2, "2003", b"x" * 200_000), (3, "2003", "short \0 with zero")]
    stream = read(made(tmp_path / "a.db", POSTS, rows=rows), max_record_bytes=1000)
    assert [document.text for document in stream] == ["short \0 with zero"]
    assert dict(stream.rejections.reasons) == {"too long": 1, "not text": 1}


def test_batches_are_small_and_empty_tables_are_empty(tmp_path):
    rows = [(i, "2003", f"text {i}") for i in range(1000)]
    path = made(tmp_path / "a.db", POSTS, rows=rows)
    assert max(map(len, read(path, batch_size=64).batches())) <= 64
    assert read(path, batch_size=64).table().num_rows == 1000
    assert list(read(made(tmp_path / "b.db", POSTS))) == []


def test_packed_files_are_unpacked(tmp_path):
    path = made(tmp_path / "a.db", POSTS, rows=[(1, "2003", "war")])
    (tmp_path / "b.db.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert [document.text for document in read(tmp_path / "b.db.gz")] == ["war"]


def test_damaged_files(tmp_path):
    rows = [(i, "2003-01-01", f"text {i} " * 50) for i in range(500)]
    path = made(tmp_path / "a.db", POSTS, rows=rows)
    data = path.read_bytes()
    middle = len(data) // 2 // 4096 * 4096
    (tmp_path / "b.db").write_bytes(data[:middle] + b"\xff" * 4096 + data[middle + 4096 :])
    stream = read(tmp_path / "b.db")
    documents = list(stream)
    assert 0 < len(documents) < 500
    assert dict(stream.rejections.reasons) == {"damaged": 1}
    for start in (b"", b"no database", data[:16], data[:100], data[:middle]):
        (tmp_path / "c.db").write_bytes(start)
        with pytest.raises(InvalidInput, match=r"c\.db"):
            read(tmp_path / "c.db")
