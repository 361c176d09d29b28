"""Counts in memory are read by other threads while the writer adds hours."""

import gc

import numpy as np
import pytest

from driftline.service.store.keys import HOUR
from driftline.service.store.period_aggregates import UNIT, Increments


@pytest.fixture
def growing():
    """Return increments to which an hour is added whenever garbage is collected."""
    increments = Increments()

    def add(hour):
        increments.add_topics(np.array([hour * HOUR]), np.array([3]), np.array([[0.5]]))

    def collected(phase, _):
        if phase == "stop":
            add(len(increments.topics))

    for hour in range(500):
        add(hour)
    thresholds = gc.get_threshold()
    gc.callbacks.append(collected)
    gc.set_threshold(3)
    yield increments
    gc.set_threshold(*thresholds)
    gc.callbacks.remove(collected)


def test_sums_can_be_read_while_hours_are_added(growing):
    before = len(growing.topics)
    found = growing.topics_now()
    assert found[499 * HOUR] == {3: UNIT // 2}
    assert before <= len(found) <= len(growing.topics)
    assert len(growing.topics) > before
