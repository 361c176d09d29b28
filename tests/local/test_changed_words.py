"""Changed words are found, unchanged ones are not, and clumping does not deceive."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.local.changed_words import changed_words


def _clumped(seed, n_documents=1500, n_words=400, rho=0.1, changed=40, days=None, per_day=False):
    """Documents whose words clump by `rho`; the first `changed` words rise, burst or swing."""
    rng = np.random.default_rng(seed)
    share = rng.permutation(1 / np.arange(20, n_words + 20))
    t = np.sort(rng.random(n_documents))
    rates = np.tile(share, (n_documents, 1))
    for w in range(changed):
        centre = rng.random()
        course = (0.2 + 1.6 * t, 1 + 8 * (np.abs(t - centre) < 0.05), 1 + 0.9 * np.sin(8 * np.pi * (t + centre)))[w % 3]
        rates[:, w] *= course
    day = np.floor(t * (days or 150))
    if per_day:
        rates *= rng.gamma(2.0, 0.5, (int(day.max()) + 1, n_words))[day.astype(int)]
    rates /= rates.sum(axis=1, keepdims=True)
    drawn = rng.gamma(rates * (1 / rho - 1) + 1e-12)
    drawn /= drawn.sum(axis=1, keepdims=True)
    lengths = rng.poisson(60, n_documents) + 5
    return sp.csr_matrix(rng.multinomial(lengths, drawn).astype(float)), t, day


def test_few_false_discoveries_among_clumped_words():
    false, found = 0, 0
    for seed in range(3):
        X, t, _ = _clumped(seed)
        result = changed_words(X, times=t)
        columns = result.columns[result.changed]
        false += int((columns >= 40).sum())
        found += len(columns)
    assert found > 15
    assert false / found < 0.15


def test_nothing_is_found_where_nothing_changed():
    X, t, _ = _clumped(7, changed=0)
    assert changed_words(X, times=t).changed.sum() <= 2


def test_days_that_share_events_are_noticed_and_permuted():
    X, _, day = _clumped(1, rho=0.02, changed=0, per_day=True)
    found = changed_words(X, times=day)
    assert found.permuted == "days"
    assert found.changed.mean() < 0.02
    deceived = changed_words(X, times=day, permute="documents")
    assert deceived.changed.sum() > 5 * max(found.changed.sum(), 1)
    independent, _, other_day = _clumped(2, changed=0)
    assert changed_words(independent, times=other_day).permuted == "documents"


def test_days_that_share_a_little_are_allowed_for():
    """Fewer than a hundred days are never permuted by themselves; their typical excess is noise all the same."""
    X, _, day = _clumped(8, rho=0.02, changed=0, per_day=True, days=80)
    allowed, deceived = (changed_words(X, times=day, permute=p) for p in ("auto", "documents"))
    assert allowed.permuted == "documents"
    assert allowed.changed.sum() < 0.4 * deceived.changed.sum()


def test_ranking_puts_the_most_informative_first():
    rng = np.random.default_rng(0)
    t = np.linspace(0, 1, 2000)
    rates = np.column_stack([np.full(2000, 300.0), 1.0 + 1.0 * t, 0.1 + 6.0 * (np.abs(t - 0.3) < 0.05)])
    found = changed_words(rng.poisson(rates), times=t, vocabulary=["the", "more", "burst"])
    assert [found.words[i] for i in found.ranking()][:2] == ["burst", "more"]
    assert (np.diff(found.information[found.ranking()]) <= 0).all()
    assert found.q_value[found.changed].max() <= 0.05
    assert found.n_uses[2] > found.n_documents[2] > 0


def test_the_order_of_documents_does_not_matter_nor_the_unit_of_time():
    X, t, _ = _clumped(4, n_documents=400, n_words=80)
    order = np.random.default_rng(0).permutation(400)
    first = changed_words(X, times=t)
    for times, rows in ((t[order], order), (1e6 * t - 3, slice(None))):
        again = changed_words(X[rows], times=times)
        np.testing.assert_allclose(again.p_value, first.p_value, rtol=1e-6)


def test_dates_and_minimum_of_documents():
    X, _, day = _clumped(5, n_documents=400, n_words=80)
    dates = np.datetime64("2003-02-01") + day.astype("timedelta64[D]")
    found = changed_words(X, times=dates, min_documents=100)
    in_documents = np.asarray((X > 0).sum(axis=0)).ravel()
    assert (found.columns == np.flatnonzero(in_documents >= 100)).all()
    assert found.words is None


@pytest.mark.parametrize(
    "X",
    [np.zeros((5, 3)), np.ones((1, 3)), np.ones((8, 3)), np.eye(3), np.ones((5, 1))],
    ids=["empty", "one", "alike", "few", "one word"],
)
def test_nothing_to_find_is_an_answer(X):
    found = changed_words(X, min_documents=1)
    assert not found.changed.any()
    assert np.isfinite(found.p_value).all()
    assert len(found.ranking()) == 0


def test_constant_times_do_not_change():
    X, _, _ = _clumped(6, n_documents=200, n_words=50)
    assert changed_words(X, times=np.zeros(200)).p_value.min() == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"permute": "weeks"}, "permute must be"),
        ({"false_discovery_rate": 1.5}, "between 0 and 1"),
        ({"times": [0, 1]}, "3 documents but 2 times"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        changed_words(np.ones((3, 2)), **arguments)
    with pytest.raises(InvalidInput, match="Negative"):
        changed_words(-np.ones((3, 2)))


@pytest.mark.data
def test_the_war_and_the_epidemic_of_spring_2003(real_data):
    import pyarrow.parquet as pq
    from sklearn.feature_extraction.text import CountVectorizer

    table = pq.read_table(real_data("abc_headlines_2003"))
    counter = CountVectorizer(stop_words="english", min_df=5)
    X = counter.fit_transform(table["text"].to_pylist())
    found = changed_words(X, times=table["time"], vocabulary=counter.get_feature_names_out())
    first = [found.words[i] for i in found.ranking()[:8]]
    assert {"war", "sars", "baghdad", "iraq", "budget", "anzac"} <= set(first), first
