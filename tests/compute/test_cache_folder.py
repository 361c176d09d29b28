"""Compiled code is kept where this user alone can write, wherever the package lies and whatever home there is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import driftline
from driftline.compute import cache_folder as module
from driftline.compute.cache_folder import cache_folder, safe
from driftline.core.progress import SilentReporter, reporting

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no such owners here")


class Listening(SilentReporter):
    def __init__(self):
        self.heard = []

    def announce(self, message):
        self.heard.append(message)


@pytest.fixture
def surroundings(tmp_path, monkeypatch):
    """A package, a home and a folder of temporary files of their own; `blocked` makes what can never be a folder."""
    for name in ("package", "home", "temporary"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path / "temporary"))
    cache_folder.cache_clear()
    yield tmp_path
    cache_folder.cache_clear()


def chosen(surroundings: Path) -> tuple[Path | None, list[str]]:
    listening = Listening()
    cache_folder.cache_clear()
    with reporting(listening):
        found = cache_folder(str(surroundings / "package"))
        assert cache_folder(str(surroundings / "package")) == found
    return None if found is None else Path(found).relative_to(surroundings), listening.heard


def block(path: Path) -> None:
    """Put a file where a folder would have to be made, which stops even root."""
    path.write_text("")


def test_folders_are_tried_in_order(surroundings, monkeypatch):
    named = surroundings / "named"
    named.mkdir(mode=0o700)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(named))
    assert chosen(surroundings)[0].parts[0] == "named"
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    assert chosen(surroundings) == (Path("package/__pycache__"), [])
    shutil.rmtree(surroundings / "package" / "__pycache__")
    block(surroundings / "package" / "__pycache__")
    found, heard = chosen(surroundings)
    assert (found.parts[0], heard) == ("home", [])
    shutil.rmtree(surroundings / "home" / ".cache")
    block(surroundings / "home" / ".cache")
    found, heard = chosen(surroundings)
    assert found.parts[0] == "temporary"
    assert len(heard) == 1
    assert (surroundings / "temporary" / found.parts[1]).stat().st_mode & 0o777 == 0o700
    assert chosen(surroundings)[0] == found, "the next process finds what this one kept"


def test_with_no_folder_nothing_is_kept_and_one_notice_says_so(surroundings):
    block(surroundings / "package" / "__pycache__")
    block(surroundings / "home" / ".cache")
    block(surroundings / "temporary" / f"driftline-compiled-{os.geteuid()}")
    found, heard = chosen(surroundings)
    assert found is None
    assert len(heard) == 1
    assert "NUMBA_CACHE_DIR" in heard[0]


def test_a_user_without_a_home(surroundings, monkeypatch):
    block(surroundings / "package" / "__pycache__")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(module.Path, "home", classmethod(lambda cls: (_ for _ in ()).throw(RuntimeError("no home"))))
    assert chosen(surroundings)[0].parts[0] == "temporary"


@pytest.mark.parametrize("mode", [0o777, 0o722, 0o770])
def test_folders_that_others_can_write_are_not_used(surroundings, mode):
    (surroundings / "package" / "__pycache__").mkdir()
    (surroundings / "package" / "__pycache__").chmod(mode)
    if os.geteuid() == 0 and mode == 0o770:
        os.chown(surroundings / "package" / "__pycache__", 0, 12345)
    elif mode == 0o770:
        pytest.skip("only root can give a folder to another group")
    assert chosen(surroundings)[0].parts[0] == "home"


def test_a_folder_that_can_be_exchanged_is_not_used(surroundings):
    (surroundings / "package").chmod(0o777)
    assert chosen(surroundings)[0].parts[0] == "home"
    (surroundings / "package").chmod(0o1777)
    assert chosen(surroundings)[0].parts[0] == "package"


@pytest.mark.parametrize("trap", ["open", "foreign", "link"])
def test_a_temporary_folder_that_was_laid_out_as_a_trap_is_not_used(surroundings, trap):
    block(surroundings / "package" / "__pycache__")
    block(surroundings / "home" / ".cache")
    folder = surroundings / "temporary" / f"driftline-compiled-{os.geteuid()}"
    if trap == "link":
        (surroundings / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(surroundings / "elsewhere")
    else:
        folder.mkdir(mode=0o700)
        folder.chmod(0o777 if trap == "open" else 0o700)
    if trap == "foreign":
        if os.geteuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(folder, 12345, 12345)
    assert chosen(surroundings)[0] is None


def test_what_is_safe(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o700)
    assert safe(str(mine))
    if os.geteuid() == 0:
        os.chown(mine, 12345, 12345)
        assert not safe(str(mine))
    (tmp_path / "file").write_text("")
    assert not safe(str(tmp_path / "file"))


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root and setpriv")
def test_a_read_only_package_and_no_home_as_a_user_without_a_name(tmp_path):
    """As in a container with an arbitrary user: nothing but the temporary files can be written."""
    package = tmp_path / "site" / "driftline"
    shutil.copytree(Path(driftline.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == os.geteuid() and path.is_relative_to(tmp_path.parents[1]):
            path.chmod(path.stat().st_mode | 0o005)
    temporary.chmod(0o1777)
    program = (
        "import os, numpy as np\n"
        "from driftline.core.progress import reporting, TerminalReporter\n"
        "with reporting(TerminalReporter()):\n"
        "    from driftline.compute.cpu.counting import keep_known\n"
        "print(keep_known(np.array([0, 1], np.int32), np.array([0, 2]), np.array([0, -1], np.int32)))\n"
        "print(keep_known._cache.cache_path if hasattr(keep_known._cache, 'cache_path') else None)\n"
    )
    capabilities = ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]
    command = ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups", *capabilities, sys.executable]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path / "site"), "TMPDIR": str(temporary)}
    ran = subprocess.run([*command, "-c", program], capture_output=True, text=True, env=environment, cwd="/")
    assert ran.returncode == 0, ran.stderr
    assert f"{temporary}/driftline-compiled-54321" in ran.stdout
    assert ran.stderr.count("compiled code is kept") == 1
    trap = temporary / "driftline-compiled-54321"
    shutil.rmtree(trap)
    trap.mkdir()
    trap.chmod(0o777)
    ran = subprocess.run([*command, "-c", program], capture_output=True, text=True, env=environment, cwd="/")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.rstrip().endswith("None")
    assert ran.stderr.count("compiled code cannot be cached") == 1
