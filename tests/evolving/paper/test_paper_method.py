import numpy as np
import pytest
import scipy.sparse as sp
from tests.evolving.made_streams import drifting_frames
from tests.oracles import evolving as oracle

from driftline.evolving.frames.frame_data import FrameData
from driftline.evolving.frames.neighbour_graph import cosine_neighbours, kernel_neighbours, laplacian, neighbour_graph
from driftline.evolving.frames.tfidf import unit_length
from driftline.evolving.paper.paper_method import Chain

SETTINGS = {"gamma_a": 0.3, "gamma_i": 20.0}


def frame_data(made, number, n_classes=2, cross=None, kernel=None):
    features = unit_length(made.X) if kernel is None else kernel
    neighbours = cosine_neighbours(features, 4) if kernel is None else kernel_neighbours(kernel, 4)
    return FrameData(features, neighbours, made.labels, n_classes, features.shape[0], number, cross)


def learned(frames, n_classes=2, **options):
    chain = Chain(**{**SETTINGS, **options}).begin(frames[0].X.shape[1])
    chain.grow_classes(np.zeros(0, dtype=np.int64), n_classes)
    for number, made in enumerate(frames):
        chain.begin_frame(number)
        chain.learn(frame_data(made, number, n_classes), np.flatnonzero(made.labels >= 0))
    return chain


def dense_laplacian(X):
    """By the product's graph, which is tested elsewhere: equal cosines would be distinguished by rounding."""
    return laplacian(neighbour_graph(X, 4)).toarray()


def without_ties(made):
    X = made.X.copy()
    X.data += np.random.default_rng(0).random(X.nnz)
    return made._replace(X=X)


def plain_chain(frames, n_classes=2, remembers=True):
    """w_1, w_2, … by dense solves; one column per class but for two classes."""
    columns = [1] if n_classes == 2 else range(n_classes)
    w = np.zeros((frames[0].X.shape[1], len(columns)))
    found = [w]
    for made in frames:
        X = unit_length(made.X).toarray()
        L = dense_laplacian(X)
        known = made.labels >= 0
        previous = w if remembers else np.zeros_like(w)
        w = np.stack(
            [
                oracle.weights(
                    X, L, known, np.where(known, np.where(made.labels == c, 1.0, -1.0), 0.0), 0.3, 20.0, previous[:, k]
                )
                for k, c in enumerate(columns)
            ],
            axis=1,
        )
        found.append(w)
    return found


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("remembers", [True, False])
def test_primal_is_the_chain_of_dense_solves(n_classes, remembers):
    frames = drifting_frames(3, n_classes=n_classes)
    chain = learned(frames, n_classes, remembers=remembers)
    expected = plain_chain(frames, n_classes, remembers)
    np.testing.assert_allclose(chain.function_, expected[-1], atol=1e-8)
    last, X = frames[-1], unit_length(frames[-1].X).toarray()
    before = expected[-2] if remembers else 0.0
    np.testing.assert_allclose(chain.temporal_cost_, ((expected[-1] - before) ** 2).sum(axis=0), rtol=1e-6)
    f = X @ expected[-1]
    L = dense_laplacian(X)
    np.testing.assert_allclose(chain.spatial_cost_, np.diag(f.T @ L @ f) / len(X) ** 2, rtol=1e-6)
    assert len(chain.predicted_) == (last.labels >= 0).sum()


def test_dual_is_equation_18_frame_after_frame():
    frames = drifting_frames(3, n=30)
    chain = learned(frames, form="dual")
    alpha, before = None, None
    for made in frames:
        X = unit_length(made.X).toarray()
        known = made.labels >= 0
        L = dense_laplacian(X)
        y = np.where(known, 2.0 * (made.labels == 1) - 1, 0.0)
        cross = None if before is None else X @ before.T
        alpha, before = oracle.expansion(X @ X.T, L, known, y, 0.3, 20.0, cross, alpha), X
    expected = before.T @ alpha
    np.testing.assert_allclose((chain.support_.T @ chain.function_)[:, 0], expected, atol=1e-7)


@pytest.mark.parametrize("loss", ["squared", "hinge", "logistic"])
def test_primal_is_dual_when_the_frame_spans_the_words(loss):
    frames = drifting_frames(3, n=60, n_words=20)
    assert all(np.linalg.matrix_rank(made.X.toarray()) == 20 for made in frames)
    primal, dual = learned(frames, loss=loss), learned(frames, loss=loss, form="dual")
    tolerance = 1e-10 if loss != "hinge" else 1e-7
    np.testing.assert_allclose(primal.linear_function(), dual.linear_function(), atol=tolerance)
    np.testing.assert_allclose(primal.frame_probabilities_, dual.frame_probabilities_, atol=tolerance)
    np.testing.assert_allclose(primal.temporal_cost_, dual.temporal_cost_, atol=max(tolerance, 1e-9))


def test_a_precomputed_kernel_is_the_linear_one():
    frames = [without_ties(made) for made in drifting_frames(3, n=25)]
    linear = learned(frames, form="dual")
    chain = Chain(**SETTINGS, kernel="precomputed", form="dual").begin(0)
    chain.grow_classes(np.zeros(0, dtype=np.int64), 2)
    before = None
    for number, made in enumerate(frames):
        X = unit_length(made.X).toarray()
        cross = None if before is None else X @ before.T
        chain.begin_frame(number)
        chain.learn(frame_data(made, number, 2, cross, X @ X.T), np.flatnonzero(made.labels >= 0))
        before = X
    np.testing.assert_allclose(chain.frame_probabilities_, linear.frame_probabilities_, atol=1e-9)
    np.testing.assert_allclose(chain.predicted_, linear.predicted_, atol=1e-9)
    assert chain.linear_function() is None


@pytest.mark.parametrize("kernel", ["rbf", "cosine"])
def test_other_kernels_learn_and_foresee(kernel):
    frames = drifting_frames(4, n=60, own=0.8, drift=1)
    chain = learned(frames, kernel=kernel, form="dual")
    assert np.mean(np.argmax(chain.frame_probabilities_, axis=1) == frames[-1].truth) > 0.8
    assert chain.linear_function() is None
    assert (chain.kernel_scale_ > 0) == (kernel in ("rbf", "cosine"))


def test_words_and_classes_are_added():
    frames = drifting_frames(2)
    for form in ("primal", "dual"):
        chain = learned(frames, form=form)
        before = chain.probabilities(unit_length(frames[0].X))
        chain.grow_features(70)
        wider = sp.csr_matrix(sp.hstack([unit_length(frames[0].X), sp.csr_matrix((40, 10))]))
        np.testing.assert_allclose(chain.probabilities(wider), before, atol=1e-12)
        chain.grow_classes(np.array([0, 2]), 3)
        assert chain.probabilities(wider).shape == (40, 3)
        np.testing.assert_allclose(chain.linear_function()[:, 1], 0.0)


def test_asked_before_anything_was_learned_it_does_not_know():
    chain = Chain(form="dual").begin(5)
    chain.grow_classes(np.zeros(0, dtype=np.int64), 2)
    np.testing.assert_array_equal(chain.probabilities(sp.csr_matrix(np.ones((2, 5)))), 0.5)
