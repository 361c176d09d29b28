import numpy as np
import pytest
from tests.evolving.made_streams import drifting_frames, whole
from tests.oracles import evolving as oracle

from driftline.core.errors import InvalidInput
from driftline.evolving import EvolutionarySmoother
from driftline.evolving.frames.neighbour_graph import laplacian, neighbour_graph
from driftline.evolving.frames.tfidf import document_frequencies, tfidf


def joint_by_hand(frames, gamma_a, gamma_i, features):
    made = []
    for rows, frame in zip(features, frames):
        known = frame.labels >= 0
        L = laplacian(neighbour_graph(rows, 10)).toarray() if rows.shape[0] else np.zeros((0, 0))
        made.append((rows.toarray(), L, known, np.where(known, 2.0 * frame.labels - 1, 0.0)))
    return oracle.joint_weights(made, gamma_a, gamma_i)


@pytest.mark.parametrize("weighting", [None, "tfidf"])
def test_is_the_joint_solve(weighting):
    frames = drifting_frames(4, n=20, n_words=24)
    X, y, times = whole(frames)
    model = EvolutionarySmoother(weighting=weighting, gamma_a=0.2, gamma_i=15.0)
    model.fit(X, y, times=times, every=1.0)
    weights = X if weighting is None else tfidf(X, document_frequencies(X), X.shape[0])
    features = [weights[np.flatnonzero(times == t)] for t in range(4)]
    expected = joint_by_hand(frames, 0.2, 15.0, features)
    np.testing.assert_allclose(model.functions_[:, :, 0], expected, atol=1e-8)


def test_a_frame_without_documents_lies_between_its_neighbours():
    frames = drifting_frames(3, n=20, n_words=24)
    X, y, times = whole(frames)
    there = times != 1
    model = EvolutionarySmoother(weighting=None).fit(X[there], y[there], times=times[there], every=1.0)
    w = model.functions_[:, :, 0]
    np.testing.assert_allclose(w[1], (w[0] + w[2]) / 2, atol=1e-8)


def test_labels_of_the_future_count():
    frames = drifting_frames(3, own=0.8, drift=0)
    X, y, times = whole(frames)
    hidden = np.where(times < 2, -1, y)
    model = EvolutionarySmoother().fit(X, hidden, times=times, every=1.0)
    assert np.mean(model.transduction_[:40] == frames[0].truth) > 0.75


def test_order_of_the_documents_does_not_matter():
    frames = drifting_frames(3)
    X, y, times = whole(frames)
    order = np.random.default_rng(3).permutation(len(y))
    model = EvolutionarySmoother().fit(X, y, times=times, every=1.0)
    mixed = EvolutionarySmoother().fit(X[order], y[order], times=times[order], every=1.0)
    np.testing.assert_allclose(mixed.label_distributions_, model.label_distributions_[order], atol=1e-6)


def test_with_another_kernel_functions_are_expansions():
    frames = drifting_frames(2, n=25, own=0.8)
    X, y, times = whole(frames)
    model = EvolutionarySmoother(kernel="rbf", loss="logistic").fit(X, y, times=times, every=1.0)
    unlabelled = y < 0
    # Fitted documents are classified in the same way in prediction.
    np.testing.assert_allclose(
        model.predict_proba(X, times=times)[unlabelled], model.label_distributions_[unlabelled], atol=1e-6
    )
    assert model.score(X, np.concatenate([f.truth for f in frames]), times=times) > 0.8


def test_the_linear_kernel_by_any_name():
    frames = drifting_frames(2, n=25)
    X, y, times = whole(frames)
    one = EvolutionarySmoother(kernel="linear").fit(X, y, times=times, every=1.0)
    other = EvolutionarySmoother(kernel="cosine").fit(X, y, times=times, every=1.0)  # rows have unit length
    np.testing.assert_allclose(other.label_distributions_, one.label_distributions_, atol=1e-7)


def test_times_outside_the_stream_take_the_nearest_frame():
    frames = drifting_frames(3)
    X, y, times = whole(frames)
    model = EvolutionarySmoother().fit(X, y, times=times, every=1.0)
    asked = frames[0].X[:5]
    for moment, frame in ((-100.0, 0), (100.0, 2), (1.5, 1)):
        expected = 1 / (1 + np.exp(-(model._weighted(asked) @ model.functions_[frame][:, 0])))
        np.testing.assert_allclose(model.predict_proba(asked, times=np.full(5, moment))[:, 1], expected)
    np.testing.assert_allclose(model.predict_proba(asked), model.predict_proba(asked, times=np.full(5, 2.0)))


def test_refusals():
    X = np.eye(3)
    with pytest.raises(InvalidInput, match="no document has a label"):
        EvolutionarySmoother().fit(X, [-1, -1, -1])
    with pytest.raises(InvalidInput, match="y to be passed"):
        EvolutionarySmoother().fit(X, None)


def test_score_leaves_out_what_has_no_label():
    made = drifting_frames(1, own=0.9)[0]
    model = EvolutionarySmoother().fit(made.X, made.labels)
    predicted = model.predict(made.X)
    y = np.full(40, -1)
    y[:4] = predicted[:4]
    y[4] = 1 - predicted[4]
    assert model.score(made.X, y) == pytest.approx(0.8)
    with pytest.raises(InvalidInput, match="no document has a label"):
        model.score(made.X, np.full(40, -1))
