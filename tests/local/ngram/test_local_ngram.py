"""LocalNGram as an estimator."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.oracles.answering import answering_time

import driftline
from driftline.core.errors import InvalidInput, OutsideSupportWarning
from driftline.local.ngram.local_ngram import LocalNGram
from driftline.smoothing.kernels import KERNEL_NAMES
from driftline.text.sequences import TokenSequences

# The order of the documents is their time, which is what most of these tests mean
pytestmark = pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")


def moving(n=120, seed=0):
    """Return documents in which word 0 is followed by 1 early and by 2 late, and their times."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 10, n))
    documents = []
    for t in times:
        tokens = []
        for _ in range(6):
            tokens += [0, 2 if rng.random() < t / 10 else 1, int(rng.integers(3, 6))]
        documents.append(tokens)
    return documents, times


@pytest.mark.parametrize("kernel", KERNEL_NAMES)
@pytest.mark.parametrize("side", ["both", "past"])
def test_it_follows_what_comes_after_a_word(kernel, side):
    documents, times = moving()
    model = LocalNGram(order=2, kernel=kernel, bandwidth=2.0, background=0.05, side=side)
    p = model.fit(documents, times=times).probabilities([0], [1.5, 5.0, 9.5])
    assert p.shape == (3, 6)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert p[0, 1] > 0.6 > 0.4 > p[0, 2]
    assert p[2, 2] > 0.6 > 0.4 > p[2, 1]


@pytest.mark.parametrize("side", ["both", "past"])
def test_choosing_finds_drift_and_leaves_steady_streams_alone(side):
    documents, times = moving(n=300)
    model = LocalNGram(order=2, side=side).fit(documents, times=times)
    assert math.isfinite(model.bandwidth_)
    assert {h for h, _, _ in model.candidates_} >= {math.inf, model.bandwidth_}
    rng = np.random.default_rng(0)
    steady = [documents[i] for i in rng.permutation(300)]
    assert math.isinf(LocalNGram(order=2, side=side).fit(steady, times=times).bandwidth_)
    fixed = LocalNGram(order=1, bandwidth=[1.0, 3.0], background=0.3, side=side).fit(documents, times=times)
    assert fixed.bandwidth_ in (1.0, 3.0)
    assert fixed.background_ == 0.3


def test_a_chosen_model_predicts_better_than_the_global_one():
    documents, times = moving(n=300)
    fresh, when = moving(n=100, seed=1)
    local = LocalNGram(order=2).fit(documents, times=times)
    steady = LocalNGram(order=2, bandwidth="global", background=0.0).fit(documents, times=times)
    assert local.score(fresh, times=when) > steady.score(fresh, times=when) + 0.02


@pytest.mark.filterwarnings("ignore::driftline.core.errors.OutsideSupportWarning")
@pytest.mark.parametrize("side", ["both", "past"])
def test_parts_make_the_whole(side):
    documents, times = moving()
    documents[60] = [*documents[60], 9, 0, 9]  # a new word comes up later
    settings = {"order": 3, "bandwidth": 2.0, "background": 0.1, "side": side}
    whole = LocalNGram(**settings).fit(documents, times=times)
    parts = LocalNGram(**settings)
    for part in np.array_split(np.arange(120), 5):
        parts.partial_fit([documents[i] for i in part], times=times[part])
    parts.partial_fit([], times=[])
    assert parts.n_words_ == whole.n_words_ == 10
    assert parts.n_ngrams_ == whole.n_ngrams_
    known = times >= (times[-1] - 2.0 if side == "past" else 0.0)
    asked = [document for document, kept in zip(documents, known) if kept]
    np.testing.assert_allclose(
        parts.score_samples(asked, times=times[known]), whole.score_samples(asked, times=times[known]), rtol=1e-10
    )


def test_a_stream_is_learned_without_keeping_its_documents(tmp_path):
    documents, times = moving(n=300)
    settings = {"order": 3, "bandwidth": 0.5, "background": 0.1, "side": "past"}
    whole, model = LocalNGram(**settings).fit(documents, times=times), LocalNGram(**settings)
    for part in np.array_split(np.arange(300), 25):
        model.partial_fit([documents[i] for i in part], times=times[part])
    assert model._counts_.shape[0] == 1 + (times >= times[-1] - 1.0 - 0.5 / 16).sum()
    assert model.n_ngrams_ == whole.n_ngrams_
    assert model._counts_.sum() == whole._counts_.sum()
    late = np.flatnonzero(times >= times[-1] - 0.5)
    for each in (model, driftline.load(model.save(tmp_path / "model"))):
        np.testing.assert_allclose(
            each.score_samples([documents[i] for i in late], times=times[late]),
            whole.score_samples([documents[i] for i in late], times=times[late]),
            rtol=1e-10,
        )
        np.testing.assert_allclose(each.probabilities([0], [times[-1]]), whole.probabilities([0], [times[-1]]))
    with pytest.warns(OutsideSupportWarning):
        early = model.probabilities([0], [2.0])  # by all that has been
    assert early.sum() == pytest.approx(1)
    steady = LocalNGram(**settings | {"bandwidth": "global"}).fit(documents, times=times)
    gone = times < times[-1] - 1.0 - 0.5 / 16
    np.testing.assert_allclose(early, steady.probabilities([0], [times[gone][-1] + 1e-9]), rtol=1e-10)
    model.partial_fit([documents[0]], times=[0.0])  # far too late: it counts in the sum
    assert model._counts_.sum() == whole._counts_.sum() + sum(len(documents[0]) - k for k in range(3))
    assert model._counts_.shape[0] == 1 + (times >= times[-1] - 1.0 - 0.5 / 16).sum()


def test_parts_without_times_follow_each_other():
    documents, _ = moving(n=10)
    model = LocalNGram(order=2, bandwidth=4.0, background=0.1).partial_fit(documents[:4]).partial_fit(documents[4:])
    whole = LocalNGram(order=2, bandwidth=4.0, background=0.1).fit(documents)
    np.testing.assert_allclose(model.score_samples(documents), whole.score_samples(documents))


def test_scores_are_per_word_and_pass_over_unknown_words():
    documents, times = moving()
    model = LocalNGram(order=2, bandwidth=2.0, background=0.1).fit(documents, times=times)
    fresh = [[0, 1, -1, 2], [], [-1]]
    each = model.score_samples(fresh, times=[5.0, 5.0, 5.0])
    assert each[1] == each[2] == 0
    assert model.score(fresh, times=[5.0, 5.0, 5.0]) == pytest.approx(each.sum() / 3)
    broken = model.score_samples([[0], [1], [2]], times=[5.0] * 3)
    joined = model.score_samples([[0, -1, 1, -1, 2]], times=[5.0])
    assert joined[0] == pytest.approx(broken.sum())
    assert model.score([[]], times=[5.0]) == 0


def test_words_by_name():
    documents, times = moving()
    words = ["the", "war", "peace", "x", "y", "z", "never"]
    model = LocalNGram(order=2, bandwidth=2.0, background=0.1, vocabulary=words).fit(documents, times=times)
    assert model.n_words_ == 7
    np.testing.assert_array_equal(model.probabilities("the", [5.0]), model.probabilities([0], [5.0]))
    np.testing.assert_array_equal(model.probabilities(["war", "the"], [5.0]), model.probabilities(0, [5.0]))
    never = model.probabilities(["never"], [5.0])
    np.testing.assert_array_equal(never, model.probabilities([], [5.0]))  # an unseen context says nothing
    assert (never > 0).all()
    with pytest.raises(InvalidInput, match="unheard"):
        model.probabilities("unheard", [5.0])


def test_token_sequences_and_lists_are_the_same():
    documents, times = moving()
    flat = TokenSequences(
        np.concatenate(documents).astype(np.int32), np.concatenate([[0], np.cumsum([len(d) for d in documents])])
    )
    one = LocalNGram(bandwidth=2.0, background=0.1).fit(documents, times=times)
    other = LocalNGram(bandwidth=2.0, background=0.1).fit(flat, times=times)
    np.testing.assert_array_equal(one.score_samples(documents, times=times), other.score_samples(flat, times=times))


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("background", [0.0, 0.1])
def test_times_far_outside_are_answered_by_the_latest_counts(side, background):
    documents, times = moving()
    model = LocalNGram(bandwidth=1.0, side=side, background=background).fit(documents, times=times)
    far, last = np.full(3, 1e9), np.full(3, answering_time(times, side, 1e9))
    with pytest.warns(OutsideSupportWarning, match="3 of 3"):
        found = model.score_samples(documents[:3], times=far)
    np.testing.assert_array_equal(found, model.score_samples(documents[:3], times=last))
    with pytest.warns(OutsideSupportWarning):
        np.testing.assert_array_equal(model.probabilities([0], far), model.probabilities([0], last))
    assert model.outside_support([5.0, 1e9]).tolist() == [False, True]


def test_before_everything_all_words_are_alike():
    documents, times = moving()
    model = LocalNGram(bandwidth=1.0, side="past", background=0.1).fit(documents, times=times)
    with pytest.warns(OutsideSupportWarning):
        np.testing.assert_allclose(model.probabilities([0], [-5.0]), 1 / 6)


@pytest.mark.filterwarnings("ignore::driftline.core.errors.OutsideSupportWarning")
@pytest.mark.parametrize("settings", [{}, {"side": "past"}, {"bandwidth": 1.0, "background": 0.0}, {"order": 1}])
@pytest.mark.parametrize(
    "documents",
    [[[0, 1]], [[]], [[], [], []], [[-1, -1], [0]], [[0]] * 40, [[0, 1, 0, 1]] * 40],
    ids=["one", "blank", "blanks", "unknown", "single words", "alike"],
)
def test_awkward_streams(settings, documents):
    for times in (None, np.zeros(len(documents)), 1e14 * np.arange(len(documents))):
        model = LocalNGram(**settings).fit(documents, times=times)
        assert np.isfinite(model.score_samples(documents, times=times)).all()
        assert model.probabilities([0], [0.0]).sum() == pytest.approx(1)


def test_contract_of_an_estimator(tmp_path):
    documents, times = moving()
    model = LocalNGram(order=2, bandwidth=2.0, background=0.1, vocabulary=list("abcdef"))
    with pytest.raises(NotFittedError):
        model.score_samples(documents, times=times)
    with pytest.raises(NotFittedError):
        model.probabilities([0], [1.0])
    assert clone(model).get_params() == model.get_params()
    model.fit(documents, times=times)
    model.save(tmp_path / "model")
    loaded = driftline.load(tmp_path / "model")
    np.testing.assert_array_equal(
        loaded.score_samples(documents, times=times), model.score_samples(documents, times=times)
    )
    for wrong in ({"order": 0}, {"kernel": "square"}, {"bandwidth": -1.0}, {"background": -0.1}, {"side": "left"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            clone(model).set_params(**wrong).fit(documents, times=times)
    with pytest.raises(InvalidInput, match="no document"):
        LocalNGram().fit([])
    with pytest.raises(InvalidInput, match="word number 6"):
        model.score_samples([[6]], times=[1.0])
