"""Lines of a file that grows."""

from __future__ import annotations

from driftline.cli.following import LineFollower


def contents(follower):
    return [line.content for line in follower.new_lines()]


def test_each_line_once_and_only_when_it_is_complete(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\ntw")
    follower = LineFollower(path)
    assert contents(follower) == [b"one"]
    assert contents(follower) == []
    with path.open("ab") as file:
        file.write(b"o\nthree\n")
    assert contents(follower) == [b"two", b"three"]
    assert (follower.offset, follower.number) == (14, 3)
    again = LineFollower(path, offset=8, number=2, identity=follower.identity)
    assert [(line.number, line.content, line.end) for line in again.new_lines()] == [(3, b"three", 14)]


def test_a_file_that_was_cut_short_or_replaced_is_read_anew(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo\n")
    follower = LineFollower(path)
    assert len(contents(follower)) == 2
    path.write_bytes(b"new\n")
    assert contents(follower) == [b"new"]
    assert follower.restarted
    follower.restarted = False
    (tmp_path / "other").write_bytes(b"other file\nmore\n")
    (tmp_path / "other").replace(path)
    assert contents(follower) == [b"other file", b"more"]
    assert follower.restarted


def test_a_line_that_is_too_long_is_named_and_not_held(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"a" * 5000 + b"\nshort\n" + b"b" * 5000)
    follower = LineFollower(path, max_bytes=1000)
    assert contents(follower) == [None, b"short"]
    with path.open("ab") as file:
        file.write(b"b\nend\n")
    found = list(follower.new_lines())
    assert [(line.number, line.content) for line in found] == [(3, None), (4, b"end")]
    assert found[-1].end == path.stat().st_size
