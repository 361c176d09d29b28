from __future__ import annotations

import numpy as np

from driftline.analysis.findings.turning_points import (
    confirmed,
    label_turning_points,
    steps_of,
    turning_points,
    volume_turning_points,
    word_turning_points,
)
from driftline.streams.corpus import Corpus


def stream(seed=0, n_days=100, turn=50):
    """Twenty documents a day; a word and a label become common at the turn."""
    rng = np.random.default_rng(seed)
    days = np.repeat(np.arange(n_days), 20)
    common = rng.random(len(days)) < np.where(days < turn, 0.1, 0.6)
    texts = ["river flood" if flag else "river" for flag in common]
    times = np.datetime64("2020-01-01", "us") + days.astype("timedelta64[D]")
    return Corpus.from_texts(texts, times=times, labels=np.where(common, "wet", "dry").tolist())


def test_steps_grow_with_the_stream():
    start = np.datetime64("2000-01-01", "us")
    for n_days, expected in ((100, 1.0), (2000, 7.0), (9000, 365.25 / 12), (90_000, 365.25)):
        steps = steps_of(start + np.arange(0, n_days, max(n_days // 500, 1)).astype("timedelta64[D]"))
        assert steps.days == expected
        assert len(steps.totals) == len(steps.starts) == steps.of_document.max() + 1


def test_a_word_and_a_label_turn_on_the_day():
    corpus = stream()
    steps = steps_of(corpus.times)
    column = corpus.vocabulary.index(["flood"])
    for points in (list(word_turning_points(corpus, steps, column)), list(label_turning_points(corpus, steps))):
        assert points
        assert all(abs(np.datetime64(point.time[:10]) - np.datetime64("2020-02-20")) <= 1 for point in points)
        assert points[0].probability > 0.95


def test_dealt_days_do_not_turn():
    corpus = stream()
    steps = steps_of(corpus.times)
    weights = np.asarray(corpus.labels == list(corpus.label_names).index("wet"), dtype=float)
    order = np.random.default_rng(1).permutation(len(steps.totals))
    dealt = steps._replace(of_document=order[steps.of_document])
    assert turning_points(steps, weights, "label", "wet")
    assert not turning_points(dealt, weights, "label", "wet")


def test_the_volume_is_counted_by_week():
    rng = np.random.default_rng(2)
    counts = rng.poisson(np.repeat([5.0, 15.0], 100))
    times = np.datetime64("2020-01-01", "us") + np.repeat(np.arange(200), counts).astype("timedelta64[D]")
    points = volume_turning_points(times)
    assert len(points) == 1
    assert points[0].step_days == 7
    assert 4 < points[0].before < 6
    assert 13 < points[0].after < 17
    assert volume_turning_points(times[:20]) == []


def test_changes_are_withheld_if_the_order_of_steps_does_not_matter(monkeypatch):
    corpus = stream()
    steps, column = steps_of(corpus.times), corpus.vocabulary.index(["flood"])
    assert {point.of for point in confirmed(corpus, steps, column)} == {"label", "word"}
    fifty_times_as_many = "driftline.sequences.regimes.dispersions", lambda series: np.full(len(series.values), 0.02)
    monkeypatch.setattr(*fifty_times_as_many)  # with this, and without a bound, every day is a regime
    monkeypatch.setattr("driftline.sequences.regimes.MOST_EVIDENCE", np.inf)
    assert confirmed(corpus, steps, column) == []


def test_topics_turn_too():
    corpus = stream()
    steps = steps_of(corpus.times)
    wet = np.asarray(corpus.labels == list(corpus.label_names).index("wet"), dtype=float)
    found = confirmed(corpus, steps, np.empty(0, dtype=int), [("flood", wet), ("none", np.zeros(len(wet)))])
    assert [point.name for point in found if point.of == "topic"] == ["flood"]
