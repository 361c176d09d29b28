import numpy as np
import pytest
import scipy.sparse as sp
from tests.evolving.made_streams import drifting_frames

from driftline.evolving import ManifoldClassifier, TwoFrameClassifier


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_is_manifold_regularisation_of_both_frames_together(loss):
    frames = drifting_frames(3)
    model = TwoFrameClassifier(weighting=None, loss=loss)
    for made in frames:
        model.partial_fit(made.X, made.labels)
    both = ManifoldClassifier(weighting=None, loss=loss).fit(
        sp.vstack([frames[2].X, frames[1].X]), np.concatenate([frames[2].labels, frames[1].labels])
    )
    np.testing.assert_allclose(model.model_.function_, both.model_.function_, atol=1e-8)
    # What was held out differs (here the first frames), so the exponent may; the scores do not.
    np.testing.assert_allclose(model.model_.frame_probabilities_, both.model_.frame_probabilities_[:40], atol=1e-8)
    assert model.transduction_.shape == (40,)


def test_labels_of_the_frame_before_are_enough():
    frames = drifting_frames(2, own=0.8, drift=0)
    model = TwoFrameClassifier().partial_fit(frames[0].X, frames[0].labels).partial_fit(frames[1].X)
    assert np.mean(model.transduction_ == frames[1].truth) > 0.8
    model.partial_fit(frames[1].X)
    np.testing.assert_allclose(model.label_distributions_, 0.5)


def test_classes_that_come_later_move_the_labels_of_the_frame_before():
    frames = drifting_frames(2, n_classes=3, own=0.9, drift=0)
    first = np.where(frames[0].labels == 1, -1, frames[0].labels)
    model = TwoFrameClassifier().partial_fit(frames[0].X, first)
    assert model.classes_.tolist() == [0, 2]
    model.partial_fit(frames[1].X, np.where(frames[1].labels == 1, 1, -1))
    assert model.classes_.tolist() == [0, 1, 2]
    assert np.mean(model.transduction_ == frames[1].truth) > 0.8
