"""A few of the kills of `make kill-tests`."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not shutil.which("cc"), reason="kill tests need Linux and a C compiler"
)


def kill(*arguments):
    command = [sys.executable, "-m", "tests.kill", "--quick", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_a_model_survives_kills_while_it_is_saved():
    done = kill("--only", "save", "--kills", 10)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 kills" in done.stdout
    assert "0 faults" in done.stdout


def test_a_run_in_parts_does_not_begin_again(tmp_path):
    parts = ("--only", "save", "--kills", 6, "--progress", tmp_path / "progress.json")
    first, again = kill(*parts), kill(*parts)
    assert first.returncode == again.returncode == 0, first.stderr + again.stderr
    assert "6 kills (save 6)" in first.stdout
    assert again.stdout == first.stdout, "even the seconds are those of the first run"
    other = kill(*parts, "--seed", 1)
    assert other.returncode == 1
    assert "progress of another run" in other.stderr


def test_a_save_in_two_renames_would_be_caught():
    """Moving the old folder away before the new one has its name loses the model when it is killed in between."""
    done = kill("--only", "save", "--kills", 48, "--break", "swap")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "there is no model" in done.stdout


def test_an_index_survives_kills_while_documents_are_added():
    done = kill("--only", "index", "--kills", 12)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 kills" in done.stdout
    assert "0 faults" in done.stdout


def test_a_list_that_names_a_segment_too_early_would_be_caught():
    done = kill("--only", "index", "--kills", 24, "--break", "list")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "missing" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("what", ["watch", "label", "stories"])
def test_state_survives_kills(what):
    done = kill("--only", what, "--kills", 20)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 faults" in done.stdout
