"""What all classifiers of frames do alike, with each way to learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from tests.evolving.made_streams import drifting_frames, whole
from tests.naming import shown

from driftline.core.errors import InvalidInput
from driftline.evolving import EvolutionaryClassifier, ManifoldClassifier, TwoFrameClassifier
from driftline.evolving.estimators import evolutionary_classifier

KINDS = [
    EvolutionaryClassifier(keep_history=True),
    EvolutionaryClassifier("paper", keep_history=True),
    EvolutionaryClassifier("paper", form="dual", keep_history=True),
    EvolutionaryClassifier("paper", kernel="rbf", loss="logistic"),
    ManifoldClassifier(keep_history=True),
    TwoFrameClassifier(keep_history=True),
]
LINEAR = [kind for kind in KINDS if kind.kernel != "rbf"]


def fresh(kind):
    return type(kind)(**kind.get_params())


def learned(kind, frames, **options):
    model = fresh(kind).set_params(**options)
    for made in frames:
        model.partial_fit(made.X, made.labels)
    return model


def same(one, other, X, tolerance=1e-9):
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_allclose(one.label_distributions_, other.label_distributions_, atol=tolerance)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=tolerance)


every_kind = pytest.mark.parametrize("kind", KINDS, ids=shown)


@every_kind
def test_in_one_go_or_frame_by_frame(kind):
    frames = drifting_frames(4)
    X, y, times = whole(frames)
    order = np.random.default_rng(1).permutation(len(y))
    at_once = fresh(kind).fit(X[order], y[order], times=times[order], every=1.0)
    parts = fresh(kind)
    distributions = []
    for made, row in zip(frames, order.argsort().reshape(4, 40)):
        rows = np.sort(row)
        in_order = order[rows] - 40 * (order[rows[0]] // 40)
        parts.partial_fit(made.X[in_order], made.labels[in_order], times=times[order[rows]], classes=[0, 1])
        distributions.append((rows, parts.label_distributions_))
    for rows, expected in distributions:
        np.testing.assert_allclose(at_once.label_distributions_[rows], expected, atol=1e-9)
    np.testing.assert_allclose(at_once.predict_proba(X), parts.predict_proba(X), atol=1e-9)
    assert sorted(at_once.frame_rows_) == sorted(distributions[-1][0])


@every_kind
@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("what", ["empty", "unlabelled", "one class", "one document", "no words"])
def test_strange_frames(kind, what, place):
    frames = drifting_frames(4)
    made = frames[place]
    if what == "empty":
        frames[place] = made._replace(X=made.X[:0], labels=made.labels[:0])
    elif what == "unlabelled":
        frames[place] = made._replace(labels=np.full(40, -1))
    elif what == "one class":
        frames[place] = made._replace(labels=np.where(made.labels == 1, 1, -1))
    elif what == "one document":
        frames[place] = made._replace(X=made.X[:1], labels=made.labels[:1])
    else:
        blank = made.X.toarray()
        blank[:6] = 0  # labelled and unlabelled ones
        frames[place] = made._replace(X=sp.csr_matrix(blank))
    model = fresh(kind)
    for made in frames:
        model.partial_fit(made.X, made.labels)
        p = model.label_distributions_
        assert p.shape == (made.X.shape[0], len(model.classes_))
        assert np.isfinite(p).all()
        np.testing.assert_allclose(p.sum(axis=1), 1.0 if len(model.classes_) else 0.0)
        known = made.labels >= 0
        np.testing.assert_array_equal(model.transduction_[known], made.labels[known])
        assert set(model.suggest(3)) <= set(np.flatnonzero(~known))
    assert model.classes_.tolist() == [0, 1]
    assert [record.n_documents for record in model.diagnostics_] == [f.X.shape[0] for f in frames]
    assert np.mean(model.transduction_ == frames[-1].truth) > 0.55


@every_kind
def test_a_frame_without_labels_does_not_erase_the_past(kind):
    frames = drifting_frames(3, own=0.9, drift=0)
    model = learned(kind, [*frames[:2], frames[2]._replace(labels=np.full(40, -1))])
    if type(kind) is ManifoldClassifier:
        np.testing.assert_allclose(model.label_distributions_, 0.5)  # it has no past
    else:
        assert np.mean(model.transduction_ == frames[2].truth) > 0.85


@every_kind
def test_a_class_that_comes_later(kind):
    frames = drifting_frames(4, n_classes=3, own=0.9, drift=0)
    frames[:2] = [made._replace(labels=np.where(made.labels == 1, -1, made.labels)) for made in frames[:2]]
    model = learned(kind, frames)
    assert model.classes_.tolist() == [0, 1, 2]
    assert np.mean(model.transduction_ == frames[-1].truth) > 0.8
    assert model.predict_proba(frames[0].X).shape == (40, 3)


def test_classes_given_at_the_beginning_are_all_there_are():
    frames = drifting_frames(2)
    model = EvolutionaryClassifier().partial_fit(frames[0].X, np.full(40, -1), classes=["a", "b"])
    np.testing.assert_allclose(model.label_distributions_, 0.5)
    with pytest.raises(InvalidInput, match="the label 'c', which is not among the classes"):
        model.partial_fit(frames[1].X[:1], ["c"])


def test_before_any_label_there_is_nothing_to_predict_but_something_to_label():
    made = drifting_frames(1)[0]
    model = EvolutionaryClassifier().partial_fit(made.X)
    assert len(model.suggest(5)) == 5
    assert (model.transduction_ == -1).all()
    with pytest.raises(InvalidInput, match="label some first"):
        model.predict(made.X)
    model.add_labels(model.suggest(5), made.truth[model.suggest(5)])
    assert len(model.classes_) >= 1


@pytest.mark.parametrize("kind", KINDS[1:], ids=shown)
def test_labels_added_are_labels_that_were_there(kind):
    frames = drifting_frames(3)
    model, twin = learned(kind, frames), learned(kind, frames[:2])
    few = np.where(np.arange(40) < 2, frames[2].labels, -1)
    twin.partial_fit(frames[2].X, few)
    later = np.flatnonzero((frames[2].labels >= 0) & (few < 0))
    for row in later:
        twin.add_labels(row, [frames[2].labels[row]])
    np.testing.assert_allclose(twin.model_.frame_probabilities_, model.model_.frame_probabilities_, atol=1e-7)
    assert twin.diagnostics_[-1].n_labelled == model.diagnostics_[-1].n_labelled


def test_labels_added_teach_the_pool():
    frames = drifting_frames(2, own=0.4, n=80, seed=3)
    model = learned(KINDS[0], [frames[0], frames[1]._replace(labels=np.full(80, -1))])
    before = np.mean(model.transduction_ == frames[1].truth)
    hidden = np.arange(0, 80, 2)
    model.add_labels(hidden, frames[1].truth[hidden])
    others = np.arange(1, 80, 2)
    assert np.mean(model.transduction_[others] == frames[1].truth[others]) > before
    np.testing.assert_array_equal(model.transduction_[hidden], frames[1].truth[hidden])


@every_kind
def test_a_revised_frame_is_as_if_it_had_come_in_the_first_place(kind):
    frames = drifting_frames(3)
    other = drifting_frames(1, n=30, seed=9)[0]
    model = learned(kind, [*frames[:2], other])
    revised = model.revise(frames[2].X, frames[2].labels)
    same(revised, learned(kind, frames), frames[0].X, tolerance=1e-6)
    later = drifting_frames(1, seed=5)[0]
    same(
        revised.partial_fit(later.X, later.labels),
        learned(kind, [*frames, later]),
        frames[0].X,
        tolerance=1e-6,
    )
    assert revised.diagnostics_[2][1:3] == (40, 8)


@pytest.mark.parametrize("kind", LINEAR, ids=shown)
def test_words_that_come_later(kind):
    frames = drifting_frames(3)
    narrow = [made._replace(X=sp.csr_matrix(made.X.toarray() * (np.arange(60) < 50))) for made in frames[:2]]
    known_from_the_start = learned(kind, [*narrow, frames[2]])
    model = learned(kind, [made._replace(X=made.X[:, :50]) for made in narrow], vocabulary=[str(i) for i in range(50)])
    model.grow_vocabulary([str(i) for i in range(60)])
    model.partial_fit(frames[2].X, frames[2].labels)
    same(model, known_from_the_start, frames[0].X)
    with pytest.raises(InvalidInput, match="begins with the 60 words"):
        model.grow_vocabulary([str(i) for i in range(59, -1, -1)])


@pytest.mark.parametrize("kind", LINEAR, ids=shown)
def test_documents_of_the_past_are_judged_by_the_function_of_their_time(kind):
    frames = drifting_frames(3)
    model = fresh(kind)
    functions = []
    for t, made in enumerate(frames):
        model.partial_fit(made.X, made.labels, times=np.full(40, float(t)))
        functions.append(model.model_.linear_function())
    X = model._features(frames[0].X)
    for t in range(2):
        found = model.predict_proba(frames[0].X, times=np.full(40, t + 0.5))
        odds = np.log(found[:, 1] / found[:, 0])
        columns = X @ functions[t][:-1] + functions[t][-1]
        np.testing.assert_allclose(odds, model.calibration_.exponent_ * columns[:, 1], atol=1e-8)
    np.testing.assert_allclose(
        model.predict_proba(frames[0].X, times=np.full(40, 9.0)), model.predict_proba(frames[0].X), atol=1e-12
    )


def test_frames_may_be_handed_over_in_any_order():
    frames = drifting_frames(3)
    model = fresh(KINDS[1])
    functions = {}
    for t in (2, 0, 1):
        model.partial_fit(frames[t].X, frames[t].labels, times=np.full(40, float(t)))
        functions[t] = model.model_.linear_function()
    X = model._features(frames[0].X)
    for t in (0, 2):
        p = model.predict_proba(frames[0].X, times=np.full(40, t + 0.2))
        odds = model.calibration_.exponent_ * (X @ functions[t][:-1])[:, 1]
        np.testing.assert_allclose(np.log(p[:, 1] / p[:, 0]), odds, atol=1e-8)


def test_classes_given_to_fit_are_all_there_are_as_well():
    made = drifting_frames(1)[0]
    model = EvolutionaryClassifier().fit(made.X, made.labels, classes=[0, 1, 2])
    assert model.label_distributions_.shape == (40, 3)
    with pytest.raises(InvalidInput, match="label 3, which is not among the classes"):
        model.partial_fit(made.X[:1], [3])


def test_of_a_precomputed_kernel_only_labels_can_be_revised():
    made = drifting_frames(1)[0]
    K = (made.X @ made.X.T).toarray()
    model = EvolutionaryClassifier("paper", kernel="precomputed").partial_fit(K, np.full(40, -1))
    twin = EvolutionaryClassifier("paper", kernel="precomputed").partial_fit(K, made.labels)
    np.testing.assert_allclose(model.revise(K, made.labels).label_distributions_, twin.label_distributions_, atol=1e-9)
    with pytest.raises(InvalidInput, match="only labels can be revised"):
        model.revise(K[:5, :5], made.labels[:5])


def test_decision_function_is_the_log_odds():
    made = drifting_frames(1)[0]
    model = EvolutionaryClassifier().fit(made.X, made.labels)
    p = model.predict_proba(made.X)
    np.testing.assert_allclose(model.decision_function(made.X), np.log(p[:, 1] / p[:, 0]))
    many = drifting_frames(1, n_classes=3)[0]
    model = EvolutionaryClassifier().fit(many.X, many.labels)
    np.testing.assert_allclose(model.decision_function(many.X), np.log(model.predict_proba(many.X)))


def test_score_leaves_out_what_has_no_label():
    made = drifting_frames(1, own=0.9)[0]
    model = EvolutionaryClassifier().fit(made.X, made.labels)
    y = np.full(40, -1)
    y[:5] = model.predict(made.X[:5])
    y[4] = 1 - y[4]
    assert model.score(made.X, y) == pytest.approx(0.8)
    with pytest.raises(InvalidInput, match="no document has a label"):
        model.score(made.X, np.full(40, -1))


def test_refusals():
    made = drifting_frames(1)[0]
    with pytest.raises(InvalidInput, match="no document has a label"):
        EvolutionaryClassifier().fit(made.X, np.full(40, -1))
    with pytest.raises(InvalidInput, match="y to be passed"):
        EvolutionaryClassifier().fit(made.X, None)
    model = EvolutionaryClassifier().fit(made.X, made.labels)
    with pytest.raises(InvalidInput, match="only the 40 documents of the current frame"):
        model.add_labels([40], [1])
    with pytest.raises(InvalidInput, match="the frame has 3 columns"):
        model.partial_fit(np.zeros((0, 3)))


def test_more_labels_do_not_need_a_new_search(monkeypatch):
    frames = drifting_frames(2)
    model = learned(KINDS[0], frames[:1])
    model.add_labels([10], [1])
    expected = learned(KINDS[0], frames[:1]).add_labels([10], [1]).label_distributions_
    monkeypatch.setattr(evolutionary_classifier, "neighbours_in_groups", None)
    np.testing.assert_array_equal(model.add_labels([10], [1]).label_distributions_, expected)
    with pytest.raises(TypeError):
        model.partial_fit(frames[1].X)


def test_only_documents_of_the_last_frame_can_be_labelled():
    frames = drifting_frames(2)
    X, y, times = whole(frames)
    model = EvolutionaryClassifier().fit(X, y, times=times, every=1.0)
    assert model.suggest(5).min() >= 40
    with pytest.raises(InvalidInput, match="current frame"):
        model.add_labels([3], [1])
    model.add_labels(model.suggest(1), [1])
    assert model.label_distributions_.shape == (80, 2)
