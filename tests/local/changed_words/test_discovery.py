"""Changed words are found, unchanged ones are not, and clumping does not deceive."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import driftline
from driftline.core.errors import InvalidInput, TimesAssumedWarning
from driftline.local.changed_words import discovery
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.exchange import FEWEST_FOR_LASTING

pytestmark = pytest.mark.filterwarnings("ignore:.*was given no times")


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


def test_words_whose_days_share_events_are_events_not_lasting_changes():
    X, _, day = _clumped(1, rho=0.02, changed=0, per_day=True)
    found = changed_words(X, times=day)
    assert (found.unit, found.n_units, found.enough_units) == ("time", len(np.unique(day)), True)
    assert found.lasting.mean() < 0.01
    assert found.event.mean() > 0.3
    deceived = changed_words(X, times=day + np.linspace(0, 0.5, len(day)), unit="document")
    assert deceived.lasting.sum() > 20 * max(found.lasting.sum(), 1)
    assert not deceived.event.any()
    assert not changed_words(X, times=day, events=False).event.any()


def test_near_duplicates_within_a_day_do_not_make_a_lasting_change():
    X, _, day = _clumped(9, changed=0, days=120)
    rng = np.random.default_rng(0)
    original = rng.permutation(X.shape[0])[:60]
    rows = np.concatenate([np.arange(X.shape[0]), np.repeat(original, 20)])
    found = changed_words(X[rows], times=day[rows])
    assert found.lasting.mean() < 0.01
    assert changed_words(X[rows], times=day[rows], unit="document").lasting.mean() > 0.1


def _beside_steady_words(seed, rates):
    """Counts of six steady words and of others with the given rates per document."""
    rates = np.column_stack([np.full((len(rates), 6), 20.0), rates])
    return np.random.default_rng(seed).poisson(rates)


def test_the_unit_with_the_most_uses_dates_an_event():
    day = np.repeat(np.arange(80), 20)
    counts = _beside_steady_words(0, 0.02 + 0.5 * (day == 33)[:, None])
    found = changed_words(counts, times=np.datetime64("2003-03-01") + day, vocabulary=[*"abcdef", "anzac"])
    assert (found.unit, found.n_units) == ("day", 80)
    assert found.words[found.event].tolist() == ["anzac"]
    assert found.event_time[6] == np.datetime64("2003-04-03")
    assert found.ranking("event").tolist() == found.ranking().tolist() == [6]
    assert found.event_q_value[6] < 0.05 < found.q_value[6]


def test_slow_and_quick_changes_are_distinguished():
    day = np.repeat(np.arange(140), 15)
    weekend, late = 3.0 * (day % 7 >= 5) + 0.3, 2.0 * (day > 70) + 0.3
    counts = _beside_steady_words(0, np.column_stack([weekend, late]))
    found = changed_words(counts, times=np.datetime64("2003-03-01") + day)
    assert found.lasting[6:].tolist() == [True, True]
    assert found.longer_than_a_week[6:].tolist() == [False, True]
    assert changed_words(counts, times=day).longer_than_a_week is None


@pytest.mark.parametrize(("n_days", "enough"), [(FEWEST_FOR_LASTING - 1, False), (FEWEST_FOR_LASTING, True)])
def test_below_fifty_units_nothing_is_called_lasting(n_days, enough):
    day = np.repeat(np.arange(n_days), 30)
    found = changed_words(
        _beside_steady_words(0, 0.1 + 0.4 * (day > 20)[:, None]), times=np.datetime64("2003-03-01") + day
    )
    assert found.enough_units == enough
    assert np.flatnonzero(found.lasting).tolist() == [6] * enough
    assert np.flatnonzero(found.event).tolist() == [6] * (not enough)
    assert found.ranking().tolist() == [6]


@pytest.mark.parametrize(("n_days", "unit"), [(1, "10min"), (2, "10min"), (3, "day"), (30, "day")])
def test_few_days_are_still_the_unit_but_one_or_two_are_cut(n_days, unit):
    times = np.datetime64("2003-03-01T00:00", "m") + np.arange(0, n_days * 24 * 60, 4)
    found = changed_words(np.ones((len(times), 3)), times=times)
    assert found.unit == unit


def test_other_units_of_exchange():
    X, t, day = _clumped(3, n_documents=600, n_words=80)
    thread = np.random.default_rng(0).integers(0, 90, 600).astype(str)
    found = changed_words(X, times=day, unit=thread)
    assert (found.unit, found.n_units) == ("group", 90)
    dates = np.datetime64("2003-03-01", "s") + (t * 86400 * 20).astype(int)
    assert changed_words(X, times=dates, unit="6h").unit == "6h"
    assert changed_words(X, times=dates, unit="document").n_units == 600


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
        ({"unit": "weeks"}, "unit= must be"),
        ({"unit": ["a", "b"]}, "3 documents but unit="),
        ({"false_discovery_rate": 1.5}, "between 0 and 1"),
        ({"times": [0, 1]}, "3 documents but 2 times"),
        ({"n_permutations": 0}, "n_permutations must be at least 1"),
        ({"vocabulary": ["the"]}, "the vocabulary has 1 words, but the counts have 2 columns"),
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
    first = [found.words[i] for i in found.ranking("lasting")[:8]]
    assert {"war", "sars", "baghdad", "iraq", "budget", "rain"} <= set(first), first
    events = {found.words[i]: found.event_time[i].astype("datetime64[D]") for i in found.ranking("event")[:8]}
    assert events["anzac"] == np.datetime64("2003-04-25")


def copied(rng, n_copies):
    """Forty documents per day of sixty words, one document of every fourth day `n_copies` times."""
    rows, days, texts = [], [], []
    for day in range(80):
        for number in range(40):
            row = rng.random(60) < 0.05
            n = n_copies if number == 0 and day % 4 == 0 else 1
            rows += [row] * n
            days += [day] * n
            texts += [40 * day + number] * n
    return sp.csr_array(np.array(rows, dtype=np.float64)), np.array(days), np.array(texts)


def test_copies_are_events_of_documents_and_none_of_texts():
    X, days, texts = copied(np.random.default_rng(0), 25)
    options = {"times": np.datetime64("2003-01-01") + days, "sizes": np.ones(len(days))}
    assert changed_words(X, **options).event.sum() > 20
    assert changed_words(X, texts=texts, **options).event.sum() == 0


def test_copies_counted_once_are_documents_counted_once():
    X, days, texts = copied(np.random.default_rng(1), 5)
    options = {"min_documents": 1, "n_permutations": 20}
    once = np.unique(texts, return_index=True)[1]
    times, ones = np.datetime64("2003-01-01") + days, np.ones(len(days))
    found = changed_words(X, times=times, sizes=ones, texts=texts, **options)
    alone = changed_words(X[once], times=times[once], sizes=ones[once], **options)
    assert np.allclose(found.event_q_value, alone.event_q_value)


def test_a_number_means_another_text_on_another_day():
    X, days, _ = copied(np.random.default_rng(2), 1)
    options = {"times": np.datetime64("2003-01-01") + days, "min_documents": 1, "n_permutations": 20}
    within = np.concatenate([np.arange(n) for n in np.bincount(days)])
    assert np.array_equal(
        changed_words(X, texts=within, **options).event_q_value, changed_words(X, **options).event_q_value
    )


@pytest.mark.parametrize("texts", [[0, 1], np.zeros((4, 2)), [0, 1, None, 2], [0, 1, np.nan, 2], list("abcd")])
def test_texts_of_another_number_are_refused(texts):
    with pytest.raises(InvalidInput, match="texts must be 4 numbers"):
        changed_words(np.ones((4, 2)), texts=texts)


def test_a_word_in_just_enough_documents_is_tested():
    X = np.zeros((60, 3))
    X[:, 0], X[::12, 1], X[::15, 2] = 4, 1, 1
    assert changed_words(sp.csr_matrix(X), min_documents=5, n_permutations=5).columns.tolist() == [0, 1]


def test_a_stream_of_two_days_says_nothing_about_weeks():
    rng = np.random.default_rng(0)
    minutes = np.sort(rng.integers(0, 2 * 24 * 60, 2000))
    rates = np.column_stack([np.full(2000, 20.0), np.where(minutes < 1440, 0.1, 1.0)])
    times = np.datetime64("2024-01-01T00:00") + minutes
    found = changed_words(rng.poisson(rates), times=times)
    assert found.lasting[1]
    assert found.longer_than_a_week is None


def weather() -> list[dict[str, str]]:
    """Five sentences of random words per day; one says snow, later sun."""
    rng = np.random.default_rng(4)
    others = [
        f"{first}{second}" for first in ("mar", "tol", "ver", "kin", "sal") for second in ("ket", "dor", "min", "ban")
    ]
    days = np.datetime64("2024-01-01") + np.arange(100)
    return [
        {
            "date": str(day),
            "text": " ".join([*rng.choice(others, 5), ["snow", "sun"][number >= 50] if place == 0 else ""]),
        }
        for number, day in enumerate(days)
        for place in range(5)
    ]


@pytest.fixture
def sources(tmp_path):
    import json

    import pandas as pd

    rows = weather()
    path = tmp_path / "weather.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    stream = driftline.read(rows)
    corpus = driftline.Corpus.from_stream(stream)
    return {"list": rows, "path": path, "frame": pd.DataFrame(rows), "stream": stream, "corpus": corpus}


@pytest.mark.parametrize("kind", ["list", "path", "frame", "stream", "corpus"])
def test_documents_are_counted_and_tested_from_whatever_has_them(sources, kind):
    found = changed_words(sources[kind])
    changed = {found.words[i] for i in found.ranking("lasting")}
    assert {"snow", "sun"} <= changed
    assert len(changed) <= 3
    assert found.unit == "day"


def test_documents_have_their_own_times_and_words(sources):
    with pytest.raises(InvalidInput, match="their own times and words"):
        changed_words(sources["corpus"], times=range(500))


def test_a_frame_of_numbers_is_counts():
    import pandas as pd

    rng = np.random.default_rng(0)
    counts = pd.DataFrame(rng.poisson(2.0, (60, 3)), columns=["a", "b", "c"])
    assert changed_words(counts, times=np.arange(60)).columns.tolist() == [0, 1, 2]


def test_counts_without_times_are_taken_in_order_with_a_warning():
    X = np.random.default_rng(1).poisson(2.0, (60, 3))
    with pytest.warns(TimesAssumedWarning, match="changed_words was given no times: .* evenly spaced; pass times="):
        found = changed_words(X)
    assert np.array_equal(found.p_value, changed_words(X, times=range(60)).p_value)


def test_a_word_needs_five_documents_unless_told_otherwise():
    counts = np.ones((60, 4))
    counts[:, 1] = np.arange(60) < 5
    counts[:, 2] = np.arange(60) < 4
    counts[:, 3] = 0
    times = np.datetime64("2003-03-01") + np.arange(60)
    assert changed_words(counts, times=times, events=False).columns.tolist() == [0, 1]
    assert changed_words(counts, times=times, events=False, min_documents=4).columns.tolist() == [0, 1, 2]
    assert changed_words(counts, times=times, events=False, min_documents=0).columns.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("kind", "times", "n"),
    [
        ("day", np.arange(15.0), 2),
        ("day", np.arange(14.0), None),
        ("day", np.arange(70.0), 10),
        ("day", np.append(np.arange(10.0), 100.0), 1),
        ("6h", np.arange(0, 70, 0.25), 10),
        ("day", np.array([0.0, 14.0]), 1),
        ("document", np.arange(70.0), None),
        ("time", np.arange(70.0), None),
        ("group", np.arange(70.0), None),
        ("day", np.empty(0), None),
    ],
)
def test_slow_cosines_have_periods_of_at_least_two_weeks(kind, times, n):
    assert discovery._n_slow_cosines(kind, times) == n


def test_documents_without_an_author_are_a_group_of_their_own():
    X = np.random.default_rng(0).poisson(2.0, (120, 3))
    authors = np.arange(120) % 40
    missing = np.where(authors == 0, None, authors.astype(str))
    given, wanted = (
        changed_words(X, times=range(120), groups={"author": names})
        for names in (missing.tolist(), np.where(authors == 0, "None", authors.astype(str)))
    )
    assert given.p_value.tolist() == wanted.p_value.tolist()
