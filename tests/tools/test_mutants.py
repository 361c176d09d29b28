from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.mutant_trials import CAUGHT, ENDLESS, SURVIVED, UNTRIED, Trial, mirror
from tools.mutants import gathered, listed, report
from tools.mutations import mutations

ROOT = Path(__file__).parents[2]
MODULE = "def half(x):\n    x += 0\n    while x < 0:\n        x += 1\n    return x / 2\n"
SURVIVING = ("2: + → -", "2: x += 0 removed", "3: < → <=", "3: 0 → 1", "4: + → -", "4: x += 1 removed", "4: 1 → 2")
TESTS = "from driftline.a.b import half\n\ndef test_half():\n    assert half(3) == 1.5\n"


def test_the_table_counts_by_folder_and_names_survivors():
    faults = mutations("x = 1 + 2\n")
    path = Path("src/driftline/a/b.py")
    trials = [Trial(path, fault, outcome) for fault, outcome in zip(faults, (CAUGHT, SURVIVED, ENDLESS))]
    text = report(trials, 9, [], [], [Path("src/driftline/a/c.py")], 5)
    assert "3 of 9 mutants were tried (sample 5)" in text
    assert "| a | 3 | 1 | 1 | 1 |" in text
    assert [line for line in text.splitlines() if line.startswith("-")] == [
        f"- `src/driftline/a/b.py:{faults[1]}`",
        "- `src/driftline/a/c.py`",
    ]


def test_modules_whose_tests_fail_anyway_are_named_and_not_counted():
    faults = mutations("x = 1 + 2\n")
    trials = [Trial(Path("src/driftline/a/b.py"), faults[0], CAUGHT)]
    trials += [Trial(Path("src/driftline/a/c.py"), fault, UNTRIED) for fault in faults]
    text = report(trials, 9, [], [], [], 0)
    assert "1 of 9 mutants were tried" in text
    assert "| a | 1 | 1 | 0 | 0 |" in text
    assert [line for line in text.splitlines() if line.startswith("-")] == ["- `src/driftline/a/c.py`"]


def test_survivors_of_a_table_are_found_again_where_they_moved():
    path = Path("src/driftline/a/b.py")
    faults = mutations("x = 1 + 2\ny = 3 + 4\n")
    table = report([Trial(path, faults[-1], SURVIVED), Trial(path, faults[0], CAUGHT)], 2, [], [], [], 0)
    moved = [(path, fault) for fault in mutations("\n\nx = 1 + 2\ny = 3 + 4\n")]
    assert [str(fault) for _, fault in listed(table, moved)] == [str(faults[-1]).replace("2:", "4:", 1)]
    assert listed(table, []) == []


def test_modules_without_tests_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("tested", "untested", "empty"):
        path = Path(f"src/driftline/a/{name}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("" if name == "empty" else "x = 1\n")
    mirror(Path("src/driftline/a/tested.py")).parent.mkdir(parents=True)
    mirror(Path("src/driftline/a/tested.py")).write_text("")
    found, untested = gathered([Path("src/driftline/a")])
    assert [(path.name, mutation.change) for path, mutation in found] == [("tested.py", "1 → 2")]
    assert [path.name for path in untested] == ["untested.py"]


def tried_in(folder, files):
    """Write the files of a small project, and try all of its mutants."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "tools.mutants", "src/driftline/a"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"src{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_faults_are_caught_or_survive_and_the_sources_stay_as_they_are(tmp_path):
    files = {"src/driftline/__init__.py": "", "src/driftline/a/__init__.py": "", "src/driftline/a/b.py": MODULE}
    done = tried_in(tmp_path, {**files, "tests/a/test_b.py": TESTS})
    assert done.returncode == 1, done.stderr
    assert f"{len(mutations(MODULE))} of {len(mutations(MODULE))} mutants" in done.stdout
    survivors = {line for line in done.stdout.splitlines() if line.startswith("- ")}
    assert survivors == {f"- `src/driftline/a/b.py:{change}`" for change in SURVIVING}
    assert (tmp_path / "src/driftline/a/b.py").read_text() == MODULE


@pytest.mark.slow
def test_a_module_whose_tests_fail_does_not_end_the_run(tmp_path):
    files = {"src/driftline/__init__.py": "", "src/driftline/a/__init__.py": ""}
    files |= {"src/driftline/a/b.py": "x = 1\n", "src/driftline/a/c.py": "y = 2\n"}
    files |= {"tests/a/test_b.py": "def test_b():\n    assert False\n"}
    files |= {"tests/a/test_c.py": "from driftline.a.c import y\n\ndef test_c():\n    assert y == 2\n"}
    done = tried_in(tmp_path, files)
    assert done.returncode == 0, done.stderr
    assert "1 of 2 mutants" in done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("- ")] == ["- `src/driftline/a/b.py`"]
