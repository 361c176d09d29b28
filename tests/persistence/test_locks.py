from __future__ import annotations

from driftline.persistence.locks import take_lock


def test_one_holder_at_a_time_until_it_closes(tmp_path):
    path = tmp_path / "file"
    with path.open("w") as one, path.open() as other:
        assert take_lock(one.fileno()) is True
        assert take_lock(other.fileno()) is False
        one.close()
        assert take_lock(other.fileno()) is True
