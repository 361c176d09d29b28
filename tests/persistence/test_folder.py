from __future__ import annotations

import os

import pytest

from driftline.persistence.folder import written_whole


def yes(_):
    """Let anything be replaced."""


def test_the_folder_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "a" / "b"
    with written_whole(target, yes) as folder:
        (folder / "file").write_text("new")
        assert not target.exists()
    assert (target / "file").read_text() == "new"
    assert os.listdir(tmp_path / "a") == ["b"]


def test_the_folder_gets_the_usual_permissions(tmp_path):
    (tmp_path / "usual").mkdir()
    (tmp_path / "file").touch()
    with written_whole(tmp_path / "target", yes) as folder:
        (folder / "file").touch(mode=0o600)
    assert (tmp_path / "target").stat().st_mode == (tmp_path / "usual").stat().st_mode
    assert (tmp_path / "target" / "file").stat().st_mode == (tmp_path / "file").stat().st_mode


def test_a_failure_leaves_what_was_there(tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / "file").write_text("old")
    with pytest.raises(RuntimeError), written_whole(target, yes) as folder:  # noqa: PT012
        (folder / "file").write_text("new")
        raise RuntimeError
    assert (target / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["target"]


def test_a_failed_rename_puts_the_old_folder_back(tmp_path, monkeypatch):
    target = tmp_path / "target"
    target.mkdir()
    (target / "file").write_text("old")
    rename = type(target).rename

    def fails_once(self, to):
        if self.suffix == ".partial":
            raise OSError("no")
        return rename(self, to)

    monkeypatch.setattr(type(target), "rename", fails_once)
    with pytest.raises(OSError, match="no"), written_whole(target, yes) as folder:
        (folder / "file").write_text("new")
    assert (target / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["target"]


def test_what_must_stay_is_asked_about_first(tmp_path):
    def no(target):
        raise ValueError(f"{target.name} stays")

    with written_whole(tmp_path / "new", no):
        pass
    with pytest.raises(ValueError, match="new stays"), written_whole(tmp_path / "new", no):
        raise AssertionError("the block must not run")
