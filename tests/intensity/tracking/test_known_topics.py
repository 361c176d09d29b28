"""Topics that are known, tracked one by one: the same as all of them together."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from driftline.intensity.tracking.intensity_tracker import IntensityTracker
from driftline.intensity.tracking.known_topics import intensities_of_known_topics

LEVELS = 2.0 ** np.arange(-3, 3)


def a_stream(n, n_topics, seed=0):
    rng = np.random.default_rng(seed)
    days = np.sort(rng.uniform(0, n / 3, n))
    topics = rng.integers(0, n_topics, n)
    topics[n // 4 : n // 3] = 0
    times = np.datetime64("2024-01-01", "us") + (days * 86_400e6).astype("timedelta64[us]")
    return times, topics


@pytest.mark.parametrize("n_topics", [1, 3, 5])
def test_it_is_what_the_tracker_finds_given_all_labels(n_topics):
    times, topics = a_stream(400, n_topics)
    at = np.array([0, 17, 120, 399])
    settings = {"levels": LEVELS, "transition": 0.03, "interval": 0.8}
    tracker = IntensityTracker(inference="structured", **settings)
    tracker.fit(np.zeros((len(times), n_topics)), times=times, labels=topics)
    found = list(intensities_of_known_topics(times, topics, n_topics, at, **settings))
    assert len(found) == n_topics
    for k, topic in enumerate(found):
        np.testing.assert_allclose(topic.rate, tracker.intensity_[at, k], rtol=1e-10)
        np.testing.assert_allclose(topic.lower, tracker.intensity_lower_[at, k], rtol=1e-10)
        np.testing.assert_allclose(topic.upper, tracker.intensity_upper_[at, k], rtol=1e-10)
        rows = [row for row in tracker.bursts_.to_pylist() if row["topic"] == k]
        ours = topic.bursts.to_pylist()
        assert [(row["start"], row["end"], row["level"]) for row in ours] == [
            (row["start"], row["end"], row["level"]) for row in rows
        ]
        for name in ("weight", "rate", "n_documents", "probability"):
            np.testing.assert_allclose([row[name] for row in ours], [row[name] for row in rows], rtol=1e-9)
    assert n_topics == 1 or sum(topic.bursts.num_rows for topic in found) > 0


def test_memory_does_not_follow_the_number_of_topics():
    times, topics = a_stream(20_000, 40)

    def peak(n_topics):
        tracemalloc.start()
        for _ in intensities_of_known_topics(
            times, topics % n_topics, n_topics, np.array([5]), levels=LEVELS, transition=0.01, interval=0.9
        ):
            pass
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(40) < 1.5 * peak(2)
