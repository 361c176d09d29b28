import numpy as np
import pytest

from driftline.streams.unusual_dates import unusual_dates

NOW = np.datetime64("2024-06-01")


def ordinary(seed=0, n=2000, days=120):
    rng = np.random.default_rng(seed)
    seconds = np.sort(rng.integers(0, days * 86400, n))
    return np.datetime64("2003-02-19T00:00:00", "us") + seconds.astype("timedelta64[s]")


def found(times, **options):
    unusual = unusual_dates(times, now=NOW, **options)
    return {name: int(mask.sum()) for name, mask in unusual._asdict().items() if mask.any()}


@pytest.mark.parametrize("n", [0, 1, 4, 5, 30, 200, 2000])
@pytest.mark.parametrize("seed", range(5))
def test_ordinary_streams_lose_nothing(n, seed):
    assert found(ordinary(seed, n)) == {}


@pytest.mark.parametrize("n", [30, 200, 2000])
@pytest.mark.parametrize(
    ("date", "kind"),
    [("1900-01-01", "early"), ("1970-01-01", "early"), ("2099-01-01", "future"), ("2010-01-01", "late")],
)
def test_a_planted_date_is_found_and_nothing_else(n, date, kind):
    times = np.append(ordinary(n=n), np.datetime64(date, "us"))
    unusual = unusual_dates(times, now=NOW)
    assert found(times) == {kind: 1}
    assert getattr(unusual, kind)[-1]


def test_many_strays_are_not_strays():
    old = np.datetime64("1990-01-01", "us") + np.arange(100).astype("timedelta64[D]")
    assert found(np.concatenate([old, ordinary()])) == {}
    assert found(np.concatenate([old[:20], ordinary()])) == {"early": 20}


def test_a_thin_trickle_at_the_edge_is_cut():
    trickle = np.datetime64("2003-06-20", "us") + np.arange(0, 60, 6).astype("timedelta64[D]")
    assert found(np.concatenate([ordinary(), trickle]))["late"] >= 8


def test_an_import_is_one_instant_with_far_too_many():
    instant = np.datetime64("2003-04-01T23:02:00", "us")
    assert found(np.concatenate([ordinary(), np.repeat(instant, 800)])) == {"imported": 800}
    assert found(np.concatenate([ordinary(), np.repeat(instant, 20)])) == {}, "a few may share an instant"
    assert found(np.concatenate([ordinary(), np.repeat(instant, 2100)])) == {}, "most share it: so it is dated"


def test_days_without_times_of_day_are_not_imports():
    days = ordinary().astype("datetime64[D]").astype("datetime64[us]")
    assert found(days) == {}
    half = np.concatenate([ordinary(1), days])
    assert found(half) == {}


def test_an_import_in_1970_does_not_widen_the_core():
    times = np.concatenate(
        [np.repeat(np.datetime64("1970-01-01", "us"), 900), ordinary(), [np.datetime64("1980-01-01")]]
    )
    assert found(times) == {"imported": 900, "early": 1}


def test_a_stream_in_the_future_is_not_set_aside():
    assert found(ordinary() + np.timedelta64(40 * 365, "D")) == {}
    tomorrow = NOW.astype("datetime64[us]") + np.timedelta64(5, "h")
    recent = tomorrow - np.arange(1000).astype("timedelta64[h]")
    assert found(recent) == {}, "clocks and zones differ by hours"


def test_equal_times_and_numbers():
    assert found(np.repeat(np.datetime64("2003-01-01"), 50)) == {}
    numbers = np.append(np.arange(500.0), [-40000.0, 1e6])
    assert found(numbers) == {"early": 1, "late": 1}
