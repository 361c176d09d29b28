import numpy as np
import pytest
import scipy.sparse as sp

from driftline.analysis.headlines.groups import Groups, coverage
from driftline.analysis.headlines.story_headlines import find_headlines
from driftline.analysis.items import Items

N_DAYS, A_DAY = 120, 20


def stream(rng, rate, author):
    """Return one word at a rate per document, and the documents' authors."""
    day = np.repeat(np.arange(N_DAYS), A_DAY)
    who = author(rng, day)
    has = rng.random(len(day)) < rate(day, who)
    times = np.datetime64("2020-01-01", "us") + day * np.timedelta64(1, "D")
    return Items(sp.csr_array(has[:, None].astype(float)), times, np.arange(len(day)), "documents"), who


def headlines(items, who, *, authors=True, **rules):
    names = tuple(f"a{i}" for i in range(who.max() + 1))
    groups = [Groups(who, names, "sender", authors=authors)]
    found = find_headlines(items, np.array([0]), ["word"], np.array([True]), groups=groups)
    return found.headlines


def mixed(rng, day):
    return rng.integers(0, 10, len(day))


def test_a_word_of_one_sender_is_composition_however_briefly_it_writes():
    def author(rng, day):
        return np.where((day > 80) & (rng.random(len(day)) < 0.15), 0, 1 + rng.integers(0, 2000, len(day)))

    items, who = stream(np.random.default_rng(0), lambda day, who: np.where(who == 0, 0.9, 0.002), author)
    found = headlines(items, who)
    assert not found.stories
    (composition,) = found.compositions
    assert (composition.group, composition.column) == ("a0", "sender")
    assert composition.share_of_word > 0.6
    assert composition.one_author


def test_a_word_that_all_take_up_is_a_story():
    items, who = stream(np.random.default_rng(1), lambda day, who: np.where(day > 80, 0.2, 0.02), mixed)
    assert [story.change.word for story in headlines(items, who).stories] == ["word"]


def test_one_author_alone_explains_nothing():
    def author(rng, day):
        return (rng.random(len(day)) < 0.1).astype(np.int64)  # one person writes nine tenths of everything

    items, who = stream(np.random.default_rng(2), lambda day, who: np.where(day > 80, 0.2, 0.02), author)
    assert headlines(items, who).stories


def test_new_accounts_are_distinguished_from_new_words():
    def author(rng, day):
        return np.where(
            (day > 80) & (rng.random(len(day)) < 0.5), rng.integers(5, 10, len(day)), rng.integers(0, 5, len(day))
        )

    items, who = stream(np.random.default_rng(3), lambda day, who: np.where(who >= 5, 0.3, 0.02), author)
    found = headlines(items, who)
    assert not found.stories
    assert found.compositions[0].within is not None
    assert found.compositions[0].within.ratio < 2


def test_coverage_is_that_of_each_group_on_its_own():
    rng = np.random.default_rng(4)
    times, codes = np.sort(rng.random(500)), rng.integers(-1, 6, 500)
    place = np.arange(500) / 500
    spans = [
        (codes == code).sum() * np.diff(np.quantile(place[codes == code], [0.05, 0.95]))[0] / 0.9 for code in range(6)
    ]
    expected = sum(spans) / (codes >= 0).sum()
    assert coverage(Groups(codes, "abcdef"), times, np.arange(500)) == pytest.approx(expected)
    assert coverage(Groups(np.full(500, -1), "a"), times, np.arange(500)) == 0
