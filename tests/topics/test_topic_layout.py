from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon, pdist, squareform

from driftline.core.errors import InvalidInput
from driftline.topics import topic_distances, topic_places, topic_tree
from tests.oracles import topic_layout as oracle


def topics_of(seed, n_topics=7, n_words=12):
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_words, 0.3), n_topics)
    topics[topics < 0.01] = 0.0
    return topics / topics.sum(axis=1, keepdims=True), rng.dirichlet(np.ones(n_topics))


@pytest.mark.parametrize("seed", range(5))
def test_distances_equal_their_definition(seed):
    topics, _ = topics_of(seed)
    found = topic_distances(3.0 * topics)
    slow = np.array([[oracle.distance(p, q) for q in topics] for p in topics])
    np.testing.assert_allclose(found, slow, atol=1e-7)
    peer = np.array([[jensenshannon(p, q, base=2) for q in topics] for p in topics])
    np.testing.assert_allclose(found, peer, atol=1e-7)
    assert (np.diag(found) == 0).all()


def test_topics_without_a_common_word_are_at_distance_one():
    assert topic_distances(np.eye(3)).tolist() == (1 - np.eye(3)).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_tree_equals_exhaustive_search(seed):
    topics, shares = topics_of(seed)
    found = topic_tree(topics, shares)
    merges, lost = oracle.tree(topics, shares)
    assert found.merges.tolist() == merges
    np.testing.assert_allclose(found.lost, lost, atol=1e-12)


def test_all_mergers_together_lose_all_information_about_the_topics():
    topics, shares = topics_of(11)
    union = shares @ topics
    information = sum(share * oracle.divergence(topic, union) for topic, share in zip(topics, shares))
    assert topic_tree(topics, shares).lost[-1] == pytest.approx(information)


def test_cut_gives_nested_groups():
    topics, shares = topics_of(3)
    tree = topic_tree(topics, shares)
    assert tree.cut(7).tolist() == list(range(7))
    assert tree.cut(1).tolist() == [0] * 7
    for n in range(1, 7):
        coarse, fine = tree.cut(n), tree.cut(n + 1)
        assert len(set(coarse.tolist())) == n
        assert all(len(set(coarse[fine == group].tolist())) == 1 for group in range(n + 1))
    with pytest.raises(InvalidInput, match="1 to 7 groups, not 8"):
        tree.cut(8)


@pytest.mark.parametrize("seed", range(5))
def test_positions_in_a_plane_are_recovered(seed):
    points = np.random.default_rng(seed).normal(size=(9, 2))
    places = topic_places(squareform(pdist(points)))
    np.testing.assert_allclose(pdist(places.xy), pdist(points), atol=1e-9)
    assert places.shown == pytest.approx(1.0)
    strongest = np.abs(places.xy).argmax(axis=0)
    assert (places.xy[strongest, [0, 1]] > 0).all()


def test_what_a_plane_cannot_show_is_reported():
    places = topic_places(1.0 - np.eye(4))  # a tetrahedron: three equal axes
    assert places.shown == pytest.approx(2 / 3)


@pytest.mark.parametrize("n_topics", [1, 2])
def test_one_and_two_topics(n_topics):
    topics = np.eye(3)[:n_topics]
    places = topic_places(topic_distances(topics))
    assert places.xy.shape == (n_topics, 2)
    assert np.ptp(places.xy[:, 0]) == pytest.approx(n_topics - 1.0)
    assert len(topic_tree(topics, np.ones(n_topics)).merges) == n_topics - 1


def test_a_topic_without_share_and_identical_topics():
    tree = topic_tree(np.array([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]), [0.5, 0.5, 0.0])
    np.testing.assert_allclose(tree.lost, 0.0, atol=1e-12)
    places = topic_places(np.zeros((3, 3)))
    assert not places.xy.any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: topic_distances([[0.0, 0.0]]), "topic 0 has no words"),
        (lambda: topic_distances([[np.nan, 1.0]]), "finite values"),
        (lambda: topic_distances(np.zeros((0, 3))), "at least one topic"),
        (lambda: topic_places([[0.0, 1.0]]), "square matrix"),
        (lambda: topic_places([[0.0, 1.0], [2.0, 0.0]]), "the same in both directions"),
        (lambda: topic_tree(np.eye(2), [1.0]), "2 numbers of at least 0"),
        (lambda: topic_tree(np.eye(2), [0.0, 0.0]), "not all 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
