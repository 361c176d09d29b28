"""The explicit process: its particle filter against enumeration, and beside the implicit model."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.intensity import explicit_by_enumeration, level_matrix

from driftline.core.errors import InvalidInput
from driftline.intensity import IntensityTracker, filter_explicit_stream, simulate_intensity_stream


@pytest.mark.parametrize("seed, resampling", [(0, "systematic"), (1, "stratified")])
def test_near_the_enumeration_of_all_levels_and_labels(seed, resampling):
    rng = np.random.default_rng(seed)
    text = rng.dirichlet(np.ones(2), 4)
    times = np.cumsum(rng.exponential(1, 4))
    rates = np.array([0.2, 3.0])
    settings = {"n_particles": 60_000, "resampling": resampling, "random_state": 0}
    found = filter_explicit_stream(np.log(text), times, rates=rates, transition=0.5, **settings)
    gaps = np.diff(times, prepend=times[0])
    scaled = text / text.max(axis=1, keepdims=True)
    evidence, last = explicit_by_enumeration(scaled, gaps, rates, level_matrix(0.5, 2), np.array([0.5, 0.5]))
    mean_gap = gaps[1:].mean()
    # densities of gaps in mean gaps and in units of time differ by a factor a document
    assert found.log_evidence - 4 * np.log(mean_gap) == pytest.approx(evidence, abs=0.03)
    np.testing.assert_allclose(found.topic_proba[-1], last, atol=0.01)


def test_without_moves_it_is_the_implicit_model():
    stream = simulate_intensity_stream(60, 2, rates=[0.2, 1.0], transition=0.0, accuracy=0.7, random_state=0)
    settings = {"rates": stream.rates, "transition": 1e-9}
    found = filter_explicit_stream(stream.log_likelihoods, stream.times, **settings, n_particles=20_000, random_state=0)
    exact = IntensityTracker(levels=stream.rates, transition=1e-9, inference="exact")
    exact.fit(stream.log_likelihoods, times=stream.times)
    np.testing.assert_allclose(found.topic_proba[-1], exact.topic_proba_[-1], atol=0.02)
    assert found.log_evidence == pytest.approx(exact.log_evidence_, abs=0.2)


def test_on_an_explicit_stream_it_predicts_better():
    gain = 0.0
    for seed in range(3):
        stream = simulate_intensity_stream(300, 2, rates=[0.05, 5.0], transition=0.3, accuracy=0.9, random_state=seed)
        settings = {"rates": stream.rates, "transition": 0.3}
        found = filter_explicit_stream(stream.log_likelihoods, stream.times, **settings, random_state=0)
        implicit = IntensityTracker(levels=stream.rates, transition=0.3, inference="exact")
        implicit.fit(stream.log_likelihoods, times=stream.times)
        gain += found.log_evidence - implicit.log_evidence_
    assert gain > 0


def test_waiting_times_and_seeds():
    text = np.log([[0.999, 0.001]] * 6)
    one, two = (
        filter_explicit_stream(text, np.arange(6.0), rates=[0.5, 1.0], n_particles=500, random_state=1)
        for _ in range(2)
    )
    assert one.topic_proba.tobytes() == two.topic_proba.tobytes()
    assert one.waiting[-1, 0] < 0.1
    assert one.waiting[-1, 1] > 4


def test_an_unknown_resampling_is_an_error():
    with pytest.raises(InvalidInput, match="not 'other'"):
        filter_explicit_stream(np.zeros((3, 2)), np.arange(3.0), rates=[0.5, 1.0], resampling="other")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"times": [2.0, 1.0, 0.0]}, "in order"),
        ({"times": [0.0, np.nan, 1.0]}, "finite"),
        ({"times": [0.0, 1.0]}, "a time per document"),
        ({"log_likelihoods": np.zeros(3)}, "documents × topics"),
        ({"rates": [0.0, 1.0]}, "positive numbers"),
        ({"rates": [[0.5, 1.0]]}, "positive numbers"),
        ({"rates": np.ones(256)}, "1 to 255"),
        ({"transition": 7}, "a probability"),
        ({"n_particles": 0}, "at least 1"),
    ],
)
def test_input_that_compiled_code_could_not_take_is_refused(change, message):
    given = {"log_likelihoods": np.zeros((3, 2)), "times": [0.0, 1.0, 2.0], "rates": [0.5, 2.0], **change}
    with pytest.raises(InvalidInput, match=message):
        filter_explicit_stream(given.pop("log_likelihoods"), given.pop("times"), **given, random_state=0)
