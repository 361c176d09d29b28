"""Lines of a file that grows."""

from __future__ import annotations

import os

import pytest

from driftline.core.errors import InvalidInput
from driftline.readers.line_follower import FileMark, LineFollower


def contents(follower):
    return [line.content for line in follower.new_lines()]


def resumed(path, line):
    """Continue after a line in a new process."""
    return LineFollower(path, offset=line.end, number=line.number, mark=FileMark(*line.mark), ended=line.ended)


def append(path, content):
    with path.open("ab") as file:
        file.write(content)


def test_each_line_once_and_only_when_it_is_complete(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\ntw")
    follower = LineFollower(path)
    assert contents(follower) == [b"one"]
    assert contents(follower) == []
    append(path, b"o\nthree\n")
    found = list(follower.new_lines())
    assert [line.content for line in found] == [b"two", b"three"]
    assert (follower.offset, follower.number) == (14, 3)
    assert [(line.number, line.content, line.end) for line in resumed(path, found[0]).new_lines()] == [
        (3, b"three", 14)
    ]


def test_a_file_that_was_cut_short_is_read_anew(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo\n")
    follower = LineFollower(path)
    last = list(follower.new_lines())[-1]
    with path.open("r+b") as file:
        file.truncate(0)
    assert contents(follower) == []
    append(path, b"new\n")
    assert contents(follower) == [b"new"]
    assert len(follower.notices) == 1
    assert "truncated" in follower.notices[0]
    later = resumed(path, last)
    assert contents(later) == [b"new"]
    assert "truncated" in later.notices[0]


def test_a_file_written_anew_is_noticed_although_it_is_longer(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo\n")
    follower = LineFollower(path)
    last = list(follower.new_lines())[-1]
    with path.open("r+b") as file:  # the same file in the file system
        file.write(b"other\nlines\nand more\n")
    for late in (follower, resumed(path, last)):
        assert contents(late) == [b"other", b"lines", b"and more"]
        assert len(late.notices) == 1


def test_a_renamed_file_is_read_to_its_end_before_the_new_one(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    follower = LineFollower(path)
    first = list(follower.new_lines())[-1]
    with path.open("ab") as writer:
        path.rename(tmp_path / "log.1")
        writer.write(b"two\n")
        writer.flush()
        assert contents(follower) == [b"two"], "no file has that name, but the old one is still read"
        path.write_bytes(b"")
        writer.write(b"three\n")
        writer.flush()
        assert contents(follower) == [b"three"], "the new one is still empty"
        writer.write(b"four\n")
    append(path, b"five\n")
    found = list(follower.new_lines())
    assert [(line.number, line.content) for line in found] == [(4, b"four"), (1, b"five")]
    assert "replaced" in follower.notices[0]
    assert found[0].mark != found[1].mark
    assert contents(resumed(path, first)) == [b"two", b"three", b"four", b"five"], (
        "the file was renamed between two reads"
    )
    assert contents(resumed(path, found[0])) == [b"five"]
    assert contents(resumed(path, found[1])) == []
    os.remove(tmp_path / "log.1")
    lost = resumed(path, first)
    assert contents(lost) == [b"five"]
    assert "replaced" in lost.notices[0]


def test_another_file_that_got_the_number_of_the_old_one_is_not_taken_for_it(tmp_path):
    """File systems reuse the inode numbers of removed files."""
    path, stranger = tmp_path / "log", tmp_path / "notes"
    path.write_bytes(b"one\ntwo\n")
    first = next(LineFollower(path).new_lines())
    stranger.write_bytes(b"nothing to do with it\n")
    path.unlink()
    path.write_bytes(b"three\n")
    mark = FileMark(stranger.stat().st_ino, *first.mark[1:])
    follower = LineFollower(path, offset=first.end, number=1, mark=mark)
    assert contents(follower) == [b"three"]
    assert follower.notices == [f"{path} was replaced; reading the new file from its beginning"]


def test_without_a_file_nothing_comes(tmp_path):
    follower = LineFollower(tmp_path / "log")
    assert contents(follower) == []
    append(tmp_path / "log", b"one\n")
    assert contents(follower) == [b"one"]
    follower.close()
    assert contents(follower) == []


def test_a_line_that_is_too_long_is_named_and_not_held(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"a" * 5000 + b"\nshort\n" + b"b" * 5000)
    follower = LineFollower(path, max_bytes=1000)
    assert contents(follower) == [None, b"short"]
    append(path, b"b\nend\n")
    found = list(follower.new_lines())
    assert [(line.number, line.content) for line in found] == [(3, None), (4, b"end")]
    assert found[-1].end == path.stat().st_size


def test_a_last_line_without_an_end_is_handed_over_when_there_is_a_successor(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo")
    follower = LineFollower(path)
    first = list(follower.new_lines())
    path.rename(tmp_path / "log.1")
    path.write_bytes(b"three\n")
    later = resumed(path, first[0])
    for each in (follower, later):
        lines = list(each.new_lines())
        assert [(line.number, line.content, line.end, line.ended) for line in lines] == [
            (2, b"two", 7, False),
            (1, b"three", 6, True),
        ]
    after_two = resumed(path, lines[0])
    assert contents(after_two) == [b"three"], "the line is not returned twice"


def test_a_last_line_without_an_end_is_shown_and_its_end_is_no_other_line(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo")
    follower = LineFollower(path)
    assert contents(follower) == [b"one"]
    last = follower.unended()
    assert (last.number, last.content, last.end, last.ended) == (2, b"two", 7, False)
    later = resumed(path, last)
    assert contents(later) == []
    assert later.unended() is None
    append(path, b" \nthree\n")
    assert [(line.number, line.content) for line in later.new_lines()] == [(3, b"three")]
    other = resumed(path, last._replace(end=6))
    assert [(line.number, line.content) for line in other.new_lines()] == [(3, b"o "), (4, b"three")]


def test_a_line_lost_when_a_file_is_written_anew_is_reported(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo")
    follower = LineFollower(path)
    assert contents(follower) == [b"one"]
    path.write_bytes(b"x\n")
    assert contents(follower) == [b"x"]
    assert "line 2 was incomplete" in follower.notices[1]


def test_a_last_line_that_is_too_long_is_named_too(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"long" * 10)
    follower = LineFollower(path, max_bytes=8)
    assert contents(follower) == []
    assert follower.unended()[:3] == (1, None, 40)


def test_a_pipe_in_place_of_the_file_is_refused_and_not_waited_for(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    follower = LineFollower(path)
    assert contents(follower) == [b"one"]
    path.unlink()
    os.mkfifo(path)
    for each in (follower, LineFollower(path)):
        with pytest.raises(InvalidInput, match="a named pipe"):
            contents(each)
