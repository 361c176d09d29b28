"""Streams whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.intensity.simulate import simulate_intensity_stream, simulate_published_stream


@pytest.mark.parametrize("association", ["explicit", "implicit"])
def test_steady_levels_give_poisson_streams(association):
    stream = simulate_intensity_stream(
        8_000, 2, rates=[0.5, 2.0], transition=0.0, association=association, random_state=1
    )
    rates = stream.rates[stream.levels[0]]
    for k in range(2):
        mine = stream.times[stream.topics == k]
        gaps = np.diff(mine)
        assert gaps.mean() == pytest.approx(1 / rates[k], rel=0.08)
        assert gaps.std() == pytest.approx(1 / rates[k], rel=0.12)
    assert (np.diff(stream.times) >= 0).all()


def test_levels_move_one_step_with_the_given_probability():
    stream = simulate_intensity_stream(8_000, 3, rates=2.0 ** np.arange(9), transition=0.2, random_state=0)
    steps = np.diff(stream.levels, axis=0)
    assert set(np.unique(steps)) == {-1, 0, 1}
    inner = (stream.levels[:-1] > 0) & (stream.levels[:-1] < 8)
    assert (steps != 0)[inner].mean() == pytest.approx(0.2, abs=0.01)


def test_an_old_schedule_is_kept_in_the_explicit_process_only():
    """When levels fall, the explicit process still delivers what was due: its gaps depend on older levels."""

    def fit_of(association, lag):
        s = simulate_intensity_stream(
            8_000, 1, rates=[0.01, 1.0], transition=0.3, association=association, random_state=2
        )
        gaps = np.diff(s.times)
        level = s.levels[1 - lag : len(gaps) + 1 - lag, 0]
        return np.log(gaps[level == 1]).mean() - np.log(gaps[level == 0]).mean()

    assert fit_of("explicit", 1) == pytest.approx(-np.log(100), abs=0.2)
    assert fit_of("implicit", 0) == pytest.approx(-np.log(100), abs=0.2)
    assert fit_of("explicit", 0) > -np.log(100) + 1


def test_the_text_is_as_good_as_said():
    stream = simulate_intensity_stream(5000, 4, accuracy=0.7, random_state=3)
    assert (stream.log_likelihoods.argmax(axis=1) == stream.topics).mean() == pytest.approx(0.7, abs=0.03)
    np.testing.assert_allclose(np.exp(stream.log_likelihoods).sum(axis=1), 1)
    assert simulate_intensity_stream(5, 1, random_state=0).log_likelihoods.tolist() == [[0.0]] * 5


def test_the_first_published_stream():
    stream = simulate_published_stream("S1", 0)
    assert np.bincount(stream.topics).tolist() == [300, 300]
    assert stream.times[stream.topics == 1][-1] < stream.times[-1]
    assert (stream.levels[-1] == [1, 0]).all(), "the second topic has ended"
    first = stream.times[stream.topics == 0]
    assert np.diff(first[100:200]).mean() == pytest.approx(64, rel=0.3)


def test_the_second_published_stream():
    stream = simulate_published_stream("S2", 0)
    assert (stream.topics == 1).mean() == 0.25
    assert (stream.log_likelihoods.argmax(axis=1) != stream.topics).mean() == pytest.approx(0.225)
    assert set(np.diff(stream.times)) == {4.0}


def test_same_seed_same_stream_and_wrong_parameters():
    one, two = (simulate_intensity_stream(50, random_state=5) for _ in range(2))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one, two))
    for wrong in ({"rates": [0.0]}, {"transition": 2}, {"accuracy": 0}, {"association": "none"}):
        with pytest.raises(InvalidInput):
            simulate_intensity_stream(5, **wrong)
    with pytest.raises(InvalidInput, match="S3"):
        simulate_published_stream("S3")
