from __future__ import annotations

import errno
import os

import pytest

from driftline.core.errors import DriftlineError, InvalidInput, NotWritten
from driftline.persistence.flushing import explained, flush_file, flush_folder


def test_files_and_folders_are_flushed(tmp_path, monkeypatch):
    flushed = []
    monkeypatch.setattr(os, "fsync", lambda number: flushed.append(os.fstat(number).st_ino))
    (tmp_path / "file").write_text("x")
    flush_file(tmp_path / "file")
    flush_folder(tmp_path)
    assert flushed == [(tmp_path / "file").stat().st_ino, tmp_path.stat().st_ino]


def test_a_file_system_without_flushing_of_folders_is_accepted_but_a_full_one_is_an_error(tmp_path, monkeypatch):
    def fails(number):
        raise OSError(wanted, "no")

    monkeypatch.setattr(os, "fsync", fails)
    wanted = errno.EINVAL
    flush_folder(tmp_path)
    wanted = errno.ENOSPC
    with pytest.raises(OSError, match="no"):
        flush_folder(tmp_path)


def test_what_the_system_says_is_explained(tmp_path):
    with (
        pytest.raises(NotWritten, match=r"cannot write .*model \(No space left.*unchanged") as caught,
        explained("model"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert isinstance(caught.value, DriftlineError)
    assert caught.value.errno == errno.ENOSPC
    with pytest.raises(BrokenPipeError), explained("model"):
        raise BrokenPipeError
    with pytest.raises(InvalidInput), explained("model"):
        raise InvalidInput("no")
