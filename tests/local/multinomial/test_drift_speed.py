"""Speed is the norm of the derivative, and the floor is what noise makes of it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.local.streams import drifting

from driftline.local.history import History
from driftline.local.multinomial.drift_speed import drift_speed
from driftline.smoothing.kernels import Kernel

WHEN = np.linspace(0.2, 0.8, 13)


def test_a_straight_path_without_noise_has_its_slope_everywhere():
    times = np.linspace(0, 1, 201)
    share = 0.3 + 0.4 * times
    counts = sp.csr_matrix(1e6 * np.column_stack([share, 1 - share]))
    history = History.of(counts, times)
    for side in ("both", "past"):
        speed = drift_speed(history, np.array([0.01, 0.5, 1.0]), Kernel("triangular", side), 0.2, np.zeros(2))
        np.testing.assert_allclose(speed.value, 0.4 * np.sqrt(2), rtol=1e-6)


@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_at_rest_the_speed_is_the_noise_floor(rho):
    values, floors, inside = [], [], []
    for seed in range(12):
        counts, times, _ = drifting(seed=seed, speed=0.0, rho=rho)
        speed = drift_speed(History.of(counts, times), WHEN, Kernel(), 0.2, np.full(60, rho))
        values.append(speed.value**2)
        floors.append(speed.noise_floor**2)
        inside.append((speed.lower <= speed.noise_floor) & (speed.noise_floor <= speed.upper))
    assert np.mean(values) == pytest.approx(np.mean(floors), rel=0.1)
    assert np.mean(inside) > 0.85


def test_the_signal_is_the_true_speed():
    counts, times, path = drifting(n_documents=5000)
    speed = drift_speed(History.of(counts, times), WHEN, Kernel(), 0.08, np.zeros(60))
    true = np.linalg.norm(path(WHEN + 1e-4) - path(WHEN - 1e-4), axis=1) / 2e-4
    assert np.median(speed.signal / true) == pytest.approx(1.0, abs=0.15)
    assert (speed.value > speed.noise_floor).all()


def test_nothing_near_and_one_time_do_not_move():
    counts, times, _ = drifting()
    far = drift_speed(History.of(counts, times), np.array([50.0]), Kernel(), 0.1, np.zeros(60))
    assert (far.value[0], far.noise_floor[0], far.effective_size[0]) == (0.0, 0.0, 0.0)
    constant = drift_speed(History.of(counts, np.zeros(600)), np.array([0.0]), Kernel(), 0.1, np.zeros(60))
    assert constant.value[0] == 0.0


def test_chunks_change_nothing(monkeypatch):
    counts, times, _ = drifting()
    history = History.of(counts, times)
    whole = drift_speed(history, WHEN, Kernel(), 0.1, np.zeros(60))
    monkeypatch.setattr("driftline.local.multinomial.drift_speed._CELLS", 500)
    np.testing.assert_allclose(drift_speed(history, WHEN, Kernel(), 0.1, np.zeros(60)).value, whole.value)
