import numpy as np
import pytest
import scipy.sparse as sp

from driftline.evolving.frames.frame_data import FrameData, class_probabilities, for_every_class, signs, with_classes


def test_two_classes_share_one_column():
    codes = np.array([0, 1, 1])
    np.testing.assert_array_equal(signs(codes, 2), [[-1], [1], [1]])
    np.testing.assert_array_equal(for_every_class(signs(codes, 2), 2), [[1, -1], [-1, 1], [-1, 1]])
    np.testing.assert_array_equal(signs(codes, 1), [[1], [-1], [-1]])


def test_labelled_rows_and_their_targets():
    frame = FrameData(np.eye(3), sp.csr_matrix((3, 3)), np.array([-1, 2, 0]), 3, 3, 0)
    assert frame.labelled.tolist() == [1, 2]
    np.testing.assert_array_equal(frame.targets(), [[-1, -1, 1], [1, -1, -1]])


@pytest.mark.parametrize(
    ("old", "places", "n_classes", "expected"),
    [
        (np.zeros((1, 0)), [], 2, [[0.0]]),
        ([[2.0]], [0], 2, [[-2.0]]),
        ([[2.0]], [1], 2, [[2.0]]),
        ([[3.0]], [0, 2], 3, [[-3.0, 0.0, 3.0]]),
        ([[1.0, 2.0, 3.0]], [0, 1, 3], 4, [[1.0, 2.0, 0.0, 3.0]]),
    ],
    ids=["none to two", "one to two, first", "one to two, second", "two to three", "three to four"],
)
def test_classes_are_added_without_moving_what_is_known(old, places, n_classes, expected):
    found = with_classes(np.array(old, dtype=float), np.array(places, dtype=np.int64), n_classes)
    np.testing.assert_array_equal(found, expected)


def test_probabilities():
    np.testing.assert_allclose(class_probabilities(np.array([[0.0], [np.log(3)]]), 2), [[0.5, 0.5], [0.25, 0.75]])
    three = class_probabilities(np.array([[0.0, 0.0, np.log(3)]]), 3)
    np.testing.assert_allclose(three, np.array([[0.5, 0.5, 0.75]]) / 1.75)
    np.testing.assert_array_equal(class_probabilities(np.array([[-4.0]]), 1), [[1.0]])
    assert np.isfinite(class_probabilities(np.full((1, 3), -1e4), 3)).all()
