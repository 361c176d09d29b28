import pytest

from driftline.cli.state_folder import locked
from driftline.core.errors import InvalidInput


def test_a_folder_is_taken_by_one_at_a_time(tmp_path):
    with locked(tmp_path, "label"), pytest.raises(InvalidInput, match=r"another `driftline label`.*--state"):
        locked(tmp_path, "label")
    locked(tmp_path, "label").close()
