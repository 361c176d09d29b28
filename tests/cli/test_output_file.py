from __future__ import annotations

import os

import pytest

from driftline.cli.output_file import ENDS, OutputFile
from driftline.core.errors import InvalidInput, NotWritten


def new(path):
    return OutputFile(path, written=0, fingerprint="", closed=True)


def test_both_ends_of_what_was_written_are_known_again(tmp_path):
    path = tmp_path / "out"
    file = new(path)
    file.write("a" * ENDS + "\ud800é" + "b" * ENDS)
    written, fingerprint = file.flush()
    file.close()
    assert written == path.stat().st_size == 2 * ENDS + 3
    again = OutputFile(path, written=written, fingerprint=fingerprint, closed=True)
    again.write("more")
    assert again.flush()[0] == written + 4
    again.close()
    OutputFile(path, written=written, fingerprint=fingerprint, closed=False).close()
    assert path.stat().st_size == written, "what is behind was written by a process that was killed"
    for place in (0, written - 1):
        content = bytearray(path.read_bytes())
        content[place] ^= 1
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match="changed"):
            OutputFile(path, written=written, fingerprint=fingerprint, closed=False)
        content[place] ^= 1
        path.write_bytes(content)
    os.truncate(path, written - 1)
    with pytest.raises(InvalidInput, match="changed"):
        OutputFile(path, written=written, fingerprint=fingerprint, closed=False)


def test_what_was_there_is_refused_and_nothing_is_new(tmp_path):
    path = tmp_path / "out"
    new(path).close()
    path.write_text("mine")
    with pytest.raises(InvalidInput, match="move it away"):
        new(path)
    assert path.read_text() == "mine"


def test_a_pipe_is_not_an_output(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises((InvalidInput, NotWritten), match="pipe"):
        new(tmp_path / "pipe")
