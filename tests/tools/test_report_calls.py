from pathlib import Path

import numpy as np
import scipy.sparse as sp
from tools.report_calls import count_calls, digest, tables

import driftline
from driftline.analysis.curve_times import isos
from driftline.analysis.shown_evidence import Series
from driftline.report.series import as_curve

DAYS = np.arange("2024-01-01", "2024-01-05", dtype="datetime64[D]")


def test_equal_inputs_have_equal_digests_and_others_not():
    curve = Series(["2024-01-01T00:00:00Z"], [1.0], [0.5], [2.0])
    same = [DAYS.copy(), sp.csr_array(np.eye(2)), curve, "day", None, (1, 2.5)]
    assert digest(same) == digest([DAYS, sp.csc_array(np.eye(2)), Series(*vars(curve).values()), "day", None, (1, 2.5)])
    for place, other in enumerate([DAYS[1:], sp.csr_array(np.ones((2, 2))), Series([], [], [], []), "week", 0, (1, 2)]):
        assert digest([*same[:place], other, *same[place + 1 :]]) != digest(same)


def test_calls_between_folders_and_repeated_conversions_are_counted():
    def convert():
        for days in (DAYS, DAYS, DAYS[1:]):
            as_curve(Series(isos(days), [1.0] * len(days), [0.5] * len(days), [2.0] * len(days)))

    calls = count_calls(Path(driftline.__file__).parents[1], convert)
    assert (calls.inputs["report.as_curve"].total(), len(calls.inputs["report.as_curve"])) == (3, 2)
    assert not calls.inputs["analysis.iso"], "the times were written the first time"
    assert calls.between == {}, "the test itself is in no folder of the project"
    assert "| Series → Curve | `report.as_curve` | 3 | 2 | 1 |  |" in list(tables(calls))
