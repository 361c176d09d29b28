import gzip
import zipfile

import pytest

from driftline.readers import compression
from driftline.readers.archive import open_archive
from driftline.readers.entries import entry_name, is_elsewhere, last_change, local_file, open_entry
from driftline.readers.records import UnreadableFile


@pytest.fixture
def member(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("folder/b.txt", (2003, 3, 20, 3, 34, 0)), "war " * 1000)
    (found,) = open_archive(tmp_path / "a.zip").members
    return found


def test_members_and_files_are_named_alike(member, tmp_path):
    (tmp_path / "c.txt").write_text("x")
    assert entry_name(member) == "b.txt"
    assert entry_name(member, tmp_path / "a.zip") == "folder/b.txt"
    assert entry_name(member, tmp_path) == "a.zip/folder/b.txt"
    assert entry_name(tmp_path / "c.txt", tmp_path) == entry_name(tmp_path / "c.txt") == "c.txt"
    assert not is_elsewhere(member, tmp_path)
    assert last_change(member) == 1048131240


def test_members_and_files_are_opened_alike(member, tmp_path):
    (tmp_path / "c.txt").write_text("x")
    for entry, content in ((member, b"war " * 1000), (tmp_path / "c.txt", b"x")):
        with open_entry(entry) as file:
            assert file.read() == content


def test_what_is_packed_is_put_into_a_file_that_goes_away(member, tmp_path):
    (tmp_path / "plain").write_bytes(b"plain")
    with local_file(tmp_path / "plain") as path:
        assert path == tmp_path / "plain"
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b"packed"))
    for entry, content in ((tmp_path / "packed.gz", b"packed"), (member, b"war " * 1000)):
        with local_file(entry) as path:
            assert path.read_bytes() == content
            assert "b.txt" not in path.name
        assert not path.exists()


def test_what_cannot_be_unpacked_is_unreadable(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "EXPANSION_FLOOR", 2**16)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"\0" * 2**24))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"packed" * 100)[:-9])
    for name, reason in (("bomb.gz", "decompression bomb"), ("cut.gz", "truncated")):
        with pytest.raises(UnreadableFile, match=f"{name} cannot be unpacked: {reason}"), local_file(tmp_path / name):
            pass
