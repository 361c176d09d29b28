"""The tracker as a user meets it: agreement, learning, labels, order, edge cases, updates."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from tests.oracles.intensity import level_matrix, posterior_by_enumeration

from driftline.core.errors import InvalidInput
from driftline.intensity import IntensityTracker
from driftline.intensity.simulate import simulate_intensity_stream, simulate_published_stream

METHODS = ["exact", "ep", "structured", "gibbs", "particle", "mean-field"]


@pytest.fixture(scope="module")
def stream():
    return simulate_intensity_stream(
        400, 3, rates=[0.05, 0.3, 1.8], accuracy=0.6, transition=0.03, association="implicit", random_state=0
    )


def tracker(stream, **settings):
    return IntensityTracker(**{"levels": stream.rates, "transition": 0.03, **settings})


def test_topics_and_intensities_are_better_than_the_text_alone(stream):
    found = tracker(stream).fit(stream.log_likelihoods, times=stream.times)
    assert found.inference_ == "exact"
    alone = (stream.log_likelihoods.argmax(axis=1) == stream.topics).mean()
    assert (found.labels_ == stream.topics).mean() > alone + 0.05
    truth = stream.rates[stream.levels]
    assert np.abs(np.log(found.intensity_ / truth)).mean() < 0.6 * np.abs(np.log(truth / truth.mean())).mean()
    inside = (found.intensity_lower_ <= truth) & (truth <= found.intensity_upper_)
    assert inside.mean() > 0.8


@pytest.mark.parametrize("method", ["ep", "structured", "gibbs", "particle", "mean-field"])
def test_every_method_runs_and_agrees_roughly(stream, method):
    exact = tracker(stream).fit(stream.log_likelihoods, times=stream.times)
    found = tracker(stream, inference=method, n_samples=100, n_particles=200, random_state=0)
    found.fit(stream.log_likelihoods, times=stream.times)
    assert found.inference_ == method
    assert (found.labels_ == exact.labels_).mean() > (0.6 if method == "mean-field" else 0.93)


def test_auto_takes_ep_for_many_topics(stream):
    found = IntensityTracker().fit(np.random.default_rng(0).normal(size=(50, 30)), times=range(50))
    assert found.inference_ == "ep"


def test_the_order_of_the_documents_does_not_matter(stream):
    plain = tracker(stream).fit(stream.log_likelihoods, times=stream.times)
    order = np.random.default_rng(0).permutation(400)
    mixed = tracker(stream, decode=True).fit(stream.log_likelihoods[order], times=stream.times[order])
    np.testing.assert_allclose(mixed.topic_proba_, plain.topic_proba_[order])
    np.testing.assert_allclose(mixed.intensity_, plain.intensity_[order])
    np.testing.assert_array_equal(mixed.intensity_upper_, plain.intensity_upper_[order])
    assert mixed.bursts_.equals(plain.bursts_)
    straight = tracker(stream, decode=True).fit(stream.log_likelihoods, times=stream.times)
    np.testing.assert_array_equal(mixed.level_path_, straight.level_path_[order])


@pytest.mark.parametrize("method", ["exact", "ep"])
def test_the_unit_of_time_does_not_matter(stream, method):
    plain = tracker(stream, inference=method).fit(stream.log_likelihoods, times=stream.times)
    for unit in (1e-9, 1e9):
        scaled = tracker(stream, inference=method, levels=stream.rates / unit)
        scaled.fit(stream.log_likelihoods, times=stream.times * unit)
        np.testing.assert_allclose(scaled.topic_proba_, plain.topic_proba_, atol=1e-6)
        np.testing.assert_allclose(scaled.intensity_ * unit, plain.intensity_, rtol=1e-4)


def test_known_labels_are_kept_and_help(stream):
    labels = np.where(np.arange(400) % 3 == 0, stream.topics, -1)
    found = tracker(stream).fit(stream.log_likelihoods, times=stream.times, labels=labels)
    known = labels >= 0
    assert (found.labels_[known] == labels[known]).all()
    plain = tracker(stream).fit(stream.log_likelihoods, times=stream.times)
    wrong = (plain.labels_ != stream.topics)[~known].mean()
    assert (found.labels_ != stream.topics)[~known].mean() < wrong
    nones = [None if label < 0 else int(label) for label in labels]
    again = tracker(stream).fit(stream.log_likelihoods, times=stream.times, labels=nones)
    np.testing.assert_array_equal(again.topic_proba_, found.topic_proba_)


def test_suggestions_lower_the_error_more_than_chance():
    stream = simulate_intensity_stream(200, 2, accuracy=0.65, transition=0.02, random_state=4)
    settings = {"levels": stream.rates, "transition": 0.02}
    found = IntensityTracker(**settings).fit(stream.log_likelihoods, times=stream.times)
    asked = found.suggest(stream.log_likelihoods, 15, times=stream.times, n_candidates=25, window=20)
    assert len(set(asked.documents)) == 15
    labels = np.full(200, -1)
    labels[asked.documents] = stream.topics[asked.documents]
    more = found.suggest(stream.log_likelihoods, 5, times=stream.times, labels=labels, n_candidates=10, window=20)
    assert not set(more.documents) & set(asked.documents)

    def errors(labels):
        again = IntensityTracker(**settings).fit(stream.log_likelihoods, times=stream.times, labels=labels)
        return (again.labels_ != stream.topics).sum()

    by_chance = []
    for seed in range(8):
        drawn = np.full(200, -1)
        at = np.random.default_rng(seed).choice(200, 15, replace=False)
        drawn[at] = stream.topics[at]
        by_chance.append(errors(drawn))
    assert errors(labels) < np.mean(by_chance)


@pytest.mark.parametrize("method", ["exact", "ep", "structured", "gibbs"])
def test_the_transition_is_learned(method):
    stream = simulate_intensity_stream(
        3000, 2, accuracy=0.97, transition=0.02, association="implicit", rates=[0.1, 1.0, 10.0], random_state=1
    )
    found = IntensityTracker(levels=stream.rates, transition="learn", inference=method, n_samples=30, random_state=0)
    found.fit(stream.log_likelihoods, times=stream.times)
    assert 0.01 < found.transition_ < 0.04


def test_levels_and_prior_are_learned():
    stream = simulate_intensity_stream(
        3000, 2, accuracy=0.97, transition=0.01, association="implicit", rates=[0.1, 1.0], random_state=2
    )
    found = IntensityTracker(levels="learn", n_levels=2, level_prior="learn", transition=0.01)
    found.fit(stream.log_likelihoods, times=stream.times)
    np.testing.assert_allclose(found.levels_, [0.1, 1.0], rtol=0.25)
    assert found.level_prior_.sum() == pytest.approx(1)
    assert (
        found.log_evidence_ > IntensityTracker(n_levels=2).fit(stream.log_likelihoods, times=stream.times).log_evidence_
    )


def test_continuous_time_forgets_during_a_long_silence():
    """A long gap is time enough for the level to have fallen; as a single step it is hardly believed."""
    times = np.concatenate([np.arange(100.0), 112 + np.arange(100.0)])
    settings = {"levels": [0.1, 1.0], "transition": 0.005}
    timed = IntensityTracker(continuous=True, **settings).fit(np.zeros((200, 1)), times=times)
    plain = IntensityTracker(**settings).fit(np.zeros((200, 1)), times=times)
    assert timed.intensity_[100, 0] < 0.8 * plain.intensity_[100, 0]
    learned = IntensityTracker(continuous=True, **{**settings, "transition": "learn"})
    learned.fit(np.zeros((200, 1)), times=times)
    assert 1e-4 <= learned.transition_ < 0.05
    assert learned.log_evidence_ >= timed.log_evidence_ - 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_a_topic_that_falls_silent_falls_in_intensity(stream, method):
    """Negative evidence: nothing is said of the topic, and yet something is learned."""
    quiet = stream.log_likelihoods.copy()
    quiet[:, 1] = np.where(np.arange(400) < 150, 3.0, -50.0)
    settings = {"inference": method, "n_samples": 100, "n_particles": 300, "random_state": 0}
    found = tracker(stream, **settings).fit(quiet, times=stream.times)
    before, after = found.intensity_[50:140, 1], found.intensity_[200:, 1]
    # The mean field ties every level to its neighbours and may stay a step too high
    assert after.max() < (1.1 * stream.rates[1] if method == "mean-field" else 1.9 * stream.rates[0])
    assert before.mean() > 2 * after.mean()
    assert found.topic_proba_[200:, 1].max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_documents_in_disorder_are_put_in_order(stream, method):
    settings = {"inference": method, "n_samples": 10, "n_particles": 50, "random_state": 0}
    part = slice(0, 60)
    plain = tracker(stream, **settings).fit(stream.log_likelihoods[part], times=stream.times[part])
    order = np.random.default_rng(1).permutation(60)
    mixed = tracker(stream, **settings).fit(stream.log_likelihoods[order], times=stream.times[order])
    np.testing.assert_array_equal(mixed.topic_proba_, plain.topic_proba_[order])
    np.testing.assert_array_equal(mixed.intensity_, plain.intensity_[order])
    as_they_came = tracker(stream, **settings).fit(stream.log_likelihoods[order], times=range(len(order)))
    assert not np.array_equal(as_they_came.topic_proba_, mixed.topic_proba_), "their times do matter"


TOLERANCES = {"exact": 1e-9, "ep": 0.01, "structured": 0.08, "gibbs": 0.03, "particle": 0.1, "mean-field": 0.2}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("times", [[2.0], [0.0, 0.0, 1.0, 1.0], [5.0, 5.0, 5.0]], ids=["one", "ties", "all at once"])
def test_one_document_and_equal_times_are_as_by_enumeration(method, times):
    rng = np.random.default_rng(2)
    text = rng.dirichlet([1.0, 1.0], len(times))
    rates, theta = np.array([0.3, 2.0]), 0.3
    gaps = np.diff(times, prepend=times[0])
    matrices = [level_matrix(theta, 2)] * len(times)
    _, topics, levels, *_ = posterior_by_enumeration(text, gaps, rates, matrices, np.full(2, 0.5))
    settings = {"n_samples": 2000, "n_particles": 2000, "random_state": 0}
    found = IntensityTracker(levels=rates, transition=theta, inference=method, **settings)
    found.fit(np.log(text), times=times)
    np.testing.assert_allclose(found.topic_proba_, topics, atol=TOLERANCES[method])
    np.testing.assert_allclose(found.intensity_, levels @ rates, atol=3 * TOLERANCES[method])


@pytest.mark.parametrize("method", METHODS)
def test_a_topic_without_a_document_sinks_and_gets_none(method):
    X = np.column_stack([np.zeros(40), np.full(40, -np.inf)])
    settings = {"inference": method, "n_samples": 100, "n_particles": 300, "random_state": 0}
    found = IntensityTracker(levels=[0.1, 0.4, 1.6], transition=0.1, **settings).fit(X, times=np.arange(40.0))
    np.testing.assert_array_equal(found.topic_proba_[:, 1], 0)
    assert found.intensity_[10:, 1].max() < (0.401 if method == "mean-field" else 0.25)
    assert found.intensity_[10:, 0].min() > (0.402 if method == "mean-field" else 0.45)
    assert 1 not in found.bursts_["topic"].to_pylist()


@pytest.mark.parametrize("method", METHODS)
def test_extremes_are_answered(method):
    rng = np.random.default_rng(0)
    settings = {"inference": method, "n_levels": 3, "n_samples": 5, "n_particles": 20, "random_state": 0}
    cases = {
        "one topic": (rng.normal(size=(20, 1)), np.arange(20.0)),
        "a hole of an age": (rng.normal(size=(20, 2)), np.concatenate([np.arange(10.0), 1e9 + np.arange(10)])),
        "a text that is certain": (500 * rng.normal(size=(20, 2)), np.arange(20.0)),
        "tiny gaps": (rng.normal(size=(20, 2)), 1e-300 * np.arange(20.0)),
    }
    for name, (X, times) in cases.items():
        found = IntensityTracker(**settings).fit(X, times=times)
        assert np.isfinite(found.intensity_).all(), name
        assert (found.intensity_ > 0).all(), name
        np.testing.assert_allclose(found.topic_proba_.sum(axis=1), 1, err_msg=name)
    assert found.bursts_.column_names[0] == "topic"


def test_updates_go_on_where_fit_ended(stream):
    half = tracker(stream, inference="ep", lag=5).fit(stream.log_likelihoods[:200], times=stream.times[:200])
    whole = tracker(stream, inference="ep").fit(stream.log_likelihoods, times=stream.times)
    smoothed, filtered = {}, {}
    for t in range(200, 400):
        update = half.update(stream.log_likelihoods[t], stream.times[t])
        assert update.document == t
        filtered[t] = update.topic_proba
        if update.smoothed:
            smoothed[update.smoothed.document] = update.smoothed.topic_proba
    assert sorted(smoothed) == list(range(200, 395))
    error, error_now = (
        np.mean([np.abs(found[t] - whole.topic_proba_[t]).mean() for t in smoothed]) for found in (smoothed, filtered)
    )
    assert error < 0.06
    assert error < 0.8 * error_now


def test_updates_may_begin_a_stream_when_levels_are_given(stream):
    fresh = tracker(stream)
    update = fresh.update(stream.log_likelihoods[0], np.datetime64("2003-03-20T10:00"), label=2)
    np.testing.assert_allclose(update.topic_proba, [0, 0, 1], atol=1e-12)
    assert fresh.update(stream.log_likelihoods[1], np.datetime64("2003-03-20T10:05")).document == 1
    with pytest.raises(NotFittedError):
        IntensityTracker().update([0.0, 0.0], 1.0)
    with pytest.raises(InvalidInput, match="2 topics, the stream 3"):
        fresh.update([0.0, 0.0], np.datetime64("2003-03-20T10:06"))


def test_bursts_are_where_they_were_planted():
    rng = np.random.default_rng(0)
    slow, fast = np.sort(rng.uniform(0, 1000, 400)), np.sort(rng.uniform(400, 430, 90))
    times = np.concatenate([slow, fast])
    order = np.argsort(times)
    topics = np.concatenate([(rng.random(400) < 0.1), np.ones(90)]).astype(int)[order]
    text = np.log(np.where(topics[:, None] == np.arange(2), 0.8, 0.2))
    start = np.datetime64("2003-01-01")
    dates = start + (times[order] * 24 * 3600).astype("timedelta64[s]")
    found = IntensityTracker(levels="auto", transition=0.02).fit(text, times=dates)
    top = found.bursts_.to_pylist()[0]
    assert top["topic"] == 1
    ends = [
        [(np.datetime64(row[name]) - start) / np.timedelta64(1, "D") for name in ("start", "end")]
        for row in found.bursts_.to_pylist()[:4]
    ]
    assert min(abs(begin - 400) + abs(end - 430) for begin, end in ends) < 10
    assert top["probability"] > 0.8


def test_published_figures():
    second = simulate_published_stream("S2", 0)
    found = IntensityTracker(levels=second.rates, transition=0.1, decode=True)
    found.fit(second.log_likelihoods, times=second.times)
    assert (second.log_likelihoods.argmax(axis=1) != second.topics).mean() == 0.225
    assert (found.labels_ == second.topics).all()
    np.testing.assert_array_equal(found.level_path_, second.levels)
    first = simulate_published_stream("S1", 0)
    found = IntensityTracker(levels=first.rates, transition=0.2, decode=True)
    found.fit(first.log_likelihoods, times=first.times)
    alive = first.times <= first.times[first.topics == 1][-1]
    assert (found.level_path_ == first.levels)[alive].mean() > 0.9


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"levels": [1.0, -1.0]}, "positive rates"),
        ({"levels": []}, "positive rates"),
        ({"levels": np.ones(300)}, "255"),
        ({"inference": "ep", "decode": True}, "decode"),
        ({"inference": "particle", "transition": "learn"}, "cannot learn"),
    ],
)
def test_wrong_settings_are_refused(stream, settings, message):
    with pytest.raises(InvalidInput, match=message):
        IntensityTracker(**settings).fit(stream.log_likelihoods, times=stream.times)


@pytest.mark.parametrize(
    ("inference", "large", "expected"),
    [("ep", 1, "gpu"), ("ep", 10**9, "threads"), ("auto", 1, "threads"), ("gibbs", 1, "threads")],
)
def test_auto_takes_the_device_for_much_expectation_propagation(stream, inference, large, expected, monkeypatch):
    monkeypatch.setattr("driftline.engines.choose.check_device", lambda name: type("Device", (), {"name": "toy"}))
    monkeypatch.setattr("driftline.intensity.tracking.intensity_tracker.LARGE", large)
    found = tracker(stream, inference=inference, engine="auto")
    chosen = []

    def note(method, model, options, rng):
        chosen.append(options.engine)
        raise InterruptedError

    monkeypatch.setattr("driftline.intensity.tracking.intensity_tracker.infer", note)
    with pytest.raises(InterruptedError):
        found.fit(stream.log_likelihoods, times=stream.times)
    assert chosen == [expected]


def test_an_update_without_a_label_is_one_with_an_unknown_label():
    text = np.log([[0.9, 0.1], [0.2, 0.8], [0.9, 0.1]])
    found = []
    for label in (-1, None, np.nan):
        model = IntensityTracker(levels=[0.1, 1.0]).fit(text, times=[0, 1, 2])
        found.append(model.update(np.log([0.6, 0.4]), time=3.0, label=label).topic_proba.tolist())
    assert found[0] == found[1] == found[2]
    assert model.update(np.log([0.6, 0.4]), time=4.0, label=1).topic_proba.tolist() == [0.0, 1.0]
