import os

import pytest

from driftline.cli.state_folder import locked, read_state_file, write_state_file
from driftline.core.errors import InvalidInput


def test_a_folder_is_taken_by_one_at_a_time(tmp_path):
    with locked(tmp_path, "label"), pytest.raises(InvalidInput, match=r"another `driftline label`.*--state"):
        locked(tmp_path, "label")
    locked(tmp_path, "label").close()


def test_a_link_in_place_of_the_lock_is_refused_and_its_target_stays(tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "lock").symlink_to("mine")
    with pytest.raises(InvalidInput, match="not a regular file"):
        locked(tmp_path, "watch")
    assert (tmp_path / "mine").read_text() == "mine"
    (tmp_path / "lock").unlink()
    os.mkfifo(tmp_path / "lock")
    with pytest.raises(InvalidInput, match="not a regular file"):
        locked(tmp_path, "watch")


def test_a_file_of_the_state_is_read_and_replaced(tmp_path):
    path = tmp_path / "place.json"
    assert read_state_file(path) is None
    write_state_file(path, b"one")
    write_state_file(path, b"two")
    assert (read_state_file(path), read_state_file(path, 2)) == (b"two", b"tw")


@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "folder"])
def test_what_others_put_in_place_of_a_file_of_the_state_is_neither_waited_for_nor_followed(tmp_path, kind):
    path, mine = tmp_path / "place.json", tmp_path / "mine"
    mine.write_text("mine")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("mine" if kind == "link" else "absent")
    with pytest.raises(InvalidInput, match=r"not a regular file.*--state"):
        read_state_file(path)
    if kind != "folder":
        write_state_file(path, b"new")
        assert read_state_file(path) == b"new"
    assert mine.read_text() == "mine"
    assert not (tmp_path / "absent").exists()
