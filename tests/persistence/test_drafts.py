from __future__ import annotations

import os

import pytest

from driftline.persistence import drafts
from driftline.persistence.drafts import PARTIAL, draft_file, draft_folder, is_being_written, named_like_drafts, sweep


def test_drafts_are_distinguished_from_what_is_only_called_alike(tmp_path):
    target = tmp_path / "mo.del"
    named = tmp_path / f".mo.del.{'0' * 16}.partial"
    named.touch()
    (tmp_path / f".mo-del.{'0' * 16}.partial").touch()
    (tmp_path / ".mo.del.0000.partial").touch()
    (tmp_path / f".mo.del.{'1' * 16}.partial").symlink_to(named)
    assert named_like_drafts(target, PARTIAL) == [named]
    assert named_like_drafts(tmp_path / "nowhere" / "model", PARTIAL) == []


def test_the_living_are_known(tmp_path):
    target = tmp_path / "model"
    with draft_folder(target) as folder, draft_file(target) as (file, _):
        assert is_being_written(folder)
        assert is_being_written(file)
        sweep(target)
        assert sorted(named_like_drafts(target, PARTIAL)) == sorted([folder, file])
    assert not is_being_written(folder)
    assert os.listdir(tmp_path) == []


def test_a_draft_that_is_swept_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    """Between its making and its locking a draft looks abandoned."""
    target = tmp_path / "model"
    lock, swept = drafts.take_lock, []

    def sweeps_first(descriptor):
        if not swept:
            swept.append(descriptor)
            sweep(target)
        return lock(descriptor)

    for make in (draft_folder, draft_file):
        swept.clear()
        monkeypatch.setattr(drafts, "take_lock", sweeps_first)
        with make(target) as made:
            assert os.path.exists(made if make is draft_folder else made[0])
        monkeypatch.setattr(drafts, "take_lock", lock)
        assert os.listdir(tmp_path) == []


def test_nothing_is_swept_where_there_are_no_locks(tmp_path, monkeypatch):
    left = tmp_path / f".model.{'0' * 16}.partial"
    left.touch()
    monkeypatch.setattr(drafts, "take_lock", lambda descriptor: None)
    sweep(tmp_path / "model")
    assert left.exists()
    with draft_folder(tmp_path / "model") as folder:
        assert folder.exists()


def test_a_draft_makes_the_folders_that_are_missing(tmp_path):
    with draft_folder(tmp_path / "models" / "of today" / "model") as draft:
        assert draft.parent == tmp_path / "models" / "of today"
        assert draft.is_dir()
    with draft_folder(tmp_path / "models" / "of today" / "model") as draft:  # now nothing is missing
        assert draft.is_dir()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs a list of open files")
def test_no_descriptor_stays_open(tmp_path):
    target, before = tmp_path / "model", len(os.listdir("/proc/self/fd"))
    for make in (draft_folder, draft_file):
        with make(target):
            pass
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners")
def test_only_drafts_of_the_same_user_are_swept(tmp_path, monkeypatch):
    target, draft = tmp_path / "model", tmp_path / f".model.{'0' * 16}.partial"
    draft.mkdir()
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    sweep(target)
    assert draft.exists()
    monkeypatch.undo()
    sweep(target)
    assert not draft.exists()
