from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp

from driftline.analysis.group_differences import (
    OTHERS,
    NamedTopics,
    comparable_groups,
    compared_codes,
    compared_groups,
    describe_differences,
    too_few_units,
)
from driftline.streams.document_groups import DocumentGroups
from driftline.streams.units import units_of


class Known(SimpleNamespace):
    """A model of known topics, whose documents have the shares of the context-free likelihood."""

    def transform(self, X):
        joint = np.asarray(X @ np.log(self.components_ + 1e-3).T)
        found = np.exp(joint - joint.max(axis=1, keepdims=True))
        return found / found.sum(axis=1, keepdims=True)


def sample(n=600, seed=0, differ=True):
    """Two topics of ten words; the second group has more of the first topic, and word 0 twice as often within it."""
    rng = np.random.default_rng(seed)
    topics = np.kron(np.eye(2), np.full(10, 0.1))
    own = topics.copy()
    if differ:
        own[0, :2] = [0.19, 0.01]
    codes = np.arange(n) % 2
    share = np.where(codes & differ, 0.7, 0.3)
    counts = [rng.multinomial(12, [s, 1 - s] @ (own if c else topics)) for s, c in zip(share, codes)]
    X = sp.csr_matrix(np.array(counts, dtype=float))
    return (
        X,
        NamedTopics(
            Known(components_=topics, vocabulary=[f"w{i}" for i in range(20)]),
            X,
            ["first", "second"],
            [["w0"], ["w10"]],
        ),
        codes,
    )


def described(X, topics, groups, words=None, **options):
    words = [f"w{i}" for i in range(X.shape[1])] if words is None else words
    units = units_of(np.arange(X.shape[0]) // 10 * 1.0)
    return describe_differences(X, words, units, groups, kind="brand", topics=topics, **options)


def test_topics_words_and_words_within_topics_that_differ_are_found():
    X, topics, codes = sample()
    found = described(X, topics, DocumentGroups(codes, ("b", "a"), "label"), within=True)
    assert {each.group for each in found.topics} == {"b"}
    first = next(each for each in found.topics if each.topic == "first")
    assert first.low < first.difference < first.high < 0
    assert found.words[0].word in ("w0", "w1", "w10")
    within = {each.word: each for each in found.within_topics if each.topic == "first"}
    assert within["w0"].ratio < 1 < within["w1"].ratio, "b has word 1 more often in the first topic"
    assert within["w1"].low > 1
    assert within["w1"].share > within["w1"].share_elsewhere
    assert [each.name for each in compared_groups(found)] == ["b"]


def test_numbers_days_and_months_come_last():
    X, topics, codes = sample()
    names = ["2003", "montag", *(f"w{i}" for i in range(2, 20))]
    topics.model.vocabulary = names
    groups = DocumentGroups(codes, ("b", "a"), "label")
    found = described(X, topics, groups, names, within=True, languages=("de",), n_words=30)
    for listed in (found.words, found.within_topics):
        words = [each.word for each in listed]
        assert len(words) > 2 or listed is found.within_topics
        assert set(words[-2:]) == {"2003", "montag"}
    other = described(X, topics, groups, names, n_words=30)
    assert [each.word for each in other.words][-1] == "2003", "the language is not known"


def test_groups_dealt_at_random_rarely_differ():
    alarms = 0
    for seed in range(10):
        X, topics, codes = sample(300, seed, differ=False)
        found = described(X, topics, DocumentGroups(codes, ("b", "a"), "label"), within=True)
        alarms += bool(found.topics or found.words or found.within_topics)
    assert alarms <= 2


def test_groups_of_few_units_have_no_difference():
    X, topics, codes = sample()
    groups = DocumentGroups((np.arange(600) >= 300).astype(np.int64), ("b", "a"), "label")
    order = np.argsort(codes, kind="stable")
    topics = topics._replace(counts=X[order])
    words = [f"w{i}" for i in range(X.shape[1])]
    units = units_of(np.arange(600) // 100 * 1.0)
    found = describe_differences(X[order], words, units, groups, kind="brand", topics=topics, within=True)
    assert [*found.topics, *found.words, *found.within_topics] == []
    assert [each.n_units for each in found.groups] == [3, 3]
    assert [each.name for each in too_few_units(found)] == ["b"]
    finer = units_of(np.arange(600) // 10 * 1.0)
    assert describe_differences(X[order], words, finer, groups, kind="brand", topics=topics).topics


def test_small_groups_are_among_all_others():
    codes = np.repeat([0, 1, 2, 3, -1], [50, 40, 60, 5, 7])
    groups = comparable_groups(DocumentGroups(codes, ("a", "b", "c", "rare"), "label"))
    assert groups.names == ("c", "a", "b", OTHERS)
    assert np.bincount(groups.codes[groups.codes >= 0]).tolist() == [60, 50, 40, 5]
    assert (groups.codes == -1).sum() == 7
    assert compared_codes(groups) == [0, 1, 2]


def test_of_two_large_groups_the_rest_is_left_out_and_one_is_not_enough():
    codes = np.repeat([0, 1, 2], [50, 40, 5])
    groups = comparable_groups(DocumentGroups(codes, ("a", "b", "rare"), "label"))
    assert groups.names == ("a", "b")
    assert (groups.codes == -1).sum() == 5
    assert comparable_groups(DocumentGroups(np.repeat([0, 1], [50, 5]), ("a", "b"), "label")) is None
