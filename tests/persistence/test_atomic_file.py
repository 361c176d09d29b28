from __future__ import annotations

import errno
import os
import resource

import pytest

from driftline.core.errors import NotWritten
from driftline.persistence.atomic_file import replaced_file, replaced_text_file, write_text


def test_a_file_is_replaced_when_the_block_ends_and_stays_when_it_fails(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(RuntimeError), replaced_file(path) as file:  # noqa: PT012
        file.write(b"new")
        raise RuntimeError
    assert path.read_text() == "old"
    with replaced_file(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["file"]


def test_permissions_stay_and_links_are_followed(tmp_path):
    (tmp_path / "usual").touch()
    write_text(tmp_path / "file", "old")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    write_text(tmp_path / "link", "n\ud800w\n")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"n?w\n"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_to_directly(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with replaced_text_file(path) as file:
        file.write("ä\n")
    assert os.read(reader, 10) == "ä\n".encode()
    os.close(reader)


def test_leftovers_of_the_dead_are_removed_and_those_of_the_living_stay(tmp_path):
    path = tmp_path / "file"
    (tmp_path / f".file.{'a' * 16}.partial").write_text("half")
    with replaced_file(path) as living:
        living.write(b"one")
        write_text(path, "two")
        assert path.read_text() == "two"
    assert path.read_text() == "one"
    assert os.listdir(tmp_path) == ["file"]


def test_a_limit_on_file_sizes_leaves_the_old_file_and_says_so(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(NotWritten, match="too large") as caught:
            write_text(path, "x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caught.value.errno == errno.EFBIG
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_is_whole_on_disk_before_it_replaces_the_old_one(tmp_path, monkeypatch):
    sizes = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: sizes.append(os.fstat(descriptor).st_size))
    write_text(tmp_path / "file", "four")
    assert sizes[0] == 4
