from __future__ import annotations

import numpy as np

import driftline
from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.turning_points import TURNING_POINTS, TurningPoint
from driftline.analysis.findings.turning_series import TURNING_SERIES, largest, series_of
from driftline.analysis.serialise import from_json, to_json
from driftline.streams.stream import Stream


def point(of, name, before, after):
    bands = {f"{side}_{end}": 0.0 for side in ("before", "after") for end in ("low", "high")}
    return TurningPoint(of=of, name=name, time="", earliest="", latest="", probability=1.0, before=before, after=after,
                        step_days=1.0, **bands)  # fmt: skip


def test_the_volume_comes_first_and_then_the_largest_ratios():
    points = [point("word", "a", 1, 2), point("word", "b", 9, 1), point("word", "a", 2, 1), point("volume", "", 1, 1.1)]
    assert largest(points) == [("volume", ""), ("word", "b"), ("word", "a")]
    assert largest(points, 1) == [("volume", "")]


def test_levels_follow_the_path_and_lie_within_their_bands():
    rng = np.random.default_rng(0)
    totals = np.full(120, 100.0)
    totals[7] = 0
    counts = np.minimum(rng.binomial(100, np.repeat([0.1, 0.4, 0.1], 40)), totals)
    starts = np.datetime64("2020-01-01", "us") + np.arange(120).astype("timedelta64[D]")
    found = series_of("word", "flood", counts, totals, starts)
    assert np.flatnonzero(np.diff(found.levels.value)).tolist() == [39, 79]
    assert np.isnan(found.observed.value[7])
    assert ((found.levels.lower < found.levels.value) & (found.levels.value < found.levels.upper)).all()
    assert abs(found.levels.value[60] - 0.4) < 0.03


def test_the_report_of_a_stream_draws_its_turning_points():
    rng = np.random.default_rng(1)
    documents = []
    for day in range(120):
        for _ in range(rng.poisson(12)):
            flood = rng.random() < (0.05 if day < 60 else 0.6)
            words = [f"w{k}" for k in rng.integers(0, 60, 8)] + ["flood", "river"] * flood
            documents.append((f"{np.datetime64('2020-01-01') + day}", " ".join(words)))
    findings = driftline.analyse(Stream.from_documents(documents))
    assert isinstance(findings, Findings)
    points, series = TURNING_POINTS.of(findings), TURNING_SERIES.of(findings)
    assert "flood" in {one.name for one in points}
    assert {(one.of, one.name) for one in series} <= {(one.of, one.name) for one in points}
    assert from_json(to_json(findings)) == findings
