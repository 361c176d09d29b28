import numpy as np
import pytest
from tests.evolving.made_streams import drifting_frames, whole
from tests.oracles import evolving as oracle

from driftline.core.errors import InvalidInput
from driftline.evolving import ManifoldClassifier
from driftline.evolving.frames.neighbour_graph import laplacian, neighbour_graph


def test_is_laplacian_regularised_least_squares():
    made = drifting_frames(1)[0]
    model = ManifoldClassifier(weighting=None, gamma_a=0.2, gamma_i=30.0, n_neighbors=4).fit(made.X, made.labels)
    X, known = made.X.toarray(), made.labels >= 0
    L = laplacian(neighbour_graph(made.X, 4)).toarray()
    w = oracle.weights(X, L, known, np.where(known, 2.0 * made.labels - 1, 0.0), 0.2, 30.0, np.zeros(60))
    p = 1 / (1 + np.exp(-X @ w))
    np.testing.assert_allclose(model.model_.frame_probabilities_[:, 1], p, atol=1e-7)
    np.testing.assert_array_equal(model.transduction_[~known], (p > 0.5)[~known])
    np.testing.assert_array_equal(model.transduction_[known], made.labels[known])


def test_every_frame_is_learned_for_itself():
    frames = drifting_frames(3)
    X, y, times = whole(frames)
    model = ManifoldClassifier(weighting=None).fit(X, y, times=times, every=1.0)
    alone = ManifoldClassifier(weighting=None).fit(frames[-1].X, frames[-1].labels)
    np.testing.assert_allclose(model.model_.function_, alone.model_.function_, atol=1e-9)


def test_a_frame_without_labels_knows_nothing():
    frames = drifting_frames(2)
    model = ManifoldClassifier().partial_fit(frames[0].X, frames[0].labels).partial_fit(frames[1].X)
    np.testing.assert_allclose(model.label_distributions_, 0.5)


def test_a_kernel_without_primal_form_is_refused():
    made = drifting_frames(1)[0]
    with pytest.raises(InvalidInput, match="no primal form"):
        ManifoldClassifier(kernel="rbf", form="primal").fit(made.X, made.labels)
