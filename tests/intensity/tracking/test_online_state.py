"""One document at a time: the filter, and the smoother a fixed number of documents behind."""

from __future__ import annotations

import numpy as np
import pytest
from tests.intensity.streams import stream_model
from tests.oracles.intensity import chain_messages

from driftline.intensity.tracking.exact import infer_exact
from driftline.intensity.tracking.online_state import advance_filter, begin_filter


def run(model, lag, kind="gap", clip=None):
    n, n_topics, _ = model.shape
    empty = model._replace(text=np.empty((0, n_topics)), gaps=np.empty(0))
    state = begin_filter(empty, 1.0, None, lag)
    times = np.cumsum(model.gaps)
    with np.errstate(divide="ignore"):
        logs = np.log(model.text)
    return [advance_filter(state, logs[t], times[t], kind, clip) for t in range(n)]


@pytest.mark.parametrize("timed", [False, True])
def test_with_one_topic_both_answers_are_exact(timed):
    model, _, _ = stream_model(0, n=40, n_topics=1)
    model = model._replace(timed=timed)
    updates = run(model, lag=5)
    for t in (0, 7, 39):
        upto = model._replace(text=model.text[: t + 1], gaps=model.gaps[: t + 1])
        np.testing.assert_allclose(updates[t].intensity, infer_exact(upto).intensity[-1], rtol=1e-9)
        assert updates[t].document == t
        if t >= 5:
            assert updates[t].smoothed.document == t - 5
            np.testing.assert_allclose(updates[t].smoothed.intensity, infer_exact(upto).intensity[t - 5], rtol=1e-9)
        else:
            assert updates[t].smoothed is None


def test_with_known_topics_both_answers_are_exact():
    model, topics, _ = stream_model(1, n=40)
    model = model._replace(text=np.eye(3)[topics])
    updates = run(model, lag=3)
    exact = infer_exact(model).intensity
    np.testing.assert_allclose(updates[-1].intensity, exact[-1], rtol=1e-9)
    np.testing.assert_allclose(updates[-1].smoothed.intensity, exact[-4], rtol=1e-9)
    np.testing.assert_allclose(updates[-1].topic_proba, np.eye(3)[topics[-1]], atol=1e-12)


def test_the_filter_is_the_plain_one():
    model, _, _ = stream_model(2, n=30, informative=1.0)
    updates = run(model, lag=2)
    beliefs = [model.prior] * 3
    matrix = model.matrices(0, 1)[0]
    for t in range(30):
        before = [b if t == 0 else b @ matrix for b in beliefs]
        fade = np.exp(-model.rates * model.gaps[t])
        means = np.array([(b * fade) @ model.rates / (b @ fade) for b in before])
        parts = model.text[t] * means
        np.testing.assert_allclose(updates[t].topic_proba, parts / parts.sum(), rtol=1e-9)
        sites = [fade * (model.rates * model.text[t, k] + parts.sum() - parts[k]) for k in range(3)]
        beliefs = [b * s / (b @ s) for b, s in zip(before, sites)]
        np.testing.assert_allclose(updates[t].intensity, [b @ model.rates for b in beliefs], rtol=1e-9)


def test_the_smoothed_answer_is_one_backward_pass_over_the_filter_s_sites():
    model, _, _ = stream_model(3, n=12, n_topics=2, informative=1.0)
    lag = 4
    updates = run(model, lag=lag)
    matrices = [model.matrices(0, 1)[0]] * 12
    fade = np.exp(-np.outer(model.gaps, model.rates))
    beliefs, sites = [model.prior] * 2, np.empty((2, 12, len(model.rates)))
    for t in range(12):
        before = [b if t == 0 else b @ matrices[0] for b in beliefs]
        parts = model.text[t] * [(b * fade[t]) @ model.rates / (b @ fade[t]) for b in before]
        for k in range(2):
            sites[k, t] = fade[t] * (model.rates * model.text[t, k] + parts.sum() - parts[k])
        beliefs = [b * sites[k, t] / (b @ sites[k, t]) for k, b in enumerate(before)]
    means = []
    for k in range(2):
        before, behind = chain_messages(sites[k], matrices, model.prior)
        cavity = before[11 - lag] * behind[11 - lag] * fade[11 - lag]
        means.append(cavity @ model.rates / cavity.sum())
    expected = model.text[11 - lag] * means
    np.testing.assert_allclose(updates[-1].smoothed.topic_proba, expected / expected.sum(), rtol=1e-9)


def test_going_on_after_a_stream_is_going_on():
    model, _, _ = stream_model(4, n=900)
    whole = run(model, lag=0)
    times = np.cumsum(model.gaps)
    first = model._replace(text=model.text[:800], gaps=model.gaps[:800])
    state = begin_filter(first, 1.0, times[799], 0)
    for t in range(800, 900):
        found = advance_filter(state, np.log(model.text[t]), times[t], "gap", None)
        assert found.document == t
        np.testing.assert_allclose(found.topic_proba, whole[t].topic_proba, rtol=1e-6)


def test_a_late_document_does_not_turn_the_clock_back():
    model, _, _ = stream_model(5, n=3)
    empty = model._replace(text=np.empty((0, 3)), gaps=np.empty(0))
    states = [begin_filter(empty, 1.0, None, 1) for _ in range(2)]
    for times, state in zip(([10.0, 4.0, 12.0], [10.0, 10.0, 12.0]), states):
        for t in range(3):
            found = advance_filter(state, np.log(model.text[t]), times[t], "gap", None)
        state["answer"] = found
    np.testing.assert_array_equal(states[0]["answer"].intensity, states[1]["answer"].intensity)


@pytest.mark.parametrize(("kind", "clip"), [("index", None), ("operational", None), ("gap", (0.1, 2.0))])
def test_other_clocks(kind, clip):
    model, _, _ = stream_model(6, n=50)
    model.gaps[20] = 1e7
    updates = run(model, 2, kind, clip)
    assert all(np.isfinite(update.intensity).all() for update in updates)
    if kind == "index" or clip:
        assert updates[20].intensity.sum() > 2 * run(model, 2)[20].intensity.sum(), "the silence is not believed"
