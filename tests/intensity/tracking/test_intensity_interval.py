from __future__ import annotations

import numpy as np

from driftline.intensity.tracking.intensity_interval import HasIntensityInterval


def test_the_ends_of_the_interval_are_levels():
    tracker = HasIntensityInterval()
    tracker.levels_ = np.array([0.1, 0.5, 2.5])
    tracker._lower_, tracker._upper_ = np.array([[0, 1]]), np.array([[2, 1]])
    np.testing.assert_array_equal(tracker.intensity_lower_, [[0.1, 0.5]])
    np.testing.assert_array_equal(tracker.intensity_upper_, [[2.5, 0.5]])
