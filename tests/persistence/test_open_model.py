from __future__ import annotations

import os
from pathlib import Path

import pytest

from driftline.core.errors import ModelFileError
from driftline.persistence import open_model
from driftline.persistence.model_folder import replaced_folder
from driftline.persistence.open_model import opened_folder


def always(_):
    return True


def written(target, text):
    with replaced_folder(target, always) as draft:
        for name in "abc":
            (draft / name).write_text(text)
    return target


def test_files_stay_readable_when_the_folder_is_replaced(tmp_path):
    target = written(tmp_path / "model", "old")
    with opened_folder(target, lambda name: name != "c") as folder:
        written(target, "newer")
        assert "c" not in folder
        assert folder.size("a") == 3
        assert [folder.file(name).read() for name in "aba"] == [b"old"] * 3
        assert Path(folder.path_of("b")).read_text() == "old"


@pytest.mark.parametrize("moment", [0, 1, 2, 3])
def test_a_folder_replaced_while_it_is_being_opened_is_opened_again(tmp_path, monkeypatch, moment):
    target = written(tmp_path / "model", "old")
    really, left = os.open, [moment]

    def replaces_first(name, *arguments, **more):
        if name in ("a", "b", "c", target):
            left[0] -= 1
            if left[0] == -1:
                written(target, "new")
        return really(name, *arguments, **more)

    monkeypatch.setattr(open_model.os, "open", replaces_first)
    with opened_folder(target, always) as folder:
        assert [folder.file(name).read() for name in "abc"] == [b"new"] * 3


def test_missing_files_and_other_things_than_files_are_reported(tmp_path):
    with pytest.raises(ModelFileError, match="no model"), opened_folder(tmp_path / "nowhere", always):
        pass
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="not a regular file"), opened_folder(tmp_path, always):
        pass
