from pathlib import Path

import numpy as np
import scipy.sparse as sp
from tools.report_calls import CONVERSIONS, count_calls, digest, tables

import driftline
from driftline.analysis.shown_evidence import Example
from driftline.streams.units import units_of

EARLIER = {"analysis.iso", "analysis.isos", "analysis.series", "core._days_of", "report.as_curve"}
"""Functions of earlier commits only."""
DAYS = np.arange("2024-01-01", "2024-01-05", dtype="datetime64[D]")


def test_equal_inputs_have_equal_digests_and_others_not():
    shown = Example("7", "2024-01-01T00:00:00Z", "rain")
    same = [DAYS.copy(), sp.csr_array(np.eye(2)), shown, "day", None, (1, 2.5)]
    assert digest(same) == digest([DAYS, sp.csc_array(np.eye(2)), Example(**vars(shown)), "day", None, (1, 2.5)])
    others = [DAYS[1:], sp.csr_array(np.ones((2, 2))), Example("8", "2024-01-01T00:00:00Z", "rain"), "week", 0, (1, 2)]
    for place, other in enumerate(others):
        assert digest([*same[:place], other, *same[place + 1 :]]) != digest(same)


def test_calls_between_folders_and_repeated_conversions_are_counted():
    def convert():
        for days in (DAYS, DAYS, DAYS[1:]):
            units_of(days)

    calls = count_calls(Path(driftline.__file__).parents[1], convert)
    assert (calls.inputs["streams.units_of"].total(), len(calls.inputs["streams.units_of"])) == (3, 2)
    assert calls.between[("streams", "core")] >= 6
    lines = list(tables(calls))
    assert "| times → units | `streams.units_of` | 3 | 2 | 1 |  |" in lines
    assert any(line.startswith("| `streams.units_of` | `core.TimeAxis.") and line.endswith("| 3 |") for line in lines)


def test_functions_that_convert_exist_where_the_list_says():
    """A conversion that moves to another folder would otherwise no longer be counted."""
    root = Path(driftline.__file__).parent
    for name in CONVERSIONS.keys() - EARLIER:
        folder, _, function = name.partition(".")
        text = "\n".join(path.read_text(encoding="utf-8") for path in (root / folder).rglob("*.py"))
        assert f"def {function.rpartition('.')[2]}(" in text, name
