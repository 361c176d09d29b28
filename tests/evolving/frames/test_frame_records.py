import numpy as np
import pytest
from tests.evolving.made_streams import drifting_frames, whole

from driftline.core.errors import InvalidInput
from driftline.evolving import EvolutionaryClassifier

WORDS = [f"word{i}" for i in range(60)]


def learned(method="paper", n_frames=3, **options):
    model = EvolutionaryClassifier(method, keep_history=True, vocabulary=WORDS, **options)
    functions = []
    for made in drifting_frames(n_frames):
        model.partial_fit(made.X, made.labels)
        functions.append(model.model_.linear_function())
    return model, functions


@pytest.mark.parametrize("method", ["pool", "paper"])
def test_the_words_that_moved_most(method):
    model, functions = learned(method)
    for since, until in ((-2, -1), (0, 2)):
        move = functions[until] - functions[since]
        found = model.weight_changes(5, since=since, until=until)
        sizes = np.sort(np.abs(move[:-1]).ravel())[::-1]
        np.testing.assert_allclose([abs(change.change) for change in found], sizes[:5], rtol=1e-9)
        v, c = WORDS.index(found[0].word), found[0].label
        assert found[0].change == pytest.approx(move[v, c])
        assert found[0].before == pytest.approx(functions[since][v, c])


def test_words_without_a_vocabulary_are_columns():
    made = drifting_frames(2)
    model = EvolutionaryClassifier("paper", keep_history=True)
    for frame in made:
        model.partial_fit(frame.X, frame.labels)
    assert 0 <= int(model.weight_changes(1)[0].word) < 60


def test_one_entry_a_frame():
    frames = drifting_frames(3)
    X, y, times = whole(frames)
    dates = np.datetime64("2003-01-01") + times.astype(int) * np.timedelta64(1, "D")
    model = EvolutionaryClassifier("paper").fit(X, y, times=dates, every="1d")
    records = model.diagnostics_
    assert [record.start.astype("datetime64[D]") for record in records] == list(np.unique(dates))
    assert [(record.n_documents, record.n_labelled) for record in records] == [(40, 8)] * 3
    chain = model.model_
    assert records[-1].spatial_cost == pytest.approx(chain.spatial_cost_.sum())
    assert records[-1].temporal_cost == pytest.approx(chain.temporal_cost_.sum())


def test_predicted_is_what_was_said_before_the_labels_were_seen():
    frames = drifting_frames(2, own=0.4, drift=0)
    model = EvolutionaryClassifier("paper", weighting=None).partial_fit(frames[0].X, frames[0].labels)
    known = np.flatnonzero(frames[1].labels >= 0)
    right = np.mean(model.predict(frames[1].X[known]) == frames[1].labels[known])
    assert 0 < right < 1
    assert model.partial_fit(frames[1].X, frames[1].labels).diagnostics_[-1].prediction_accuracy == right
    assert np.isnan(model.partial_fit(frames[1].X).diagnostics_[-1].prediction_accuracy)


def test_the_former_name_of_the_accuracy_still_works():
    frames = drifting_frames(1, own=0.4, drift=0)
    last = EvolutionaryClassifier("paper", weighting=None).partial_fit(frames[0].X, frames[0].labels).diagnostics_[-1]
    with pytest.warns(FutureWarning, match="prediction_accuracy"):
        np.testing.assert_equal(last.foreseen_accuracy, last.prediction_accuracy)


def test_a_class_is_not_predicted_before_its_first_label():
    """A class that nothing is known of has score 0, more than most: it must not be named for that."""
    frames = drifting_frames(2, n_classes=4, own=0.25, drift=0, seed=2)
    model = EvolutionaryClassifier("paper", weighting=None)
    model.partial_fit(frames[0].X, np.where(frames[0].labels == 3, -1, frames[0].labels))
    assert np.isnan(model.diagnostics_[0].prediction_accuracy)
    known = np.flatnonzero(frames[1].labels >= 0)
    right = np.mean(model.predict(frames[1].X[known]) == frames[1].labels[known])
    model.partial_fit(frames[1].X, frames[1].labels)
    assert (np.argmax(model.model_.predicted_, axis=1) == 3).any()
    assert model.diagnostics_[1].prediction_accuracy == right
    assert model.revise(frames[1].X, frames[1].labels).diagnostics_[1].prediction_accuracy == right


def test_a_class_weighs_nothing_before_it_was_known():
    frames = drifting_frames(2, n_classes=3)
    model = EvolutionaryClassifier("paper", keep_history=True)
    model.partial_fit(frames[0].X, np.where(frames[0].labels == 2, -1, frames[0].labels))
    model.partial_fit(frames[1].X, frames[1].labels)
    np.testing.assert_array_equal(model._function_of(0)[:, 2], 0.0)
    assert model._function_of(0)[:, :2].any()
    assert {change.label for change in model.weight_changes(150)} == {0, 1, 2}


def test_words_that_came_later_weigh_nothing_before():
    frames = drifting_frames(1)
    model = EvolutionaryClassifier("paper", keep_history=True, vocabulary=WORDS)
    model.partial_fit(frames[0].X, frames[0].labels).grow_vocabulary([*WORDS, "new", "newer"])
    later = np.hstack([frames[0].X.toarray(), np.ones((40, 2))])
    model.partial_fit(later, frames[0].labels)
    before = model._function_of(0)
    assert before.shape == (63, 2)
    np.testing.assert_array_equal(before[60:62], 0.0)


def test_what_was_not_kept_is_reported():
    frames = drifting_frames(2)
    model = EvolutionaryClassifier()
    for made in frames:
        model.partial_fit(made.X, made.labels)
    with pytest.raises(InvalidInput, match="keep_history=True"):
        model.weight_changes()
    with pytest.raises(InvalidInput, match="keep_history=True"):
        model.predict(frames[0].X, times=np.zeros(40))
    model, _ = learned()
    with pytest.raises(InvalidInput, match="no frame 3; 3 have been learned"):
        model.weight_changes(until=3)
