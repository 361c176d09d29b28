"""Figures of intensities."""

from __future__ import annotations

import numpy as np

from driftline.figures import plot_intensities
from driftline.intensity import IntensityTracker, simulate_intensity_stream


def test_every_topic_has_its_line_and_its_band():
    stream = simulate_intensity_stream(200, 2, random_state=0)
    tracker = IntensityTracker(levels=stream.rates, transition=0.02).fit(stream.log_likelihoods, times=stream.times)
    curves = {
        f"topic {k}": (
            stream.times,
            tracker.intensity_[:, k],
            tracker.intensity_lower_[:, k],
            tracker.intensity_upper_[:, k],
        )
        for k in range(2)
    }
    burst = tracker.bursts_.to_pylist()[0]
    figure = plot_intensities(curves, bursts=[(burst["start"], burst["end"], "a burst")], unit="documents a second")
    assert [trace.name for trace in figure.data if trace.name] == ["topic 0", "topic 1"]
    assert sum(trace.fill == "toself" for trace in figure.data) == 2
    assert figure.layout.shapes[0].x0 == burst["start"]
    assert figure.layout.showlegend


def test_names_are_text_not_markup():
    days = np.arange("2003-01-01", "2003-01-05", dtype="datetime64[D]")
    figure = plot_intensities({"<b>war</b>": (days, np.ones(4))})
    assert "<b>" not in figure.to_json().replace("\\u003c", "<").replace("&lt;b&gt;", "")
    assert figure.layout.xaxis.type == "date"
    assert not figure.layout.showlegend
