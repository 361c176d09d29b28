"""A refit of topics with known themes: persisting topics keep their ids, and other topics do not inherit them."""

from itertools import count

import numpy as np
import pytest

from driftline.inference.pairs import Pairs
from driftline.service.learning.learner import Learner, counts_matrix
from driftline.service.refit_child import fit_again

COMMON = [f"common{k}" for k in range(20)]
FREQUENCIES = np.arange(1, 41) ** -1.5
"""Frequencies of the words of a theme: `Generator.zipf` draws other numbers in NumPy 2.0 than in later versions."""
once = count()


def story(theme: str, rng: np.random.Generator, n_once: int = 0) -> str:
    words = [f"{theme}{k}" for k in rng.choice(40, 8, p=FREQUENCIES / FREQUENCIES.sum())] + rng.choice(
        COMMON, 4
    ).tolist()
    return " ".join(words + [f"once{next(once)}" for _ in range(n_once)])


def stories(themes: str, n: int, seed: int, n_once: int = 0) -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(seed)
    found = rng.choice(list(themes), n)
    return [story(theme, rng, n_once) for theme in found], found


def learner_of(texts: list[str], n_topics: int) -> Learner:
    learner = Learner(n_topics)
    for start in range(0, len(texts), 250):
        part = texts[start : start + 250]
        learner.learn(part, np.full(len(part), start * 1_000_000))
    return learner


def themes_of(learner: Learner, themes: str) -> dict[int, str]:
    """Return the theme of the topics that clearly have one, by id."""
    copy = Learner.of_bytes(learner.to_bytes())
    texts, truth = stories(themes, 800, 99)
    n_words = copy.words.n_slots
    X = counts_matrix(copy.words.count(texts).pairs, copy.words.n_slots)[:, :n_words].tocsr()
    main = copy.ids[copy.topics.learn(Pairs.of(X), n_words).shares.argmax(axis=1)]
    found = {}
    for topic in copy.ids.tolist():
        names, counts = np.unique(truth[main == topic], return_counts=True)
        if counts.sum() >= 10 and counts.max() >= 0.8 * counts.sum():
            found[topic] = str(names[counts.argmax()])
    return found


@pytest.mark.parametrize("n_topics", [4, 10])
@pytest.mark.parametrize("n_once", [0, 10])
def test_topics_whose_theme_persists_keep_their_ids(n_topics, n_once):
    texts, _ = stories("abcd", 3000, 1, n_once)
    learner = learner_of(texts, n_topics)
    before = themes_of(learner, "abcd")
    assert set(before.values()) == set("abcd")
    fit_again(learner, [texts], seed=1)
    after = themes_of(learner, "abcd")
    assert {topic: after.get(topic) for topic in before} == before


def test_topics_of_other_news_do_not_inherit_ids():
    learner = learner_of(stories("abcd", 2000, 1)[0], 4)
    before = themes_of(learner, "abcd")
    fit_again(learner, [stories("abxy", 3000, 2)[0]], seed=1)
    after = themes_of(learner, "abxy")
    lasting = {topic for topic, theme in before.items() if theme in "ab"}
    assert len(lasting) == 2
    assert {topic: after.get(topic) for topic in lasting} == {t: before[t] for t in lasting}
    assert set(learner.ids.tolist()) & set(before) == lasting
    assert {theme for topic, theme in after.items() if topic >= 4} == {"x", "y"}
    assert learner.next_id == 6
