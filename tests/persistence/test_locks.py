from __future__ import annotations

import importlib.util
import sys
import types

import pytest

from driftline.persistence import locks
from driftline.persistence.locks import take_lock


def test_one_holder_at_a_time_until_it_closes(tmp_path):
    path = tmp_path / "file"
    with path.open("w") as one, path.open() as other:
        assert take_lock(one.fileno()) is True
        assert take_lock(other.fileno()) is False
        one.close()
        assert take_lock(other.fileno()) is True


@pytest.mark.parametrize(
    ("answer", "expected"), [(None, True), (PermissionError("held"), False), (OSError("no locks here"), None)]
)
def test_on_windows_the_first_byte_is_locked(answer, expected, monkeypatch):
    """The branch for Windows, with a stand-in for the module that only Windows has."""
    asked = []

    def locking(descriptor, mode, n_bytes):
        asked.append((descriptor, mode, n_bytes))
        if answer is not None:
            raise answer

    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(locking=locking, LK_NBLCK=2))
    monkeypatch.setattr(sys, "platform", "win32")
    spec = importlib.util.spec_from_file_location("locks_on_windows", locks.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.take_lock(7) is expected
    assert asked == [(7, 2, 1)]
