"""A folder with pipes, sockets, devices and odd names is read to its end; a pipe that is named itself is read once."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import driftline
from driftline.core.errors import InvalidInput
from driftline.readers.regular_files import NotRegular, is_pipe, open_regular

LINE = b'{"time": "2003-03-20", "text": "war begins"}\n'
pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """Return a folder in which every second entry is not a regular file."""
    folder = tmp_path / "odd"
    folder.mkdir()
    os.mkfifo(folder / "pipe-2003-01-01.txt")
    os.symlink("pipe-2003-01-01.txt", folder / "link-2003-01-02.txt")
    os.symlink("loop-2003.txt", folder / "loop-2003.txt")
    os.symlink("/dev/zero", folder / "zero-2003.txt")
    monkeypatch.chdir(folder)  # the name of a socket must be short
    server = socket.socket(socket.AF_UNIX)
    server.bind("socket-2003.txt")
    (folder / "plain-2003-03-20.txt").write_text("war begins")
    yield folder
    server.close()


def reasons(stream) -> dict[str, int]:
    list(stream)
    return dict(stream.rejections.reasons)


def test_text_files(odd):
    stream = driftline.read(odd)
    assert [document.text for document in stream] == ["war begins"]
    found = reasons(stream)
    assert found.pop("not a regular file") == 3
    assert sum(found.values()) == 2, "a link out of the folder, and one that leads to itself"


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv", "parquet", "mbox"])
def test_other_formats(tmp_path, suffix):
    os.mkfifo(tmp_path / f"a.{suffix}")
    (tmp_path / f"b.{suffix}").write_bytes(b"")
    found = reasons(driftline.read(tmp_path))
    assert found.pop("not a regular file") == 1
    with pytest.raises(NotRegular, match="named pipe"):
        open_regular(tmp_path / f"a.{suffix}")


def test_a_maildir(tmp_path):
    for part in ("cur", "new", "tmp"):
        (tmp_path / part).mkdir()
    os.mkfifo(tmp_path / "cur" / "1")
    (tmp_path / "new" / "2").write_bytes(b"Date: 20 Mar 2003 03:34 +0000\n\nwar\n")
    stream = driftline.read(tmp_path)
    assert [document.text for document in stream] == ["war"]
    assert reasons(stream) == {"not a regular file": 1}


def test_one_of_several_names_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_bytes(LINE)
    assert reasons(driftline.read([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])) == {"not a regular file": 1}


def test_a_pipe_that_is_the_source_is_read_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(2 * LINE,))
    writer.start()
    stream = driftline.read(path)
    assert [document.text for document in stream] == ["war begins"] * 2
    writer.join()
    with pytest.raises(InvalidInput, match="once"):
        list(stream)


def test_process_substitution_and_dev_stdin_work(tmp_path):
    program = [sys.executable, "-c", "from driftline.cli.main import main; main()", "read", "/dev/stdin", "--json"]
    piped = subprocess.run(program, input=3 * LINE, capture_output=True, check=True, cwd=tmp_path)
    assert b'"documents": 3' in piped.stdout


def test_what_a_pipe_is():
    assert is_pipe(os.devnull)
    assert not is_pipe("/dev/zero")
    assert not is_pipe("/nothing/there")
    with pytest.raises(InvalidInput, match="device"):
        list(driftline.read("/dev/zero", format="jsonl"))
    assert list(driftline.read(os.devnull)) == []


def test_names_that_are_not_utf_8(tmp_path):
    for name in (b"caf\xe9-2003-03-20.txt", b"\xff\xfe-2003-03-21.txt"):
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(b"war begins")
    documents = list(driftline.read(tmp_path, text="name"))
    assert [document.text for document in documents] == ["caf\\xe9-2003-03-20.txt", "\\xff\\xfe-2003-03-21.txt"]
    assert [document.id for document in documents] == [document.text for document in documents]
    with open(os.path.join(os.fsencode(tmp_path), b"\xe9.jsonl"), "wb") as file:
        file.write(LINE + b"{}\n")
    stream = driftline.read(tmp_path, format="jsonl")
    assert len(list(stream)) == 1
    str(stream.rejections.summary()).encode()


@pytest.mark.parametrize("when", [-62_135_596_801.0, -(2.0**40), 253_402_300_800.0, 1e300])
def test_times_of_change_beyond_the_calendar(tmp_path, monkeypatch, when):
    path = tmp_path / "old.txt"
    path.write_text("war begins")
    true = os.stat(path)

    class Changed:
        st_mtime = when

        def __getattr__(self, name):
            return getattr(true, name)

    monkeypatch.setattr(Path, "stat", lambda self, **_: Changed())
    stream = driftline.read(path, file_time="mtime")
    assert list(stream) == []
    assert dict(stream.rejections.reasons) == {"unreadable time": 1}


def test_a_folder_that_cannot_be_listed_is_reported(tmp_path, monkeypatch):
    (tmp_path / "open-2003.txt").write_text("war")
    (tmp_path / "shut").mkdir()
    listed = os.scandir

    def scandir(path):
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    stream = driftline.read(tmp_path)
    assert len(list(stream)) == 1
    assert stream.rejections.count == 1
