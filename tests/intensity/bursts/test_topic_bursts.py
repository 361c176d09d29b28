"""Bursts read off the posterior."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.core.times import TimeAxis
from driftline.intensity.bursts.topic_bursts import topic_bursts
from driftline.intensity.tracking.implicit_model import IntensityPosterior


def posterior(middle, lower=None, topic=None):
    middle = np.asarray(middle, dtype=np.uint8)
    topic = np.ones(middle.shape) if topic is None else topic
    lower = middle if lower is None else np.asarray(lower, dtype=np.uint8)
    return IntensityPosterior(topic, topic, lower, middle, middle, 0.0, 1, True)


def test_a_burst_is_above_the_usual_level():
    middle = np.array([[1, 1, 1, 2, 3, 2, 1, 0, 1, 1]]).T
    lower = np.array([[1, 1, 1, 2, 2, 2, 1, 0, 1, 1]]).T
    rates = np.array([0.5, 1.0, 2.0, 4.0])
    table = topic_bursts(
        posterior(middle, lower), np.arange(10.0), np.full(10, 0.1), rates, TimeAxis(), tail=0.05, topics=["only"]
    )
    rows = sorted(table.to_pylist(), key=lambda row: row["level"])
    assert [(row["start"], row["end"], row["level"]) for row in rows] == [(3.0, 5.0, 1), (4.0, 4.0, 2)]
    assert rows[0]["weight"] == pytest.approx(3 * np.log(2) - 1.0 * 0.3)
    assert (rows[0]["probability"], rows[1]["probability"]) == (0.95, 0.5)
    assert (rows[0]["rate"], rows[0]["n_documents"], rows[0]["name"]) == (2.0, 3.0, "only")
    assert table.to_pylist()[rows[1]["parent"]] == rows[0]


def test_a_topic_that_is_always_fast_does_not_burst():
    middle = np.full((20, 2), 3)
    middle[5:9, 1] = 2
    gaps = np.ones(20)
    assert (
        topic_bursts(posterior(middle), np.arange(20.0), gaps, np.arange(1.0, 6), TimeAxis(), tail=0.05).num_rows == 0
    )


def test_heaviest_first_over_topics():
    middle = np.zeros((30, 2), dtype=int)
    middle[5:8, 0], middle[10:20, 1] = 1, 1
    table = topic_bursts(
        posterior(middle), np.arange(30.0), np.full(30, 0.1), np.array([0.1, 1.0]), TimeAxis(), tail=0.05
    )
    assert table["topic"].to_pylist() == [1, 0]
    assert table["parent"].to_pylist() == [None, None]
