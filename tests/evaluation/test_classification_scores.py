import itertools

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, precision_recall_fscore_support

from driftline.core.errors import InvalidInput
from driftline.evaluation import classification_scores

CLASSES = ["a", "b", "c"]


def sample(n=500, seed=0):
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet([1.0, 2.0, 3.0], n)
    truth = np.array([rng.choice(CLASSES, p=row) for row in chances])
    times = np.datetime64("2024-01-01", "h") + np.sort(rng.integers(0, 24 * 90, n))
    return truth, chances, times


def test_scores_are_those_of_scikit_learn():
    truth, chances, times = sample()
    found = classification_scores(truth, chances, CLASSES, times=times)
    guess = np.array(CLASSES)[chances.argmax(axis=1)]
    assert found.accuracy.mean == pytest.approx(accuracy_score(truth, guess))
    assert found.log_loss.mean == pytest.approx(log_loss(truth, chances, labels=CLASSES))
    hits = np.array(CLASSES) == truth[:, None]
    assert found.brier.mean == pytest.approx(((chances - hits) ** 2).sum(axis=1).mean())
    expected = precision_recall_fscore_support(truth, guess, labels=CLASSES)
    for k, each in enumerate(found.classes):
        assert (each.precision, each.recall, each.f1) == pytest.approx([expected[i][k] for i in range(3)])
        assert each.n_documents == expected[3][k]
    two = classification_scores(truth == "a", np.column_stack([1 - chances[:, 0], chances[:, 0]]), [False, True])
    assert two.brier.mean == pytest.approx(2 * brier_score_loss(truth == "a", chances[:, 0]))


def test_calibrated_probabilities_have_a_small_error_and_overconfident_ones_a_large_one():
    truth, chances, _ = sample(8000)
    assert classification_scores(truth, chances, CLASSES).calibration_error < 0.03
    sharp = chances**4 / (chances**4).sum(axis=1, keepdims=True)
    assert classification_scores(truth, sharp, CLASSES).calibration_error > 0.15


def test_labels_never_seen_are_errors_and_counted():
    found = classification_scores(["a", "z", "z"], [[1.0, 0.0]] * 3, ["a", "b"])
    assert found.accuracy.mean == pytest.approx(1 / 3)
    assert (found.n_unseen, found.unseen_labels) == (2, ["z"])
    assert found.log_loss.mean == pytest.approx(0.0)
    only = classification_scores(["z"], [[1.0, 0.0]], ["a", "b"])
    assert only.log_loss is None
    assert only.calibration == []


def test_periods_cover_all_documents_and_divide_no_day():
    truth, chances, times = sample()
    found = classification_scores(truth, chances, CLASSES, times=times, n_periods=6)
    assert sum(each.n_documents for each in found.periods) == 500
    assert 2 <= len(found.periods) <= 6
    days = [(str(each.first)[:10], str(each.last)[:10]) for each in found.periods]
    assert all(last < first for (_, last), (first, _) in itertools.pairwise(days))
    weighted = sum(each.accuracy * each.n_documents for each in found.periods) / 500
    assert weighted == pytest.approx(found.accuracy.mean)


def test_the_order_of_the_classes_does_not_matter():
    truth, chances, times = sample()
    mixed = classification_scores(truth, chances[:, [2, 0, 1]], ["c", "a", "b"], times=times)
    assert mixed.log_loss == classification_scores(truth, chances, CLASSES, times=times).log_loss


@pytest.mark.parametrize("chances", [[[1.0]], [1.0, 0.0], [[0.5, 0.5], [0.5, 0.5]]])
def test_shapes_that_do_not_fit_are_refused(chances):
    with pytest.raises(InvalidInput, match="shape"):
        classification_scores(["a"], chances, ["a", "b"])


def test_no_document_is_refused():
    with pytest.raises(InvalidInput, match="no labelled document"):
        classification_scores([], np.empty((0, 2)), ["a", "b"])


@pytest.mark.parametrize(
    ("truth", "chances", "classes", "problem"),
    [
        (["a", None], [[0.5, 0.5]] * 2, ["a", "b"], "document 1 has no label"),
        (["a", float("nan")], [[0.5, 0.5]] * 2, ["a", "b"], "document 1 has no label"),
        (["a"], [[float("nan"), 0.5]], ["a", "b"], "must lie between 0 and 1"),
        (["a"], [[9.0, 0.5]], ["a", "b"], "must lie between 0 and 1"),
        (["a"], np.zeros((1, 0)), [], "there is no class"),
    ],
)
def test_values_that_are_no_labels_or_probabilities_are_refused(truth, chances, classes, problem):
    with pytest.raises(InvalidInput, match=problem):
        classification_scores(truth, chances, classes)


@pytest.mark.parametrize("truth", [[1, 0, 1], [1.0, 0.0, 1.0], [True, False, True], pa.array([1, 0, 1])])
def test_labels_that_equal_the_classes_are_these_classes(truth):
    found = classification_scores(truth, [[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]], np.array([0, 1]))
    assert found.accuracy.mean == 1
    assert found.n_unseen == 0
