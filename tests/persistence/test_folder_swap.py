from __future__ import annotations

import errno

import pytest

from driftline.persistence import folder_swap as module
from driftline.persistence.folder_swap import exchange


def two(folder):
    one, other = folder / "one", folder / "other"
    for place in (one, other):
        place.mkdir()
        (place / "name").write_text(place.name)
    return one, other


def test_two_folders_change_places_or_stay(tmp_path):
    one, other = two(tmp_path)
    done = exchange(one, other)
    assert (one / "name").read_text() == ("other" if done else "one")
    assert (other / "name").read_text() == ("one" if done else "other")


def test_what_is_missing_is_an_error_and_not_a_system_that_cannot(tmp_path):
    one, other = two(tmp_path)
    if exchange(one, other):
        with pytest.raises(FileNotFoundError):
            exchange(one, tmp_path / "nowhere")


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EINVAL, errno.ENOTSUP])
def test_a_system_or_file_system_that_cannot_says_so(tmp_path, monkeypatch, number):
    def fails(one, other):
        module.ctypes.set_errno(number)
        return -1

    monkeypatch.setattr(module, "_system_call", lambda: fails)
    assert exchange(*two(tmp_path)) is False
    monkeypatch.setattr(module, "_system_call", lambda: None)
    assert exchange(tmp_path / "one", tmp_path / "other") is False
