from __future__ import annotations

import os

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
