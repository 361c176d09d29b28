from __future__ import annotations

import errno
import os

import pytest

import driftline.persistence.model_folder as folder_module
from driftline.core.errors import NotWritten
from driftline.persistence.model_folder import replaced_folder


def yes(_):
    """Let anything be replaced."""


def written(target, text):
    with replaced_folder(target, yes) as draft:
        (draft / "file").write_text(text)
    return target


@pytest.fixture
def two_steps(monkeypatch):
    """Make the system one that cannot let two folders change places."""
    monkeypatch.setattr(folder_module, "exchange", lambda one, other: False)


def test_the_folder_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "a" / "b"
    with replaced_folder(target, yes) as folder:
        (folder / "file").write_text("new")
        assert not target.exists()
    assert (target / "file").read_text() == "new"
    assert os.listdir(tmp_path / "a") == ["b"]


def test_the_folder_gets_the_usual_permissions(tmp_path):
    (tmp_path / "usual").mkdir()
    (tmp_path / "file").touch()
    with replaced_folder(tmp_path / "target", yes) as folder:
        (folder / "file").touch(mode=0o600)
    assert (tmp_path / "target").stat().st_mode == (tmp_path / "usual").stat().st_mode
    assert (tmp_path / "target" / "file").stat().st_mode == (tmp_path / "file").stat().st_mode


def test_a_failure_leaves_what_was_there(tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / "file").write_text("old")
    with pytest.raises(RuntimeError), replaced_folder(target, yes) as folder:  # noqa: PT012
        (folder / "file").write_text("new")
        raise RuntimeError
    assert (target / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["target"]


def test_the_old_folder_is_there_until_the_new_one_is(tmp_path, monkeypatch, two_steps):
    """Between the two renames of a system without an exchange, the old folder is found under its other name."""
    target = written(tmp_path / "target", "old")
    rename = type(target).rename
    found = []

    def looks_first(self, to):
        found.append((folder_module.standing_folder(target) / "file").read_text())
        return rename(self, to)

    monkeypatch.setattr(type(target), "rename", looks_first)
    written(target, "new")
    assert found == ["old", "old"]
    assert (target / "file").read_text() == "new"
    assert os.listdir(tmp_path) == ["target"]


def test_a_failed_rename_puts_the_old_folder_back(tmp_path, monkeypatch, two_steps):
    target = written(tmp_path / "target", "old")
    rename = type(target).rename

    def fails_once(self, to):
        if self.suffix == ".partial":
            raise OSError(errno.EIO, "no")
        return rename(self, to)

    monkeypatch.setattr(type(target), "rename", fails_once)
    with pytest.raises(NotWritten, match="no"):
        written(target, "new")
    assert (target / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["target"]


@pytest.mark.parametrize("then", ["read", "write"])
def test_a_folder_that_a_killed_process_moved_away_is_found_again(tmp_path, two_steps, then):
    target = tmp_path / "target"
    moved = tmp_path / f".target.{'0' * 16}.old"
    moved.mkdir()
    (moved / "file").write_text("old")
    (tmp_path / f".target.{'0' * 16}.partial").mkdir()
    if then == "read":
        assert folder_module.standing_folder(target) == target
        assert (target / "file").read_text() == "old"
        assert not moved.exists()
    else:
        asked = []
        with replaced_folder(target, asked.append) as draft:
            (draft / "file").write_text("new")
        assert set(asked) == {target}, "it got its name back, so whether it may be replaced is asked"
        assert (target / "file").read_text() == "new"
        assert os.listdir(tmp_path) == ["target"]


def test_a_folder_moved_away_by_a_living_process_is_only_looked_at(tmp_path):
    target = tmp_path / "target"
    with replaced_folder(target, yes) as draft:
        old = draft.with_suffix(".old")
        old.mkdir()
        assert folder_module.standing_folder(target) == old
        assert old.exists()
        old.rmdir()


def test_a_folder_that_vanishes_while_one_looks_is_not_an_error(tmp_path, monkeypatch):
    """The process that moved it away removes it, once the new one has its name."""
    gone = tmp_path / f".target.{'0' * 16}.old"
    monkeypatch.setattr(folder_module, "named_like_drafts", lambda target, kind: [gone])
    assert folder_module.standing_folder(tmp_path / "target") in (tmp_path / "target", gone)


def test_leftovers_of_the_dead_are_removed_and_those_of_the_living_stay(tmp_path):
    target = tmp_path / "target"
    dead = tmp_path / f".target.{'a' * 16}.partial"
    dead.mkdir()
    (dead / "file").write_text("half")
    old = tmp_path / f".target.{'b' * 16}.old"
    other = tmp_path / f".other.{'a' * 16}.partial"
    other.mkdir()
    with replaced_folder(target, yes) as living:
        old.mkdir()
        written(target, "first")
        written(target, "second")
        assert living.exists()
    assert sorted(os.listdir(tmp_path)) == [other.name, "target"]


def test_two_writers_do_not_disturb_each_other(tmp_path):
    target = tmp_path / "target"
    with replaced_folder(target, yes) as one, replaced_folder(target, yes) as other:
        (one / "file").write_text("one")
        (other / "file").write_text("other")
    assert (target / "file").read_text() == "one", "the last to finish"
    assert os.listdir(tmp_path) == ["target"]


def test_what_appears_meanwhile_is_asked_about_too(tmp_path):
    def no(target):
        raise ValueError(f"{target.name} stays")

    with pytest.raises(ValueError, match="stays"), replaced_folder(tmp_path / "new", no) as draft:  # noqa: PT012
        (draft / "file").write_text("new")
        (tmp_path / "new").write_text("mine")
    assert (tmp_path / "new").read_text() == "mine"


def test_what_must_stay_is_asked_about_first(tmp_path):
    def no(target):
        raise ValueError(f"{target.name} stays")

    with replaced_folder(tmp_path / "new", no):
        pass
    with pytest.raises(ValueError, match="new stays"), replaced_folder(tmp_path / "new", no):
        raise AssertionError("the block must not run")
