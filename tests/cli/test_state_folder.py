import os

import pytest

from driftline.cli.state_folder import locked
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
