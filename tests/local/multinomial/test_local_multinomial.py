"""LocalMultinomial: estimates, curves with bands that cover, scores, and defined answers to odd questions."""

from __future__ import annotations

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from tests.local.streams import drifting, small
from tests.oracles.local_likelihood import distribution

from driftline.core.errors import InvalidInput, OutsideSupportWarning
from driftline.local.background_prior import Prior
from driftline.local.bandwidths.bandwidth_choice import CHOICES
from driftline.local.multinomial.local_multinomial import LocalMultinomial
from driftline.smoothing.kernels import KERNEL_NAMES, Kernel
from driftline.text.vocabulary import Vocabulary

DATES = np.datetime64("2003-02-01")


@pytest.fixture(scope="module")
def stream():
    return drifting(n_documents=1200)


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("kernel", KERNEL_NAMES)
def test_probabilities_are_the_definition(kernel, side):
    counts, times = small()
    when = np.array([1.0, 2.5, 3.0])
    for smoothing, strength, prior in (
        (0.0, "cv", Prior.bare()),
        (6.0, "cv", Prior("dirichlet", 6.0)),
        ("jelinek-mercer", 0.3, Prior("jelinek-mercer", 0.3)),
        ("additive", 0.3, Prior("additive", 0.3)),
    ):
        model = LocalMultinomial(kernel, 2.2, side, smoothing, strength).fit(counts, times=times)
        found = model.probabilities(when)
        for row, t in zip(found, when):
            np.testing.assert_allclose(row, distribution(counts, times, t, Kernel(kernel, side), 2.2, prior))


def test_ratio_of_sums_is_not_the_mean_of_ratios():
    """One long and one short document: (8) weights words, not documents."""
    model = LocalMultinomial(bandwidth=1.0, smoothing=0.0).fit([[90, 10], [0, 10]], times=[0, 0])
    assert model.probabilities([0])[0, 0] == pytest.approx(90 / 110)


def test_extremes_are_limits(stream):
    counts, times, _ = stream
    when = times[[100, 700]]

    def at(bandwidth):
        return LocalMultinomial(bandwidth=bandwidth, smoothing=0.0).fit(counts, times=times).probabilities(when)

    np.testing.assert_allclose(at("global"), at(1e9), rtol=1e-6)
    np.testing.assert_allclose(at("global")[0], counts.sum(axis=0).A1 / counts.sum())
    np.testing.assert_allclose(at("per-time"), at(1e-12))
    np.testing.assert_allclose(at("per-time")[0], counts[100].toarray()[0] / counts[100].sum())


@pytest.mark.parametrize("smoothing", ["dirichlet", "jelinek-mercer"])
def test_a_huge_bandwidth_is_the_global_model_for_any_strength(stream, smoothing):
    counts, times, _ = stream
    one, other = (
        LocalMultinomial(bandwidth=1e12, smoothing=smoothing, strength=s).fit(counts, times=times).probabilities([0.5])
        for s in (0.01, 0.9)
    )
    np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("bandwidth", [*CHOICES, "global", "per-time", 0.1])
def test_every_choice_gives_distributions_and_scores_that_agree(stream, bandwidth, side):
    counts, times, _ = stream
    model = LocalMultinomial(bandwidth=bandwidth, side=side).fit(counts, times=times)
    rows = slice(100, 1200, 200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutsideSupportWarning)
        theta = model.probabilities(times[rows])
        scores = model.score_samples(counts[rows], times=times[rows])
    np.testing.assert_allclose(theta.sum(axis=1), 1)
    expected = (counts[rows].toarray() * np.log(theta)).sum(axis=1)
    np.testing.assert_allclose(scores, expected, rtol=1e-9)
    if bandwidth != "per-time":
        assert model.score(counts[rows], times=times[rows]) == pytest.approx(expected.sum() / counts[rows].sum())


@pytest.mark.parametrize("side", ["both", "past"])
def test_following_the_drift_pays_and_mixing_pays_more(side):
    counts, times, _ = drifting(n_documents=3000, seed=5)
    held_out = np.random.default_rng(0).random(3000) < 0.2
    scores = {}
    for bandwidth in ("global", "cv", "mix"):
        model = LocalMultinomial(bandwidth=bandwidth, side=side).fit(counts[~held_out], times=times[~held_out])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OutsideSupportWarning)
            scores[bandwidth] = model.score(counts[held_out], times=times[held_out])
    assert scores["cv"] > scores["global"] + 0.02
    assert scores["mix"] > scores["cv"] - 0.002


def test_online_looks_only_at_the_past(stream):
    counts, times, _ = stream
    changed = counts.copy().tolil()
    changed[times >= times[600]] = 7
    for bandwidth in (0.2, "per-time"):
        one, other = (
            LocalMultinomial(bandwidth=bandwidth, side="past", strength=50.0).fit(X, times=times)
            for X in (counts, changed.tocsr())
        )
        np.testing.assert_allclose(one.probabilities(times[600:601]), other.probabilities(times[600:601]))


def test_bands_cover(stream):
    """Pointwise, frequent and rare, at rest and moving: the full table is printed by benchmarks.local.bands."""
    covered = []
    when = np.linspace(0.1, 0.95, 12)
    for seed, side in ((0, "both"), (1, "past"), (2, "both"), (3, "past")):
        counts, times, path = drifting(seed=seed, n_documents=1200, rho=0.05 * (seed > 1))
        curve = LocalMultinomial(side=side).fit(counts, times=times).frequency(np.arange(60), when)
        truth = path(when).T
        covered.append((curve.lower <= truth) & (truth <= curve.upper))
    assert 0.92 < np.mean(covered) < 0.985
    assert np.mean([c[:15].mean() for c in covered]) > 0.89


def test_curves_of_one_and_of_many(stream):
    counts, times, path = stream
    words = Vocabulary([f"w{i}" for i in range(60)])
    model = LocalMultinomial(bandwidth=0.1, vocabulary=words).fit(counts, times=times)
    one, many = model.frequency("w3"), model.frequency(["w3", 0])
    assert one.value.shape == (200,)
    assert many.value.shape == (2, 200)
    np.testing.assert_allclose(many.value[0], one.value)
    assert (one.lower <= one.value).all()
    assert (one.value <= one.upper).all()
    assert np.corrcoef(one.value, path(one.times)[:, 3])[0, 1] > 0.8
    narrower = model.frequency("w3", level=0.5)
    assert (narrower.upper - narrower.lower < one.upper - one.lower).all()
    np.testing.assert_allclose(model.effective_size(one.times), one.effective_size)


def test_dates_durations_and_vocabulary():
    counts, times = small()
    dates = DATES + times.astype("timedelta64[D]")
    answers = [
        LocalMultinomial(bandwidth=b, strength=5.0).fit(counts, times=dates).probabilities(dates[:2])
        for b in (2.0, "2d", "48h", np.timedelta64(2, "D"), datetime.timedelta(days=2))
    ]
    for answer in answers[1:]:
        np.testing.assert_allclose(answer, answers[0])
    model = LocalMultinomial(bandwidth="2d", vocabulary=["a", "b", "c", "d"]).fit(counts, times=dates)
    assert model.frequency("b").times.dtype == np.dtype("datetime64[us]")
    with pytest.raises(InvalidInput, match="not in the vocabulary"):
        model.frequency("z")


def test_parts_are_the_whole(stream):
    counts, times, _ = stream
    whole = LocalMultinomial(bandwidth=0.1, strength=20.0).fit(counts, times=times)
    parts = LocalMultinomial(bandwidth=0.1, strength=20.0)
    for rows in (slice(0, 500), slice(500, 501), slice(501, 1200)):
        parts.partial_fit(counts[rows], times=times[rows])
    np.testing.assert_allclose(parts.probabilities([0.3]), whole.probabilities([0.3]))
    np.testing.assert_allclose(parts.dispersion_, whole.dispersion_)
    chosen = LocalMultinomial().partial_fit(counts[:300], times=times[:300])
    before = chosen.n_documents_at_choice_
    chosen.partial_fit(counts[300:400], times=times[300:400])
    assert chosen.n_documents_at_choice_ == before
    chosen.partial_fit(counts[400:800], times=times[400:800])
    assert chosen.n_documents_at_choice_ == 800


def test_without_times_documents_follow_each_other(stream):
    counts, _, _ = stream
    model = (
        LocalMultinomial(bandwidth=50.0, strength=20.0)
        .partial_fit(counts[:600], times=range(600))
        .partial_fit(counts[600:])
    )
    whole = LocalMultinomial(bandwidth=50.0, strength=20.0).fit(counts, times=range(counts.shape[0]))
    np.testing.assert_allclose(model.probabilities([900]), whole.probabilities([900]))


def test_outside_support_the_latest_distribution_answers_and_says_so():
    counts, times = small()
    model = LocalMultinomial(bandwidth=2.0, strength=3.0).fit(counts, times=times)
    with pytest.warns(OutsideSupportWarning, match="1 of 2 times has no data"):
        theta = model.probabilities([2.0, 1e6])
    assert model.outside_support_.tolist() == [False, True]
    np.testing.assert_array_equal(theta[1], model.probabilities([times[-1]])[0])
    totals = counts.sum(axis=0)
    with pytest.warns(OutsideSupportWarning):
        curve = model.frequency(0, [1e6])
    assert curve.value[0] == pytest.approx((totals[0] + 0.1) / (totals.sum() + 0.4))
    assert (curve.lower[0], curve.upper[0], curve.effective_size[0]) == (0.0, 1.0, 0.0)
    with pytest.warns(OutsideSupportWarning):
        assert np.isfinite(model.score(counts[:1], times=[-1e9]))


@pytest.mark.parametrize("bandwidth", [*CHOICES, "global", "per-time", 1.0])
@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.filterwarnings("ignore::driftline.core.errors.OutsideSupportWarning")
def test_odd_streams_have_defined_answers(bandwidth, side):
    rng = np.random.default_rng(0)
    some = rng.poisson(1.0, (6, 3)).astype(float)
    for counts, times in (
        (some, np.zeros(6)),
        (some[:1] + 1, np.array([5.0])),
        (np.zeros((4, 3)), np.arange(4.0)),
        (some, np.array([0.0, 1e-9, 1e9, 1e9, 1e12, 1e12])),
        (some, 1e15 + np.arange(6.0)),
        (np.column_stack([some[:, 0], np.zeros(6), np.zeros(6)]), np.arange(6.0)),
    ):
        model = LocalMultinomial(bandwidth=bandwidth, side=side).fit(counts, times=times)
        when = [times[0], times[-1] + 1, -1e18]
        theta = model.probabilities(when)
        np.testing.assert_allclose(theta.sum(axis=1), 1)
        curve = model.frequency([0, 2], when)
        assert np.isfinite([curve.value, curve.lower, curve.upper, curve.effective_size]).all()
        assert ((curve.lower >= 0) & (curve.lower <= curve.upper) & (curve.upper <= 1)).all()
        assert np.isfinite(model.drift_speed(when).value).all()
        assert np.isfinite(model.score_samples(counts, times=times)).all()
        assert np.isfinite(model.score(np.zeros((1, 3)), times=[0.0]))


def test_bare_estimates_of_unseen_words_are_impossible_not_wrong():
    model = LocalMultinomial(bandwidth=1.0, smoothing=0.0).fit([[1, 0], [2, 0]], times=range(2))
    assert model.score_samples([[0, 1]])[0] == -np.inf
    assert model.score_samples([[0, 0]])[0] == 0.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"bandwidth": "often"}, "not a duration|must be a number"),
        ({"bandwidth": -1.0}, "bandwidth"),
        ({"kernel": "box"}, "kernel"),
        ({"side": "future"}, "side"),
        ({"smoothing": "laplace"}, "smoothing"),
        ({"strength": -1}, "strength"),
        ({"smoothing": "jelinek-mercer", "strength": 2.0}, "at most 1"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        LocalMultinomial(**parameters).fit(np.ones((4, 2)), times=range(4))


def test_drift_speed_stands_out_where_the_stream_moves():
    rng = np.random.default_rng(0)
    t = np.sort(rng.random(4000))
    share = 0.2 + 0.5 / (1 + np.exp(-(t - 0.5) * 40))
    first = rng.binomial(20, share)
    X = sp.csr_matrix(np.column_stack([first, 20 - first]).astype(float))
    speed = LocalMultinomial().fit(X, times=t).drift_speed(np.linspace(0, 1, 41), bandwidth=0.1)
    fastest = int(np.argmax(speed.value))
    assert abs(speed.times[fastest] - 0.5) < 0.06
    assert speed.lower[fastest] > speed.noise_floor[fastest]
    assert speed.lower[2] < 2 * speed.noise_floor[2]


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.1])
@pytest.mark.parametrize("side", ["both", "past"])
def test_bands_cover_frequent_and_rare_words(side, rho):
    """93 to 97 %, with a margin for so few streams."""
    when = np.linspace(0.1, 0.95, 12)
    covered = []
    for seed in range(8):
        counts, times, path = drifting(seed=seed, n_documents=2500, n_words=300, rho=rho, speed=0.6)
        curve = LocalMultinomial(side=side).fit(counts, times=times).frequency(np.arange(300), when)
        truth = path(when).T
        covered.append((curve.lower <= truth) & (truth <= curve.upper))
    by_word = np.mean(covered, axis=(0, 2))
    for words in (slice(0, 20), slice(20, 100), slice(100, 300)):
        assert 0.915 < by_word[words].mean() < 0.98


@pytest.mark.slow
@pytest.mark.parametrize(("side", "slope"), [("both", -0.8), ("past", -2 / 3)])
def test_error_falls_as_fast_as_theory_says(side, slope):
    rng = np.random.default_rng(0)
    _, _, path = drifting(n_words=20, speed=0.5)
    times, when = np.linspace(0, 1, 1001), np.linspace(0.5, 0.9, 5)
    sizes, widths, truth = np.array([1e4, 1e5, 1e6]), np.geomspace(0.02, 0.5, 12), path(when)
    least = []
    for size in sizes:
        error = np.zeros(len(widths))
        for _ in range(15):
            counts = rng.poisson(size / 1001 * path(times))
            for j, h in enumerate(widths):
                model = LocalMultinomial(bandwidth=float(h), side=side, smoothing=0.0).fit(counts, times=times)
                error[j] += ((model.probabilities(when) - truth) ** 2).sum(axis=1).mean()
        least.append(error.min())
    assert np.polyfit(np.log(sizes), np.log(least), 1)[0] == pytest.approx(slope, abs=0.12)


@pytest.mark.parametrize("bandwidth", [np.timedelta64(9, "D"), datetime.timedelta(days=9), "9d", 9.0])
def test_a_bandwidth_may_be_a_number_a_duration_or_a_timedelta(bandwidth):
    times = np.arange("2024-01-01", "2024-02-01", dtype="datetime64[D]")
    counts = np.random.default_rng(0).integers(0, 5, (len(times), 3))
    assert LocalMultinomial(bandwidth=bandwidth).fit(counts, times=times).bandwidth_ == 9.0


@pytest.mark.parametrize("bandwidth", [0.05, "global", "per-time", "mix"])
@pytest.mark.parametrize("kernel", ["triangular", "gaussian"])
def test_a_short_memory_answers_like_a_long_one_where_it_remembers(stream, bandwidth, kernel):
    counts, times, _ = stream
    settings = {"bandwidth": bandwidth, "kernel": kernel, "side": "past", "strength": 20.0}
    forgetful, mindful = (LocalMultinomial(**settings, memory=memory) for memory in (0.2, None))
    for rows in (slice(0, 500), slice(500, 501), slice(501, 800), slice(800, 1000)):
        for model in (forgetful, mindful):
            model.partial_fit(counts[rows], times=times[rows])
    assert forgetful._rows_.shape[0] == (times[:1000] >= times[999] - 0.4).sum() < mindful._rows_.shape[0]
    if bandwidth == "mix":  # what is remembered is too little to choose the same: take over the choice
        assert np.isinf(forgetful.bandwidth_[-1])
        reach = Kernel(kernel, "past").support * forgetful.bandwidth_[:-1]
        assert reach.max() <= 0.2 * (1 + 1e-12)
        mindful._components_ = forgetful._components_
    when = np.concatenate([times[999] - np.linspace(0.2, 0, 5), [times[999] + 0.01]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutsideSupportWarning)
        np.testing.assert_allclose(forgetful.probabilities(when), mindful.probabilities(when), rtol=1e-9)
        assert not forgetful.outside_support_[1:].any()
        late = slice(990, 1000)
        np.testing.assert_allclose(
            forgetful.score_samples(counts[late], times=times[late]),
            mindful.score_samples(counts[late], times=times[late]),
        )


def test_what_is_forgotten_is_answered_by_all_that_has_been(stream):
    counts, times, _ = stream
    model = LocalMultinomial(bandwidth=0.05, side="past", smoothing=0.0, memory=0.1)
    model.partial_fit(counts[:900], times=times[:900]).partial_fit(counts[900:], times=times[900:])
    gone = times < times[-1] - 0.2
    with pytest.warns(OutsideSupportWarning, match="1 of 2 times has no data"):
        found = model.probabilities([0.3, 0.97])
    np.testing.assert_allclose(found[0], counts[gone].sum(axis=0).A1 / counts[gone].sum())
    with pytest.warns(OutsideSupportWarning):
        curve = model.frequency(0, [0.3])
    assert (curve.lower[0], curve.upper[0], curve.effective_size[0]) == (0.0, 1.0, 0.0)
    before = model._forgotten_.sum()
    model.partial_fit(counts[:1], times=[0.0])  # far too late: it counts in the sums alone
    assert model._forgotten_.sum() == before + counts[0].sum()
    assert model.n_documents_seen_ == 1201


def test_memory_stays_bounded_and_the_chosen_bandwidth_within_it():
    rng = np.random.default_rng(0)
    model = LocalMultinomial(side="past", memory=50.0)
    sizes = []
    for batch in range(12):
        counts = rng.poisson(1.0, (100, 5))
        model.partial_fit(counts, times=100 * batch + np.arange(100.0))
        sizes.append(model._rows_.shape[0])
        assert np.isfinite(model.score(counts[-1:], times=[100.0 * batch + 100]))
        assert np.isfinite(model.frequency([0, 1], None if batch else [50.0]).upper).all()
        assert np.isfinite(model.drift_speed().value).all()
    assert sizes[1:] == [101] * 11
    finite = model.bandwidth_[np.isfinite(model.bandwidth_)]
    assert finite.max() <= 50.0
    assert model.n_documents_seen_ == 1200


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"memory": 5.0}, "side='past'"),
        ({"memory": 5.0, "bandwidth": "global"}, "side='past'"),
        ({"memory": 5.0, "side": "past", "bandwidth": 6.0}, "exceeds the memory"),
        ({"memory": -1.0, "side": "past"}, "memory"),
        ({"memory": "0d", "side": "past"}, "memory"),
    ],
)
def test_a_memory_that_cannot_be_is_refused(parameters, message):
    days = np.datetime64("2024-01-01") + np.arange(4)
    with pytest.raises(ValueError, match=message):
        LocalMultinomial(**parameters).fit(np.ones((4, 2)), times=days)


def test_one_model_scores_by_a_mixture_and_draws_by_single_bandwidths(stream):
    """The default serves both uses: the mixture is the distribution, single bandwidths are behind every curve."""
    counts, times, _ = stream
    default, single = (LocalMultinomial(**settings).fit(counts, times=times) for settings in ({}, {"bandwidth": "cv"}))
    assert len(default.bandwidth_) == len(default.bandwidth_weights_) > 1
    assert default.typical_bandwidth_ == single.bandwidth_ == single.typical_bandwidth_
    when = times[[200, 900]]
    for one, other in zip(default.frequency([0, 9], when)[1:5], single.frequency([0, 9], when)[1:5]):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(default.drift_speed(when).value, single.drift_speed(when).value)
    assert not np.allclose(default.probabilities(when), single.probabilities(when))


def test_a_data_frame_is_scored_with_its_column_names():
    counts, times = small()
    frame = pd.DataFrame(counts, columns=[f"word {k}" for k in range(counts.shape[1])])
    named = LocalMultinomial(bandwidth=2.0).fit(frame, times=times)
    assert named.score(frame, times=times) == LocalMultinomial(bandwidth=2.0).fit(counts, times=times).score(
        counts, times=times
    )
