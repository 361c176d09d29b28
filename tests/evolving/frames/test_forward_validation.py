import numpy as np
import pytest
from tests.evolving.made_streams import drifting_frames, whole

from driftline.core.errors import InvalidInput
from driftline.evolving import EvolutionaryClassifier, forward_validation

GRID = {"gamma_a": [0.01, 1.0, 100.0]}


def by_hand(frames, gamma_a):
    model = EvolutionaryClassifier("paper", gamma_a=gamma_a)
    losses, right = [], []
    for t, made in enumerate(frames):
        known = made.labels >= 0
        if t:
            p = model.predict_proba(made.X[np.flatnonzero(known)])
            losses += list(-np.log(p[np.arange(known.sum()), made.labels[known]]))
            right += list(np.argmax(p, axis=1) == made.labels[known])
        model.partial_fit(made.X, made.labels, classes=[0, 1])
    return np.mean(losses), np.mean(right), len(losses)


def test_every_score_is_that_of_predicting_the_next_frame():
    frames = drifting_frames(4)
    X, y, times = whole(frames)
    scores = forward_validation(EvolutionaryClassifier("paper"), X, y, GRID, times=times, every=1.0)
    assert [s.log_loss for s in scores] == sorted(s.log_loss for s in scores)
    assert {s.parameters["gamma_a"] for s in scores} == {0.01, 1.0, 100.0}
    for score in scores:
        assert score[1:] == pytest.approx(by_hand(frames, score.parameters["gamma_a"]))


def test_the_classifier_itself_is_left_alone():
    X, y, times = whole(drifting_frames(2))
    classifier = EvolutionaryClassifier("paper", gamma_a=7.0)
    forward_validation(classifier, X, y, GRID, times=times, every=1.0)
    assert classifier.gamma_a == 7.0
    assert not hasattr(classifier, "n_frames_")


def test_lists_and_words_as_labels():
    X, y, times = whole(drifting_frames(3, own=0.9, drift=0))
    names = [None if code < 0 else ("war", "peace")[code] for code in y]
    scores = forward_validation(
        EvolutionaryClassifier(), X.toarray().tolist(), names, {"ridge": [0.01]}, times=times, every=1.0
    )
    assert scores[0].n_labels == 16
    assert scores[0].accuracy > 0.8


def test_nothing_to_foresee_is_refused():
    X, y, times = whole(drifting_frames(2))
    with pytest.raises(InvalidInput, match="no frame after the first"):
        forward_validation(EvolutionaryClassifier(), X, np.where(times > 0, -1, y), GRID, times=times, every=1.0)
    with pytest.raises(InvalidInput, match="no frame after the first"):
        forward_validation(EvolutionaryClassifier(), X, np.full(80, -1), GRID, times=times, every=1.0)
