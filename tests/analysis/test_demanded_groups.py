import numpy as np
import pyarrow as pa

from driftline.analysis.demanded_groups import demanded_groups, shifted
from driftline.analysis.items import Items


def documents(author, thread=None):
    return pa.table(
        {"author": pa.array(author, pa.string()), "thread": pa.array(thread or [None] * len(author), pa.string())}
    )


def stream(rng, n_authors=60, *, stay):
    day = np.repeat(np.arange(150), 10)
    begin = np.linspace(0, 150, n_authors, endpoint=False)
    author = np.array([rng.choice(np.flatnonzero((d - begin) % 150 < stay)) for d in day])
    rates = np.where(author[:, None] % 30 == np.arange(30), 0.5, 0.03)
    counts = (rng.random(rates.shape) < rates).astype(float)
    times = np.datetime64("2020-01-01", "us") + day * np.timedelta64(1, "D")
    return Items(counts, times, np.arange(len(day)), "documents"), [f"a{i}" for i in author]


def test_authors_who_stay_a_while_are_demanded():
    items, author = stream(np.random.default_rng(0), stay=30)
    column, codes = demanded_groups(items, documents(author))
    assert column == "author"
    assert len(np.unique(codes)) == 60


def test_threads_are_looked_at_where_authors_are_unknown():
    items, author = stream(np.random.default_rng(0), stay=30)
    assert demanded_groups(items, documents([None] * len(author), author))[0] == "thread"


def test_authors_who_are_always_there_are_not_demanded():
    items, author = stream(np.random.default_rng(1), stay=150)
    assert demanded_groups(items, documents(author)) is None


def test_without_authors_days_will_do():
    items, author = stream(np.random.default_rng(2), stay=30)
    assert demanded_groups(items, documents([None] * len(author))) is None


def test_groups_move_as_a_whole_and_days_keep_their_numbers():
    items, author = stream(np.random.default_rng(3), stay=30)
    codes = np.unique(author, return_inverse=True)[1]
    moved = shifted(items.times, codes, np.random.default_rng(4))
    np.testing.assert_array_equal(np.sort(moved), np.sort(items.times))
    assert (moved != items.times).mean() > 0.9
    for times in (items.times, moved):
        days = np.sort(np.unique(times[codes == 7].astype("datetime64[D]").astype(int)))
        away = np.max(np.diff(np.append(days, days[0] + 150)))
        assert away > 90  # the author's long absence is still one
