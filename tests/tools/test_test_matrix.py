from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from tools import test_matrix

ROOT = Path(__file__).parents[2]
HERE = "{}.{}".format(*sys.version_info)


def test_every_python_of_the_classifiers_is_in_the_matrix():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [line.rpartition(" ")[2] for line in project["classifiers"] if "Python :: 3." in line]
    assert declared
    assert set(declared) <= set(test_matrix.PYTHONS)
    assert project["requires-python"] == f">={test_matrix.PYTHONS[0]}"


def test_a_python_is_found_by_what_it_says_of_itself(tmp_path, monkeypatch):
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    shims = tmp_path / "shims"
    shims.mkdir()
    monkeypatch.setenv("PATH", str(shims))
    broken = shims / f"python{HERE}"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    assert test_matrix.find_python(HERE) is None
    real = tmp_path / "versions" / f"{HERE}.99" / "bin" / "python"
    real.parent.mkdir(parents=True)
    real.symlink_to(sys.executable)
    assert test_matrix.find_python(HERE) == str(real)
    assert test_matrix.find_python("2.0") is None


def test_what_is_not_there_is_skipped_with_a_notice(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(test_matrix, "find_python", lambda version: None if version == "3.13" else "/python")
    monkeypatch.setattr(
        test_matrix, "environment", lambda version, kind, python: Path(version) if kind == "newest" else None
    )
    monkeypatch.setattr(test_matrix, "run_tests", lambda place, tests, workers: f"{len(tests)} passed")
    written = tmp_path / "matrix.md"
    assert test_matrix.main(["--python", "3.12", "--python", "3.13", "--output", str(written), "tests/a"]) == 1
    assert "| 3.12 | newest | tests/a | 1 passed | " in written.read_text()
    assert capsys.readouterr().out.splitlines() == [
        "Python 3.12, lowest dependencies: FAILED: the dependencies cannot be installed",
        "Python 3.12, newest dependencies: 1 passed",
        "Python 3.13, lowest dependencies: skipped: no Python 3.13 on this machine",
        "Python 3.13, newest dependencies: skipped: no Python 3.13 on this machine",
    ]


def test_the_output_of_every_run_is_kept_beside_the_environment(tmp_path):
    place = tmp_path / "environment"
    (place / "bin").mkdir(parents=True)
    pytest_of_it = place / "bin" / "python"
    pytest_of_it.write_text('#!/bin/sh\necho "$@"; echo so it is not >&2; echo 1 failed, 1 passed; exit 1\n')
    pytest_of_it.chmod(0o755)
    assert test_matrix.run_tests(place, ["tests/a"], workers=3) == "FAILED: 1 failed, 1 passed"
    assert test_matrix.run_tests(place, ["tests/b"]) == "FAILED: 1 failed, 1 passed"
    logs = [log.read_text().splitlines() for log in tmp_path.glob("environment-*.log")]
    assert sorted(logs) == [
        ["-m pytest -q -p no:cacheprovider -n 1 tests/b", "so it is not", "1 failed, 1 passed"],
        ["-m pytest -q -p no:cacheprovider -n 3 tests/a", "so it is not", "1 failed, 1 passed"],
    ]


def test_wrong_choices_are_refused():
    with pytest.raises(SystemExit):
        test_matrix.main(["--python", "2.7"])


def test_a_table_keeps_the_last_row_of_the_same_tests_in_every_environment():
    first = test_matrix.table([("3.11", "lowest", "tests/core", "1 failed", "abc1234")])
    rows = [*test_matrix.rows_of(first), ("3.13", "newest", "default suite", "7 passed", "def5678")]
    assert rows[0] == ("3.11", "lowest", "tests/core", "1 failed", "abc1234")
    whole = ("3.11", "lowest", "default suite", "9 passed", "def5678")
    text = test_matrix.table([*rows, ("3.11", "lowest", "tests/core", "5 passed", "def5678"), whole])
    assert [row[3] for row in test_matrix.rows_of(text)] == ["9 passed", "5 passed", "7 passed"]
    assert "| 3.11 | lowest | tests/core | 5 passed | def5678 |\n" in text


def test_what_is_written_below_the_table_stays():
    notes = "\nWhat failed:\n\n| Python | failed |\n|---|--:|\n| 3.13 | 2 |\n"
    text = test_matrix.table([("3.11", "lowest", "tests/core", "1 failed", "abc1234")]) + notes
    assert test_matrix.notes_of(text) == notes
    assert test_matrix.notes_of("") == ""
