"""The page on the house: what it reads from other pages and from sources."""

from __future__ import annotations

from tools import house

CALLS = """# Calls

## Now

| from | to | functions calling | functions called | calls |
|---|---|---|---|---|
| a | b | 1 | 1 | 5 |
| all | 1 pairs of folders | 1 pairs of functions | | 1,005 |

| conversion | function | calls | different inputs | repeated | by |
|---|---|---|---|---|---|
| days → dates | `core.a` | 9 | 7 | 2 | `b.c` 2 |
| dates → days | `core.b` | 3,009 | 9 | 3,000 | `b.c` 3,000 |

## Commit abc

| all | 2 pairs of folders | 3 pairs of functions | | 7 |
"""


def test_calls_and_repeated_conversions_of_one_part():
    assert house.calls_of(CALLS, "Now") == ("1,005", "3,002")
    assert house.calls_of(CALLS, "Commit abc") == ("7", "0")
    assert house.calls_of(CALLS, "Commit def") == ("unknown", "0")


def test_lines_and_imports_of_an_estimator():
    source = "import numpy\nfrom driftline.core.arrays import Floats\nfrom driftline.inference.run import run\n"
    source += "from driftline.sequences.states import States\nfrom driftline.base.estimator import DriftEstimator\n"
    assert house.estimator_size(source) == (5, ["inference.run", "sequences.states"])


def test_outcomes_of_mutants():
    table = "| folder | tried | caught | never ended | survived |\n|---|--:|--:|--:|--:|\n"
    table += "| inference | 10 | 7 | 1 | 2 |\n| smoothing | 5 | 5 | 0 | 0 |\n"
    assert house.survivors(table) == "15 tried, 2 survived"
    faults = "| fault | file | tests | outcome |\n|---|---|---|---|\n| a | b | c | caught |\n| d | e | f | missed |\n"
    assert house.outcomes(faults) == "1 of 2"


def test_sources_of_a_commit_are_those_of_its_files():
    texts = house.texts_at("HEAD")
    assert any(path.name == "__init__.py" for path in texts)
    assert all(path.suffix == ".py" for path in texts)
