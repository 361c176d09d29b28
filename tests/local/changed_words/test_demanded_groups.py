import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.local.changed_words.demanded_groups import frequent_columns, shifted
from driftline.local.changed_words.discovery import changed_words


def stream(rng, n_authors=60, *, stay):
    day = np.repeat(np.arange(150), 10)
    begin = np.linspace(0, 150, n_authors, endpoint=False)
    author = np.array([rng.choice(np.flatnonzero((d - begin) % 150 < stay)) for d in day])
    rates = np.where(author[:, None] % 30 == np.arange(30), 0.5, 0.03)
    counts = (rng.random(rates.shape) < rates).astype(float)
    times = np.datetime64("2020-01-01", "us") + day * np.timedelta64(1, "D")
    return counts, times, author


def found_with(counts, times, **groups):
    return changed_words(counts, times=times, sizes=np.ones(len(times)), groups=groups, events=False)


def test_authors_who_stay_a_while_are_demanded_and_what_comes_with_them_is_not_lasting():
    counts, times, author = stream(np.random.default_rng(0), stay=30)
    by_days = changed_words(counts, times=times, sizes=np.ones(len(times)), events=False)
    assert by_days.lasting.sum() >= 3
    found = found_with(counts, times, author=author)
    assert found.groups == "author"
    assert not found.lasting.any()
    np.testing.assert_array_equal(found.outlasting, by_days.lasting)
    np.testing.assert_array_equal(np.sort(found.ranking()), np.flatnonzero(by_days.lasting))


def test_what_all_authors_do_is_lasting():
    counts, times, author = stream(np.random.default_rng(0), stay=30)
    late = times > times[len(times) // 2]
    rates = np.where(late[:, None], [0.5], [0.1])
    everywhere = (np.random.default_rng(1).random(rates.shape) < rates).astype(float)
    found = found_with(np.hstack([counts, everywhere]), times, author=author)
    assert found.groups == "author"
    assert found.lasting[-1]
    assert found.ranking()[0] == 30


def test_the_first_groups_that_are_demanded_and_enough_are_taken():
    counts, times, author = stream(np.random.default_rng(0), stay=30)
    assert found_with(counts, times, author=author % 40, thread=author).groups == "thread"
    assert found_with(counts, times, thread=author, author=author).groups == "thread"


def test_authors_who_are_always_there_are_not_demanded():
    counts, times, author = stream(np.random.default_rng(1), stay=150)
    found = found_with(counts, times, author=author)
    assert found.groups is None
    assert found.with_groups is None


def test_groups_are_chosen_from_only_where_the_unit_is_left_open():
    counts, times, author = stream(np.random.default_rng(2), stay=30)
    with pytest.raises(InvalidInput, match="omit the unit"):
        changed_words(counts, times=times, unit="day", groups={"author": author})
    with pytest.raises(InvalidInput, match="'author' must be 1500 values"):
        found_with(counts, times, author=author[1:])


def test_groups_move_as_a_whole_and_days_keep_their_numbers():
    _, times, codes = stream(np.random.default_rng(3), stay=30)
    moved = shifted(times, codes, np.random.default_rng(4))
    np.testing.assert_array_equal(np.sort(moved), np.sort(times))
    assert (moved != times).mean() > 0.9
    for each in (times, moved):
        days = np.sort(np.unique(each[codes == 7].astype("datetime64[D]").astype(int)))
        away = np.max(np.diff(np.append(days, days[0] + 150)))
        assert away > 90  # the author's long absence is still one


def test_frequent_columns_are_counted_by_documents_that_have_the_word():
    dense = np.zeros((40, 4))
    dense[:20, 0] = dense[:21, 1] = dense[:10, 2] = 3  # half of the documents, more than half, a quarter
    counts = sp.csr_array(dense + 1.0)
    counts.data -= 1.0  # zeros are stored
    np.testing.assert_array_equal(frequent_columns(counts), [0, 2, 3])
