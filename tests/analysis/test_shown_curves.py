from __future__ import annotations

import json

import numpy as np

from driftline.analysis.shown_curves import curve_of_lists, lists_of_curve, no_curve, shown_curve
from driftline.smoothing.curve import Curve

WHEN = np.datetime64("2003-03-20T05:34:00.987654", "us") + np.arange(3) * np.timedelta64(1, "D")
BUNDLE = np.array([[1.0, 2.0, 3.0], [1 / 3, np.nan, 123456.7]])


def test_a_shown_curve_survives_json_unchanged():
    found = shown_curve(Curve(WHEN, BUNDLE, BUNDLE - 1, BUNDLE + 1, BUNDLE, 0.9), scale=2.0, row=1)
    assert found.times.dtype == "datetime64[s]"
    assert found.value.tolist()[::2] == [0.666667, 246913.0]
    assert np.isnan(found.value[1])
    written = lists_of_curve(found)
    assert written["times"][0] == "2003-03-20T05:34:00Z"
    assert written["value"][1] is None
    assert curve_of_lists(**json.loads(json.dumps(written, allow_nan=False))) == found


def test_curves_differ_if_any_part_does():
    curve = curve_of_lists(["2003-03-20T00:00:00Z"], [None], [0.5], [1.5])
    assert curve == curve_of_lists(["2003-03-20T00:00:00Z"], [None], [0.5], [1.5])
    for changed in (
        curve._replace(level=0.9),
        curve._replace(value=np.array([1.0])),
        curve._replace(times=curve.times + 1),
        no_curve(),
    ):
        assert curve != changed
