from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import ttest_rel
from tests.evolving.made_streams import drifting_frames, whole

import driftline
from driftline.core.errors import InvalidInput
from driftline.evolving import EvolutionaryClassifier
from driftline.evolving.frames.neighbour_graph import neighbour_graph
from driftline.evolving.pool.propagation import Propagation


def learned(frames, *args, **options):
    model = EvolutionaryClassifier(*args, **options)
    for made in frames:
        model.partial_fit(made.X, made.labels)
    return model


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_primal_is_dual_from_end_to_end(loss):
    frames = drifting_frames(4, n=60, n_words=20)
    primal, dual = (learned(frames, "paper", loss=loss, form=form, keep_history=True) for form in ("primal", "dual"))
    X = frames[0].X
    np.testing.assert_allclose(primal.label_distributions_, dual.label_distributions_, atol=1e-10)
    np.testing.assert_allclose(primal.predict_proba(X), dual.predict_proba(X), atol=1e-10)
    times = np.full(60, 1.0)
    np.testing.assert_allclose(primal.predict_proba(X, times=times), dual.predict_proba(X, times=times), atol=1e-10)


def test_precomputed_kernels_go_frame_by_frame_or_in_one_go():
    frames = drifting_frames(3, n=25)
    X, y, times = whole(frames)
    X = X.toarray() + np.random.default_rng(0).random((75, 60)) * (X.toarray() > 0)
    K = X @ X.T
    at_once = EvolutionaryClassifier("paper", kernel="precomputed").fit(K, y, times=times, every=1.0)
    linear = EvolutionaryClassifier("paper", form="dual", weighting=None).fit(X, y, times=times, every=1.0)
    parts = EvolutionaryClassifier("paper", kernel="precomputed")
    for t in range(3):
        now, before = slice(25 * t, 25 * t + 25), slice(25 * t - 25, 25 * t)
        parts.partial_fit(K[now, now], y[now], previous=K[now, before] if t else None)
    np.testing.assert_allclose(at_once.label_distributions_, linear.label_distributions_, atol=1e-8)
    np.testing.assert_allclose(parts.label_distributions_, at_once.label_distributions_[50:], atol=1e-8)
    np.testing.assert_allclose(parts.predict_proba(K[:5, 50:]), linear.predict_proba(X[:5]), atol=1e-8)


@pytest.mark.parametrize("options", [{}, {"method": "paper"}, {"method": "paper", "form": "dual"}], ids=str)
def test_saved_and_loaded_it_goes_on_as_if_nothing_had_happened(tmp_path, options):
    frames = drifting_frames(5)
    model = learned(frames[:3], **options, keep_history=True)
    model.save(tmp_path / "model")
    loaded = driftline.load(tmp_path / "model")
    assert loaded.suggest(4).tolist() == model.suggest(4).tolist()
    for one in (model, loaded):
        one.add_labels([20, 21], frames[2].truth[[20, 21]])
        for made in frames[3:]:
            one.partial_fit(made.X, made.labels)
    np.testing.assert_array_equal(loaded.label_distributions_, model.label_distributions_)
    np.testing.assert_array_equal(loaded.predict_proba(frames[0].X), model.predict_proba(frames[0].X))
    assert loaded.diagnostics_ == model.diagnostics_
    assert loaded.weight_changes(3) == model.weight_changes(3)


def test_documents_of_the_frame_are_judged_by_their_neighbours_too():
    frames = drifting_frames(2)
    model = learned(frames)
    asked = sp.vstack([frames[1].X[7], frames[0].X[:3]], format="csr")
    found = model.predict_proba(asked)
    inside = model.calibration_.apply(model.model_.frame_probabilities_)
    np.testing.assert_allclose(found[0], inside[7], atol=1e-12)
    outside = model.calibration_.apply(model.model_.probabilities(model._features(asked)))
    np.testing.assert_allclose(found[1:], outside[1:], atol=1e-12)
    assert abs(found[0] - outside[0]).max() > 1e-6


def test_inside_the_frame_scores_are_smoothed():
    made = drifting_frames(1)[0]
    model = learned([made], smoothing=[0.6], n_neighbors=5)
    member, features = model.model_.members_[0], model._features(made.X)
    scores = features @ member.weights_[:-1, 0]
    graph = neighbour_graph(features, 5, weights="cosine_squared")
    odds = Propagation(graph, 0.6).smooth(scores) + member.weights_[-1, 0]
    np.testing.assert_allclose(model.model_.frame_probabilities_[:, 1], 1 / (1 + np.exp(-odds)), atol=1e-9)


def test_context_is_bounded_and_stands_in_the_graph():
    frames = drifting_frames(4)
    model = learned(frames, context=50)
    assert model._context_documents_.shape == (50, 60)
    np.testing.assert_array_equal(model._context_documents_[:40].toarray(), frames[2].X.toarray())
    assert learned(frames, context=0)._context_documents_.shape[0] == 0
    assert model.transduction_.shape == (40,)
    assert abs(model.label_distributions_ - learned(frames, context=0).label_distributions_).max() > 1e-6


def test_what_it_keeps_does_not_grow_with_the_stream():
    def size(model):
        member = model.model_.members_[0]
        return len(member.codes_), member.gram_.shape, model._context_documents_.shape, len(model.calibration_.codes_)

    frames = drifting_frames(30, n=30)
    long, longer = learned(frames[:20], memory=40, context=60), learned(frames, memory=40, context=60)
    assert size(long)[:3] == size(longer)[:3] == (48, (48, 48), (60, 60))
    assert size(longer)[3] <= 500


def test_the_past_helps():
    """With two labels a frame, knowing the frames before is worth a lot."""
    gains = []
    for seed in range(6):
        frames = drifting_frames(8, n_labelled=2, drift=1, seed=seed)
        last = frames[-1]
        along = np.mean(learned(frames).transduction_ == last.truth)
        gains.append(along - np.mean(learned([last]).transduction_ == last.truth))
    assert np.mean(gains) > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["pool", "paper"])
def test_probabilities_mean_what_they_say(method):
    said, right = [], []
    for seed in range(6):
        model = EvolutionaryClassifier(method)
        for t, made in enumerate(drifting_frames(10, n=60, own=0.35, drift=1, n_labelled=10, seed=seed)):
            model.partial_fit(made.X, made.labels)
            if t >= 5:
                hidden = made.labels < 0
                p = model.label_distributions_[hidden]
                said.append(p.max(axis=1))
                right.append(np.argmax(p, axis=1) == made.truth[hidden])
    said, right = np.concatenate(said), np.concatenate(right)
    assert right.mean() > 0.7
    assert abs(said.mean() - right.mean()) < 0.05
    cuts = np.quantile(said, [0, 0.25, 0.5, 0.75, 1])
    for low, high in pairwise(cuts):
        inside = (said >= low) & (said <= high)
        assert abs(said[inside].mean() - right[inside].mean()) < 0.1


def accuracy_with(choose, seed, n_labels=4):
    """Answer a number of questions per frame, chosen by `choose`; return the mean accuracy on the whole frames."""
    rng = np.random.default_rng(seed)
    model, found = EvolutionaryClassifier(), []
    for made in drifting_frames(3, n=60, n_classes=3, own=0.45, drift=1, seed=seed):
        model.partial_fit(made.X, classes=[0, 1, 2])
        rows = choose(model, rng, made.X.shape[0], n_labels)
        model.add_labels(rows, made.truth[rows])
        found.append(np.mean(model.transduction_ == made.truth))
    return np.mean(found)


def test_suggested_documents_beat_random_ones():
    seeds = range(12)
    suggested = [accuracy_with(lambda model, rng, n, k: model.suggest(k), seed) for seed in seeds]
    drawn = [accuracy_with(lambda model, rng, n, k: rng.choice(n, k, replace=False), seed) for seed in seeds]
    assert np.mean(suggested) > np.mean(drawn)
    assert ttest_rel(suggested, drawn, alternative="greater").pvalue < 0.05


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "rbf"}, "kernel: not an option of method='pool'"),
        ({"method": "paper", "ridge": 0.1, "memory": 3}, "ridge, memory: not an option of method='paper'"),
        ({"method": "paper", "kernel": "rbf", "form": "primal"}, "no primal form"),
        ({"smoothing": [0.5, 1.0]}, "smoothing must be a number"),
        ({"smoothing": []}, "smoothing must be a number"),
    ],
    ids=["kernel", "ridge", "form", "too strong", "no member"],
)
def test_options_that_do_not_fit_are_refused(options, message):
    made = drifting_frames(1)[0]
    with pytest.raises(InvalidInput, match=message):
        EvolutionaryClassifier(**options).fit(made.X, made.labels)


def test_previous_is_for_precomputed_kernels():
    made = drifting_frames(1)[0]
    with pytest.raises(InvalidInput, match="precomputed"):
        EvolutionaryClassifier().partial_fit(made.X, made.labels, previous=np.eye(40))


def test_every_member_may_have_its_own_ridge():
    made = drifting_frames(1)[0]

    def ridges(**options):
        model = EvolutionaryClassifier(**options).partial_fit(made.X, made.labels)
        return [member.ridge for member in model.model_.members_]

    assert ridges() == [0.1, 0.01, 0.01]
    assert ridges(smoothing=(0.5, 0.0)) == [0.01, 0.1]
    assert ridges(ridge=0.3) == [0.3, 0.3, 0.3]
    assert ridges(smoothing=(0.0, 0.7), ridge=(0.2, 0.4)) == [0.2, 0.4]


@pytest.mark.parametrize("ridge", [(0.1, 0.2), (0.1, 0.0, 0.1), (0.1, np.nan, 0.1), [[0.1, 0.1, 0.1]], ["a", "b", "c"]])
def test_a_ridge_that_fits_no_member_is_refused(ridge):
    made = drifting_frames(1)[0]
    with pytest.raises(InvalidInput, match="one for each of 3 members"):
        EvolutionaryClassifier(ridge=ridge).partial_fit(made.X, made.labels)
