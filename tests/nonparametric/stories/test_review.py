from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.stories import joined_exactly

from driftline import StoryStream
from driftline.nonparametric.stories.review import Rules, Samples
from driftline.nonparametric.stories.window import N_CANDIDATES, Window


def mixture(seed, n, shares):
    """Documents of 12 words; `shares` returns the probabilities and word shares of the sources at each time."""
    rng = np.random.default_rng(seed)
    sources = [shares(t) for t in range(n)]
    return np.array([rng.multinomial(12, each[rng.integers(len(each))]) for each in sources]).astype(float)


ONE, OTHER = np.repeat([1 / 20, 0.0], 20), np.repeat([0.0, 1 / 20], 20)
BOTH = (ONE + OTHER) / 2


@pytest.mark.parametrize("seed", range(4))
def test_joined_is_the_share_over_all_ways_to_draw_the_links(seed):
    rng = np.random.default_rng(seed)
    n = 7
    times = np.cumsum(rng.exponential(1.0, n))
    window = Window.of(np.arange(n + 1), np.zeros(n, np.int32), np.ones(n), np.ones(n), times, 0)
    for d in range(1, n):
        k = min(d, 2)
        window.targets[d, :k] = rng.permutation(d)[:k]
        window.links[d, :k] = rng.dirichlet(np.ones(k + 1))[:k]
    sides = np.array([0, 1, 0, 1, -1, 0, 1])
    rules = Rules(20_000, 2, 0.9, 3.0, 100, 0.0, 1.0)
    samples = Samples(window, 0, n, rules, np.random.default_rng(1))
    exact = joined_exactly(window.targets, window.links, sides, times, 3.0, samples.recent, 2)
    assert samples.joined(np.flatnonzero(sides == 0), np.flatnonzero(sides == 1)) == pytest.approx(exact, abs=0.02)
    assert 0.02 < exact < 0.98


def test_links_to_expired_documents_are_conditioned_away():
    window = Window.of(np.arange(4), np.zeros(3, np.int32), np.ones(3), np.ones(3), np.arange(3.0), 0)
    window.targets[2, :2], window.links[2, :2] = [0, 1], [0.5, 0.3]
    samples = Samples(window, 1, 3, Rules(10, 2, 0.9, 1.0, 100, 0.0, 1.0), np.random.default_rng(0))
    assert samples.links[1].tolist() == pytest.approx([0.0, 0.6, *[0.0] * (N_CANDIDATES - 2)])


@pytest.mark.parametrize("seed", range(3))
def test_a_story_whose_words_diverge_is_split(seed):
    X = mixture(seed, 400, lambda t: [BOTH] if t < 200 else [ONE, OTHER])
    model = StoryStream(memory=60, random_state=0).fit(X, times=np.arange(400) / 2)
    splits = [event for event in model.events_ if event.kind == "split"]
    assert len(splits) == 1
    assert 100 < splits[0].time <= 200
    assert splits[0].probability >= 0.9
    sources = X[360:, :20].sum(axis=1) > 6
    labels = model.labels_[360:]
    assert len(set(labels[sources])) == len(set(labels[~sources])) == 1
    assert set(labels[sources]) | set(labels[~sources]) == {splits[0].story, splits[0].other}
    by_id = {story.id: story for story in model.stories_}
    assert by_id[splits[0].other].parents == [splits[0].story]
    assert by_id[splits[0].story].children == [splits[0].other]
    counts = np.bincount(model.labels_)
    assert all(counts[story.id] == story.size for story in model.stories_ if story.state != "merged")


def test_stories_whose_documents_mix_are_merged_into_the_older_one():
    X = mixture(1, 600, lambda t: [ONE, OTHER] if t < 200 else [BOTH])
    model = StoryStream(memory=120, random_state=0).fit(X, times=np.arange(600) / 2)
    merged = [event for event in model.events_ if event.kind == "merged"]
    assert len(merged) == 1
    assert merged[0].story < merged[0].other
    assert merged[0].time > 100
    by_id = {story.id: story for story in model.stories_}
    assert by_id[merged[0].other].state == "merged"
    assert by_id[merged[0].other].children == [merged[0].story]
    assert merged[0].other not in model.labels_
    assert model.resolve([merged[0].other]).tolist() == [merged[0].story]
    assert by_id[merged[0].story].size == (model.labels_ == merged[0].story).sum()


def test_a_story_that_returns_after_the_memory_is_revived():
    X = mixture(0, 80, lambda t: [ONE] if t < 30 or t >= 50 else [OTHER])
    model = StoryStream(memory=10, random_state=0).fit(X, times=np.arange(80) / 2)
    revived = [event for event in model.events_ if event.kind == "revived"]
    assert len(revived) == 1
    assert revived[0].story in model.labels_[:30]
    assert revived[0].other in model.labels_[50:]
    assert revived[0].probability >= 0.9
    by_id = {story.id: story for story in model.stories_}
    assert (by_id[revived[0].story].state, by_id[revived[0].other].parents) == ("ended", [revived[0].story])
