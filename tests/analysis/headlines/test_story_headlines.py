from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.analysis.headlines import Groups, HeadlineRules, find_headlines
from driftline.analysis.items import Items
from driftline.local.changed_words.discovery import changed_words

WORDS = ["war", "iraq", "rain", "monday", "nhs", "signature", "anzac", "still"]


@pytest.fixture
def made():
    """120 days of 30 documents: a war of two words, a dry spell, an account that comes with a word, an event."""
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(120), 30)
    times = np.datetime64("2003-01-01", "us") + day * np.timedelta64(1, "D")
    account = np.where((day >= 60) & (rng.random(len(day)) < 0.5), 1, 0)
    author = rng.integers(0, 20, len(day))
    at_war = (day >= 40) & (day < 60)
    war = rng.random(len(day)) < np.where(at_war, 0.3, 0.03)
    draw = rng.random((len(day), 8))
    have = np.column_stack(
        [
            war,
            war & (draw[:, 1] < 0.8),
            draw[:, 2] < np.where((day >= 80) & (day < 100), 0.01, 0.2),
            draw[:, 3] < np.where(day < 30, 0.5, 0.02),
            (draw[:, 4] < 0.4) & (account == 1),
            (draw[:, 5] < 0.9) & (author == 7) & (day >= 60),
            draw[:, 6] < np.where(day == 77, 0.7, 0.003),
            draw[:, 7] < 0.1,
        ]
    )
    items = Items(sp.csr_array(have.astype(np.float64)), times, np.arange(len(day)), "documents")
    return (
        items,
        Groups(account, ["old", "new"], "account"),
        Groups(author, [f"p{i}" for i in range(20)], "author", True),
    )


def find(items, groups=(), unconfirmed=None, minor=(), **rules):
    least = np.zeros(8)
    least[3] = np.inf
    least[np.isin(WORDS, minor)] = 1.6
    lasting = np.array([True] * 6 + [False, True])
    return find_headlines(
        items,
        np.arange(8),
        WORDS,
        lasting,
        unconfirmed=unconfirmed,
        unconfirmed_by=None if unconfirmed is None else "author",
        groups=groups,
        least=least,
        rules=HeadlineRules(**rules),
    )


def reported(found):
    return {story.change.word: story for story in found.headlines.stories}


def test_words_of_one_story_are_reported_once(made):
    stories = reported(find(made[0]))
    assert stories["war"].others == ["iraq"]
    assert stories["war"].change.start[:10] == "2003-02-10"
    assert stories["war"].change.end[:10] == "2003-03-01"
    assert stories["war"].change.lower > 5
    assert "iraq" not in stories


def test_a_stop_word_leads_only_if_it_changed_much_more_than_the_others(made):
    assert reported(find(made[0], minor=["war"]))["iraq"].others == ["war"], "both changed alike"
    have = made[0].counts.tolil()
    with_both = np.flatnonzero(have[:, [1]].toarray()[:, 0])
    have[with_both[np.arange(len(with_both)) % 8 > 0], 1] = 0
    rare = made[0]._replace(counts=sp.csr_array(have))
    assert reported(find(rare, minor=["war"]))["war"].others == ["iraq"], "the other is in an eighth of the documents"


def test_what_may_come_with_authors_stands_later_and_is_marked(made):
    words = [story.change.word for story in find(made[0]).headlines.stories]
    assert words.index("war") < words.index("rain")
    doubtful = np.isin(WORDS, ["war", "iraq", "anzac"])  # the last is an event, which no author explains
    stories = find(made[0], unconfirmed=doubtful).headlines.stories
    later = [story.change.word for story in stories]
    assert sorted(later) == sorted(words)
    assert later[-1] == "war"
    assert [story.change.word for story in stories if story.change.with_groups == "author"] == ["war"]


def test_a_dip_is_reported_as_rarer(made):
    dip = reported(find(made[0]))["rain"].change
    assert dip.direction == "less"
    assert dip.n_inside < 0.02 * dip.n_documents


def test_an_event_is_reported_as_one(made):
    event = reported(find(made[0]))["anzac"].change
    assert event.kind == "event"
    assert event.start[:10] == event.end[:10] == "2003-03-19"


def test_words_that_must_not_be_headlines_are_none(made):
    stories = reported(find(made[0]))
    assert "monday" not in stories
    assert "still" not in stories


def test_a_new_account_is_composition(made):
    items, accounts, _ = made
    found = find(items, [accounts])
    (only,) = found.headlines.compositions
    assert (only.words, only.column, only.group) == (["nhs"], "account", "new")
    assert only.share_outside == 0
    assert "nhs" not in reported(found)
    assert "nhs" in reported(find(items, [accounts], min_within_ratio=0.0))
    assert "war" in reported(found)


def test_one_author_is_composition(made):
    items, _, authors = made
    (only,) = find(items, [authors]).headlines.compositions
    assert (only.words, only.group) == (["signature"], "p7")
    assert only.share_of_word == 1


def test_order_and_number(made):
    found = find(made[0], n_stories=2)
    assert len(found.headlines.stories) == 2
    assert found.headlines.n_words == 6
    assert sorted(found.order.tolist()) == list(range(8))
    assert [found.changes[place].headline for place in found.order[:6]] == [True] * 6


def test_an_event_must_hold_much_of_its_word(made):
    assert "anzac" not in reported(find(made[0], min_event_share=0.9))


def test_one_day_does_not_fill_the_page(made):
    items = made[0]
    on_day = (items.times == items.times.min() + np.timedelta64(77, "D")).astype(float)
    rng = np.random.default_rng(2)
    more = np.column_stack([on_day * (rng.random(len(on_day)) < 0.6) for _ in range(4)])
    busy = items._replace(counts=sp.csr_array(sp.hstack([items.counts, more])))
    words = [*WORDS, *"abcd"]
    lasting = np.arange(12) < 6

    def events(most):
        rules = HeadlineRules(most_events_at_once=most, min_similarity=2.0, n_stories=20)
        found = find_headlines(busy, np.arange(12), words, lasting, rules=rules)
        return sum(story.change.kind == "event" for story in found.headlines.stories)

    assert events(2) == 2
    assert events(9) == 5


def test_a_new_custom_does_not_fill_the_page(made):
    """Five unrelated words that all begin on about the same day, as names of modules in commit messages may."""
    items = made[0]
    day = ((items.times - items.times.min()) / np.timedelta64(1, "D")).astype(int)
    rng = np.random.default_rng(5)
    new = [(rng.random(len(day)) < np.where(day >= 70 + i % 3, 0.1, 0.004)).astype(float) for i in range(5)]
    custom = items._replace(counts=sp.csr_array(sp.hstack([items.counts, np.column_stack(new)])))
    words = [*WORDS, *"abcde"]

    def stories(most):
        rules = HeadlineRules(most_same_periods=most, min_similarity=2.0, n_stories=20)
        found = find_headlines(custom, np.arange(13), words, np.ones(13, dtype=bool), rules=rules)
        return {story.change.word for story in found.headlines.stories}

    assert len(stories(3) & set("abcde")) == 3
    assert set("abcde") <= stories(9)
    assert stories(9) - set("abcde") == stories(3) - set("abcde"), "others stay"


def test_nothing_passes_where_nothing_was_tested(made):
    found = find_headlines(made[0], np.empty(0, dtype=np.int64), [], np.empty(0, dtype=bool))
    assert found.headlines.stories == []
    assert len(found.order) == 0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_shuffled_days_leave_no_lasting_story(made, seed):
    items = made[0]
    deal = np.random.default_rng(seed).permutation(120)
    day = (items.times - items.times.min()).astype("timedelta64[D]").astype(int)
    dealt = items._replace(times=items.times.min() + deal[day] * np.timedelta64(1, "D"))
    tests = changed_words(dealt.counts, times=dealt.times, sizes=np.ones(len(day)))
    found = find_headlines(dealt, tests.columns, WORDS, tests.lasting)
    assert not any(story.change.kind == "lasting" for story in found.headlines.stories)
