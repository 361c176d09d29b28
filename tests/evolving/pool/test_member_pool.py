import numpy as np
import pytest
from tests.evolving.made_streams import drifting_frames

from driftline.core.errors import ModelFileError
from driftline.evolving.frames.frame_data import FrameData, class_probabilities
from driftline.evolving.frames.neighbour_graph import cosine_neighbours, laplacian, neighbour_graph
from driftline.evolving.frames.tfidf import unit_length
from driftline.evolving.pool.member_pool import FORGETTING, TRUST, Pool
from driftline.evolving.pool.propagation import Propagation
from driftline.evolving.pool.smoothed_logistic import SmoothedLogistic


def learned(frames, n_classes=2, k=10, **options):
    pool = Pool(**options).begin(frames[0].X.shape[1])
    pool.grow_classes(np.zeros(0, dtype=np.int64), n_classes)
    for number, made in enumerate(frames):
        learn(pool, made, number, n_classes, k)
    return pool


def learn(pool, made, number, n_classes=2, k=10):
    pool.begin_frame(number)
    features = unit_length(made.X)
    frame = FrameData(features, cosine_neighbours(features, k), made.labels, n_classes, made.X.shape[0], number)
    pool.learn(frame, np.flatnonzero(made.labels >= 0))


def test_members_are_regressions_on_smoothed_rows():
    made = drifting_frames(1)[0]
    pool = learned([made], smoothing=(0.0, 0.6), ridge=(0.1, 0.1), k=5)
    X, known = unit_length(made.X), np.flatnonzero(made.labels >= 0)
    graph = neighbour_graph(X, 5, weights="cosine_squared")
    for member, strength in zip(pool.members_, (0.0, 0.6)):
        alone = SmoothedLogistic(smoothing=strength, ridge=0.1).begin(X.shape[1])
        alone.grow_classes(np.zeros(0, dtype=np.int64), 2)
        alone.learn(Propagation(graph, strength).rows(known) @ X, made.labels[known], 0, 2)
        np.testing.assert_allclose(member.weights_, alone.weights_, atol=1e-9)


def test_shares_follow_the_discounted_losses():
    frames = drifting_frames(3)
    pool = learned(frames[:1])
    total = np.zeros(3)
    # Before anything is learned every member says ½.
    total += np.log(2) * (frames[0].labels >= 0).sum()
    np.testing.assert_allclose(pool.losses_, total)
    for number, made in enumerate(frames[1:], start=1):
        X, known = unit_length(made.X), np.flatnonzero(made.labels >= 0)
        graph = neighbour_graph(X, 10, weights="cosine_squared")
        said = []
        for member in pool.members_:
            rows = Propagation(graph, member.smoothing).rows(known) @ X
            own = class_probabilities(member.scores(rows), 2)[np.arange(len(known)), made.labels[known]]
            said.append(-np.log(own).sum())
        total = FORGETTING * total + said
        learn(pool, made, number)
        np.testing.assert_allclose(pool.losses_, total, rtol=1e-9)
        relative = np.exp(-TRUST * total)
        np.testing.assert_allclose(pool.shares, relative / relative.sum(), rtol=1e-9)


def test_a_graph_that_misleads_does_not_order_the_documents():
    helped = learned(drifting_frames(6, n=100, n_words=200, own=0.4, drift=15, n_labelled=10))
    frames = drifting_frames(6, n_labelled=16)
    rng = np.random.default_rng(0)
    # Two words decide the class, and twenty others, which the graph sees, say nothing of it.
    misleading = []
    for made in frames:
        X = np.zeros((40, 60))
        X[np.arange(40), made.truth] = 1.0
        X[np.arange(40), 2 + rng.integers(0, 4, 40)] = 6.0
        misleading.append(made._replace(X=type(made.X)(X)))
    misled = learned(misleading)
    assert misled.evidence_.trust.weight < 0.5 < helped.evidence_.trust.weight
    assert misled.shares[0] > helped.shares[0]


def test_order_and_level_of_the_frame():
    """The mixture's probabilities of the frame's documents are handed out in the order of two members."""
    frames = drifting_frames(4, own=0.4)
    pool = learned(frames)
    X = unit_length(frames[-1].X)
    graph = neighbour_graph(X, 10, weights="cosine_squared")
    smoothed = []
    for member in pool.members_:
        words = Propagation(graph, member.smoothing).smooth(X @ member.weights_[:-1])
        smoothed.append(words + member.weights_[-1])
    parts = [class_probabilities(scores, 2)[:, 1] for scores in smoothed]
    mixture = np.average(parts, axis=0, weights=pool.shares)
    best, weight = pool.evidence_.trust
    assert weight > 0
    plain, other = ((f[:, 0] - f.mean()) / f.std() for f in (smoothed[0], smoothed[best]))
    found = np.empty(40)
    found[np.argsort((1 - weight) * plain + weight * other)] = np.sort(mixture)
    np.testing.assert_allclose(pool.frame_probabilities_[:, 1], found, rtol=1e-9)


def test_words_alone_judge_other_documents_costs_and_function():
    frames = drifting_frames(2)
    pool = learned(frames[:1])
    before = pool.linear_function()
    learn(pool, frames[1], 1)
    X = unit_length(frames[1].X)
    scores = [member.scores(X) for member in pool.members_]
    parts = [class_probabilities(one, 2) for one in scores]
    mixture = np.average(parts, axis=0, weights=pool.shares)
    np.testing.assert_allclose(np.sort(pool.probabilities(X)[:, 1]), np.sort(mixture[:, 1]), rtol=1e-9)
    function = pool.linear_function()
    np.testing.assert_allclose(function[:, 0], -function[:, 1], rtol=1e-12)
    words_alone = X @ function[:-1, 1]
    np.testing.assert_array_equal(np.argsort(words_alone), np.argsort(pool.probabilities(X)[:, 1]))
    np.testing.assert_allclose(pool.temporal_cost_, ((function - before) ** 2).sum(axis=0), rtol=1e-9)
    L = laplacian(neighbour_graph(X, 10, weights="cosine_squared")).toarray()
    f = X.toarray() @ function[:-1]
    np.testing.assert_allclose(pool.spatial_cost_, np.diag(f.T @ L @ f) / 40**2, rtol=1e-9)


def test_the_first_labels_are_not_evidence_of_ranking():
    pool = learned(drifting_frames(1))
    assert not pool.evidence_.forecast_squares_.any()


def test_without_classes_or_documents_nothing_fails():
    pool = learned([made._replace(labels=np.full(40, -1)) for made in drifting_frames(1)])
    np.testing.assert_allclose(pool.frame_probabilities_, 0.5)


def test_a_frame_can_be_taken_back():
    frames = drifting_frames(3)
    pool = learned(frames[:2])
    before, evidence = pool.losses_ * FORGETTING, pool.evidence_.scores
    learn(pool, frames[2], 2)
    assert (pool.losses_ != before).any()
    assert (pool.evidence_.scores != evidence).any()
    pool.restart_frame()
    np.testing.assert_allclose(pool.losses_, before)
    np.testing.assert_array_equal(pool.evidence_.scores, evidence)


def test_a_frame_learned_again_is_as_if_learned_once():
    frames = drifting_frames(4)
    again, once = learned(frames[:3]), learned(frames[:2])
    again.restart_frame()
    features = unit_length(frames[3].X)
    frame = FrameData(features, cosine_neighbours(features, 10), frames[3].labels, 2, 40, 2)
    once.begin_frame(2)
    for pool in (again, once):
        pool.learn(frame, np.flatnonzero(frames[3].labels >= 0))
    np.testing.assert_allclose(again.evidence_.scores, once.evidence_.scores, atol=1e-6)
    np.testing.assert_allclose(again.frame_probabilities_, once.frame_probabilities_, atol=1e-6)


def test_words_and_classes_are_added():
    pool = learned(drifting_frames(2))
    pool.grow_features(64)
    pool.grow_classes(np.array([1, 2]), 3)
    wider = drifting_frames(1, n_words=64, n_classes=3)[0]
    learn(pool, wider, 2, 3)
    assert pool.frame_probabilities_.shape == (40, 3)
    assert pool.temporal_cost_.shape == (3,)


@pytest.mark.parametrize("name", ["inside_", "outside_"])
def test_a_model_that_orders_by_a_member_it_has_not_is_refused(name):
    pool = learned(drifting_frames(2))
    pool._check_state()
    level = getattr(pool, name)
    level.members_ = np.array([0, 3])
    with pytest.raises(ModelFileError, match="a member that does not exist"):
        pool._check_state()
    level.members_ = np.array([0, 2])
    level.centres_, level.scales_ = np.zeros((2, 4)), np.ones((2, 4))
    level.knots_, level.log_odds_ = level.knots_ * 4, level.log_odds_ * 4
    with pytest.raises(ModelFileError, match="a member that does not exist"):
        pool._check_state()
