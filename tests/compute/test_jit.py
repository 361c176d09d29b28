from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import numba
import pytest

import driftline
from driftline.compute import code_files, jit

SOURCE = """
from driftline.compute.jit import njit

@njit(cache=True, nogil=True)
def add(a, b):
    return a + b
"""


def load(path: Path, name: str):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def kept(folder: Path) -> list[str]:
    return sorted(path.suffix for path in (folder / "__pycache__").glob("*.nb?"))


@pytest.fixture(autouse=True)
def beside_the_source(monkeypatch):
    """Compiled code is kept beside the source, whatever folder the environment names."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")


def test_what_was_compiled_is_kept_and_read_back(tmp_path):
    tmp_path.chmod(0o700)
    path = tmp_path / "loops.py"
    path.write_text(SOURCE)
    assert load(path, "loops_once").add(1, 2) == 3
    assert kept(tmp_path) == [".nbc"]
    again = load(path, "loops_again").add
    assert again(1, 2) == 3
    assert sum(again.stats.cache_hits.values()) == 1


def test_processes_that_compile_different_signatures_at_once_keep_both(tmp_path, monkeypatch):
    """Each process looks at the folder before the other has written, and the first to begin is the last to write."""
    tmp_path.chmod(0o700)
    path = tmp_path / "loops.py"
    path.write_text(SOURCE)
    first, second = load(path, "loops_first").add, load(path, "loops_second").add
    dump = code_files.dumps

    def interrupted(content):
        monkeypatch.setattr(code_files, "dumps", dump)
        second(1.0, 2.0)
        return dump(content)

    monkeypatch.setattr(code_files, "dumps", interrupted)
    first(1, 2)
    again = load(path, "loops_again").add
    assert (again(1, 2), again(1.0, 2.0)) == (3, 3.0)
    assert sum(again.stats.cache_hits.values()) == 2


def test_damaged_entries_cost_a_compilation_and_nothing_else(tmp_path):
    tmp_path.chmod(0o700)
    path = tmp_path / "loops.py"
    path.write_text(SOURCE)
    load(path, "loops_whole").add(1, 2)
    for entry in (tmp_path / "__pycache__").glob("*.nb?"):
        entry.write_bytes(entry.read_bytes()[:20])
    assert load(path, "loops_damaged").add(1, 2) == 3


def test_a_full_disk_is_not_an_error(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    path = tmp_path / "loops.py"
    path.write_text(SOURCE)
    module = load(path, "loops_full")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jit.FunctionCache, "save_overload", full)
    assert module.add(1.0, 2.0) == 3.0


def test_nothing_is_kept_where_no_folder_will_do(tmp_path, monkeypatch):
    path = tmp_path / "loops.py"
    path.write_text(SOURCE)
    monkeypatch.setattr(jit, "cache_folder", lambda folder: None)
    assert load(path, "loops_homeless").add(1, 2) == 3
    assert kept(tmp_path) == []


def test_every_loop_is_compiled_this_way():
    package = Path(driftline.__file__).parent
    direct = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"^(from numba import .*\bn?jit\b|import numba\b)", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert direct == ["compute/jit.py"]


def test_a_call_with_a_literal_is_not_compiled_again():
    @jit.njit()
    def moved(x, at, back):
        return x - at if back else x + at

    @jit.njit()
    def moved_along(values):
        at, total = 0, 0.0
        for x in values:
            total = moved(total + x, at, False)
            at += 1
        return moved(total, 2, back=at > 1)

    assert moved_along((1.0, 2.0, 3.0)) == 6.0 + 0 + 1 + 2 - 2
    assert len(moved.signatures) == 1
