"""Topics that lose their words: recognised by the uses of the words, started again from the documents with them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.guidance import Guide
from driftline.inference.lda_online import OnlineLearner
from driftline.inference.online_variational import Revision
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts
from driftline.topics import LDA, guided_learning
from driftline.topics.lost_topics import WordsOfTopics, counts_without_prior, lost_topics, restart

WORDS = ["goal", "match", "team", "vote", "party", "law", "the"]
X = sp.csr_matrix(
    np.array([[2, 1, 1, 0, 0, 0, 2], [1, 2, 1, 0, 0, 0, 2], [0, 0, 0, 2, 1, 1, 2], [0, 0, 0, 1, 2, 1, 2]] * 10, float)
)
HELD = WordsOfTopics({0: np.array([0]), 1: np.array([3])}, (2,))
SEEDS = {0: np.array([20.0, 0.0, 0.0]), 3: np.array([0.0, 20.0, 0.0])}


def topics_where(of_goal, of_vote):
    """Return topics that have these shares of the uses of 'goal' and 'vote'; the first topic has nothing else."""
    said = np.asarray(X.sum(axis=0)).ravel()
    shares = np.array([of_goal, [0, 0.2, 0.8], [0, 0.2, 0.8], of_vote, [0, 0.9, 0.1], [0, 0.9, 0.1], [0.4, 0.3, 0.3]])
    return TopicCounts.starting(said[:, None] * shares, np.full(3, 0.5), 0.01, SEEDS)


@pytest.mark.parametrize(("share", "lost"), [(0.2, [0]), (0.3, [])])
def test_a_topic_is_lost_if_others_have_its_words(share, lost):
    topics = topics_where([share, 0.0, 1 - share], [0.0, 1.0, 0.0])
    assert lost_topics(topics, HELD) == lost
    assert lost_topics(topics, WordsOfTopics({}, (2,))) == []


def test_a_restart_keeps_the_uses_of_all_words_and_takes_those_around_its_own():
    topics = topics_where([0.1, 0.0, 0.9], [0.0, 1.0, 0.0])
    before = counts_without_prior(topics)
    restart(topics, Pairs.of(X), HELD, [0])
    after = counts_without_prior(topics)
    np.testing.assert_allclose(after.sum(axis=1), before.sum(axis=1), rtol=1e-5)
    said = before.sum(axis=1)
    assert after[0].tolist() == [said[0], 0.0, 0.0]  # all uses of "goal"
    assert (after[1:3, 0] > 0.4 * said[1:3]).all()  # "match" and "team" are used beside it
    assert (after[4:6, 0] == 0).all()  # "party" and "law" are not
    assert after[6, 0] < 0.1 * said[6]  # "the" is used everywhere
    np.testing.assert_allclose(after[3], before[3])
    np.testing.assert_allclose(topics.values[0, :3] - after[0], SEEDS[0], rtol=1e-5)


def forget(topics):
    """Give the uses of "goal" and "match" to the third topic."""
    counts = counts_without_prior(topics)
    topics.values[:2, 0] -= counts[:2, 0]
    topics.values[:2, 2] += counts[:2, 0]
    topics.settle()


GUIDE = Guide().topic("sport", ["goal", "match"]).topic("politics", ["vote", "party"])


def test_topics_that_are_lost_before_the_last_epochs_start_again_within_the_same_fit(monkeypatch):
    seen, learn, warm = [], guided_learning.learn_topics, OnlineLearner.warm

    def forgetful(topics, pairs, rng, settings, wishes):
        at, change = wishes.revision
        seen.append(at)
        revision = Revision(at, lambda topics: (forget(topics), change(topics))[1])
        return learn(topics, pairs, rng, settings, wishes._replace(revision=revision))

    monkeypatch.setattr(guided_learning, "learn_topics", forgetful)
    monkeypatch.setattr(OnlineLearner, "warm", lambda *all_: (seen.append("warm"), warm(*all_))[1])
    model = LDA(3, guide=GUIDE, vocabulary=WORDS, random_state=0, max_epochs=12, tolerance=0.0).fit(X)
    chunks = seen.count("warm") // 2
    assert seen == [10, *["warm"] * chunks * 2], "documents are computed again once, for the two epochs that are left"
    assert model.n_epochs_ == 12
    assert all(report.with_guide > 0.9 for report in model.guide_report_)
    assert model.components_[0, 2] > model.components_[1, 2]  # "team" has followed its words


@pytest.mark.parametrize("options", [{"n_partitions": 2}, {"tolerance": 0.9}, {"inference": "vb"}])
def test_topics_that_are_lost_at_the_end_start_again_and_two_epochs_follow(monkeypatch, options):
    calls, learn = [], guided_learning.learn_topics

    def forgetful(topics, pairs, rng, settings, wishes):
        report = learn(topics, pairs, rng, settings, wishes)
        if not calls:
            forget(topics)
        calls.append((settings.max_epochs, report.n_epochs))
        return report

    monkeypatch.setattr(guided_learning, "learn_topics", forgetful)
    model = LDA(3, guide=GUIDE, vocabulary=WORDS, random_state=0, **{"max_epochs": 12, "tolerance": 0.0, **options})
    model.fit(X)
    assert [most for most, _ in calls] == [12, 2], "two epochs follow"
    assert model.n_epochs_ == sum(done for _, done in calls)
    assert all(report.with_guide > 0.9 for report in model.guide_report_)


def test_a_fit_that_holds_its_words_and_a_refit_learn_once(monkeypatch):
    calls, learn = [], guided_learning.learn_topics
    monkeypatch.setattr(guided_learning, "learn_topics", lambda *all_: (calls.append(1), learn(*all_))[1])
    guide = Guide().topic("sport", ["goal", "match"]).topic("politics", ["vote", "party"])
    model = LDA(3, guide=guide, vocabulary=WORDS, random_state=0).fit(X)
    model.refit(X, guide=guide.topic("law", ["law"]))
    assert len(calls) == 2
