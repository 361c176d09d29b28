"""The list of faults made by hand is up to date."""

import ast
from pathlib import Path

import pytest
from tools.hand_made_mutants import FAULTS, Fault, is_noticed, report, with_fault

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_can_still_be_made_and_has_tests(fault):
    text = (ROOT / "src" / "driftline" / fault.path).read_text(encoding="utf-8")
    faulty = with_fault(text, fault)
    assert faulty != text
    ast.parse(faulty)
    assert (ROOT / fault.tests).exists()


def test_missing_code_is_reported():
    with pytest.raises(SystemExit, match="exactly once"):
        with_fault("x = 1\nx = 1\n", Fault("", "a.py", "x = 1", "x = 2", ""))


def test_a_fault_that_changes_nothing_is_not_noticed_and_another_is(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "src" / "driftline"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "half.py").write_text("def half(x):\n    return x / 2\n")
    (tmp_path / "test_half.py").write_text(
        "from driftline.half import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
    )
    missed = Fault("missed", "half.py", "x / 2", "x * 0.5", "test_half.py")
    noticed = Fault("noticed", "half.py", "x / 2", "x / 3", "test_half.py")
    outcomes = [(fault, is_noticed(fault)) for fault in (missed, noticed)]
    assert [outcome for _, outcome in outcomes] == [False, True]
    assert "| noticed | `half.py` | `test_half.py` | caught |" in report(outcomes)
