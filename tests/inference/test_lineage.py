from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.topics import LDA, topic_lineage
from tests.topics.corpora import drawn


def model(*rows, words=None):
    rows = np.array(rows, dtype=np.float64)
    return SimpleNamespace(components_=rows / rows.sum(axis=1, keepdims=True), vocabulary=words)


def kinds(lineage):
    return sorted((event.kind, event.old, event.new) for event in lineage.events)


def test_reordered_topics_keep_their_ids():
    X, _ = drawn(300, 100, 4)
    old = LDA(4, random_state=0, doc_topic_prior=0.2).fit(X)
    order = np.array([2, 0, 3, 1])
    new = SimpleNamespace(components_=old.components_[order], vocabulary=None)
    lineage = topic_lineage(old, new)
    assert lineage.ids.tolist() == order.tolist()
    assert {event.kind for event in lineage.events} == {"kept"}


def test_split_and_merged():
    old = model([5, 5, 0, 0, 0, 0], [0, 0, 5, 5, 0, 0], [0, 0, 0, 0, 5, 5])
    new = model([5, 1, 0, 0, 0, 0], [1, 5, 0, 0, 0, 0], [0, 0, 5, 5, 5, 5])
    lineage = topic_lineage(old, new)
    found = kinds(lineage)
    assert ("split", (0,), tuple(sorted(lineage.ids[:2].tolist()))) in [(k, o, tuple(sorted(n))) for k, o, n in found]
    assert any(kind == "merged" and set(parents) == {1, 2} for kind, parents, _ in found)
    assert not lineage.of_kind("born")
    assert not lineage.of_kind("died")
    assert 0 in lineage.ids[:2]


def test_ids_are_never_used_twice():
    a = model([1, 0, 0, 0], [0, 1, 0, 0])
    b = model([1, 0, 0, 0], [0, 0, 1, 0])
    c = model([0, 0, 0, 1], [0, 1, 0, 0])
    first = topic_lineage(a, b)
    assert first.ids.tolist() == [0, 2]
    second = topic_lineage(b, c, previous=first)
    assert second.ids.tolist() == [3, 4], "topic 1 had died: what looks like it is new"
    assert kinds(second) == [("born", (), (3,)), ("born", (), (4,)), ("died", (0,), ()), ("died", (2,), ())]
    with pytest.raises(InvalidInput, match="previous"):
        topic_lineage(model([1.0]), model([1.0]), previous=first)


def test_words_are_matched_by_name_and_may_be_new():
    old = model([3, 1, 0], [0, 1, 3], words=["war", "iraq", "tax"])
    new = model([3, 1, 0, 0], [0, 0, 1, 3], words=["tax", "iraq", "war", "baghdad"])
    lineage = topic_lineage(old, new)
    assert lineage.ids[0] == 1
    assert lineage.overlap[0, 1] == pytest.approx(0.25)
    wider = topic_lineage(model([1, 1]), model([1, 1, 0.1]))
    assert wider.ids.tolist() == [0]
    with pytest.raises(InvalidInput, match="vocabulary"):
        topic_lineage(old, model([1, 1], words=["a"]))
    with pytest.raises(InvalidInput, match="linked"):
        topic_lineage(old, new, linked=0.9)


def test_refits_of_the_same_documents_are_mostly_kept():
    X, _ = drawn(800, 200, 5, 80)
    old = LDA(5, random_state=0, doc_topic_prior=0.2).fit(X[:400])
    new = LDA(5, random_state=1, doc_topic_prior=0.2).fit(X[400:])
    assert len(topic_lineage(old, new).of_kind("kept")) >= 4
