from __future__ import annotations

import math

import numpy as np
import pytest

import driftline
from driftline.core.errors import InvalidInput
from driftline.sequences import CRF, LocalCRF, Templates

# The order of the documents is their time, which is what most of these tests mean
pytestmark = pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")

WORDS = Templates(((("word", 0),), (("word", -1),)))


def sentences(n, changes, seed=0):
    """Return sentences in which words keep their tags, or exchange them at some sentences."""
    rng = np.random.default_rng(seed)
    home = np.arange(12) % 3
    words, tags = [], []
    for number in range(n):
        if number in changes:
            home = rng.permutation(home)
        state = rng.integers(0, 12, 5)
        words.append([f"w{k}" for k in state])
        tags.append([f"T{home[k]}" if rng.random() < 0.95 else "T0" for k in state])
    return words, tags


def local(**options):
    return LocalCRF(WORDS, l2=0.1, max_iter=25, random_state=0, **options)


def test_every_fit_is_the_crf_of_its_weights():
    words, tags = sentences(60, [30])
    when = np.linspace(0, 10, 60)
    model = local(bandwidth=4.0, n_fits=3, side="both").fit(words, tags, times=when)
    for place, at in enumerate(model.fit_times_):
        weights = np.maximum(1 - np.abs(when - at) / 4.0, 0)
        alone = CRF(WORDS, l2=0.1, max_iter=25).fit(words, tags, sample_weight=weights)
        np.testing.assert_allclose(model.weights_[place], alone.weights_, atol=2e-4)
        np.testing.assert_allclose(model.transition_[place], alone.transition_, atol=2e-4)


def test_an_infinite_bandwidth_is_the_crf():
    words, tags = sentences(60, [30])
    alone = CRF(WORDS, l2=0.1, max_iter=25).fit(words, tags)
    for bandwidth in ("global", math.inf):
        model = local(bandwidth=bandwidth).fit(words, tags)
        np.testing.assert_allclose(model.weights_[0], alone.weights_, atol=1e-6)
        assert [one.tolist() for one in model.predict(words)] == [one.tolist() for one in alone.predict(words)]
        np.testing.assert_allclose(model.predict_marginals(words[:1])[0], alone.predict_marginals(words[:1])[0])


def test_validation_finds_drift_and_follows_it():
    words, tags = sentences(500, [100, 200, 300, 400])
    model = local(n_fits=4).fit(words[:480], tags[:480], times=range(480))
    assert model.bandwidth_ < 240
    assert "weights falling over" in model.chosen_
    alone = CRF(WORDS, l2=0.1, max_iter=25).fit(words[:480], tags[:480])
    assert model.score(words[480:], tags[480:], times=range(480, 500)) > alone.score(words[480:], tags[480:]) + 0.1


@pytest.mark.parametrize("side", ["past", "both"])
def test_validation_reports_that_forgetting_does_not_help(side):
    words, tags = sentences(240, [])
    times = np.datetime64("2003-01-01") + np.arange(240)
    model = local(side=side, n_fits=2).fit(words, tags, times=times)
    assert math.isinf(model.bandwidth_)
    assert model.chosen_.startswith("all sentences alike: forgetting does not pay")
    assert "days" in model.chosen_
    assert len(model.weights_) == 1
    assert {"bandwidth", "name", "loss", "accuracy", "loss_gain", "accuracy_gain"} == set(model.candidates_[0])


def test_the_order_of_sentences_does_not_matter_if_they_have_times():
    words, tags = sentences(80, [40])
    times, order = np.arange(80.0), np.random.default_rng(1).permutation(80)
    first = local(bandwidth=20.0, n_fits=2).fit(words, tags, times=times)
    other = local(bandwidth=20.0, n_fits=2).fit([words[k] for k in order], [tags[k] for k in order], times=times[order])
    assert first.score(words, tags, times=times) == pytest.approx(other.score(words, tags, times=times), abs=0.01)
    np.testing.assert_array_equal(first.fit_times_, other.fit_times_)


def test_past_fits_do_not_use_later_sentences():
    words, tags = sentences(80, [])
    changed = [*tags[:40], *[["T2"] * 5] * 40]
    first = local(bandwidth=30.0, n_fits=2).fit(words, tags, times=range(80))
    other = local(bandwidth=30.0, n_fits=2).fit(words, changed, times=range(80))
    seen = [one.tolist() for one in first.predict(words[:5], times=[40] * 5)]
    assert seen == [one.tolist() for one in other.predict(words[:5], times=[40] * 5)]
    assert other.predict([["w0"]])[0].tolist() == ["T2"]  # without times: after all sentences


def test_dates_durations_and_lists_of_bandwidths():
    words, tags = sentences(60, [])
    times = np.datetime64("2003-01-01") + np.arange(60)
    assert local(bandwidth="2w", n_fits=2).fit(words, tags, times=times).bandwidth_ == 14.0
    model = local(bandwidth=["10d", "30d"], n_fits=2).fit(words, tags, times=times)
    assert {one["bandwidth"] for one in model.candidates_} == {10.0, 30.0, math.inf}
    assert model.fit_times_.dtype.kind == "M"


def test_few_or_simultaneous_sentences_are_one_fit():
    words, tags = sentences(10, [])
    for times in (None, [3.0] * 10):
        model = local().fit(words, tags, times=times)
        assert math.isinf(model.bandwidth_)
        assert "too few" in model.chosen_
        assert model.candidates_ == []


def test_bad_input_is_named():
    words, tags = sentences(10, [])
    with pytest.raises(InvalidInput, match="bandwidth must be positive"):
        local(bandwidth=["0d"]).fit(words, tags, times=np.datetime64("2003-01-01") + np.arange(10))
    with pytest.raises(InvalidInput, match="times"):
        local().fit(words, tags, times=[1.0])
    with pytest.raises(InvalidInput, match="sentence 0 has 5 tokens but 4 tags"):
        local().fit(words, [tags[0][:4], *tags[1:]])
    with pytest.raises(InvalidInput, match="no token has a tag"):
        local().fit(words, [None] * 10)
    with pytest.raises(InvalidInput):
        local(bandwidth="soon").fit(words, tags)
    model = local(bandwidth=3.0, n_fits=2).fit([[], *words], [[], *tags])
    assert [len(one) for one in model.predict([[], ["w1"]])] == [0, 1]


def test_it_is_saved(tmp_path):
    words, tags = sentences(60, [30])
    model = local(bandwidth=10.0, n_fits=2).fit(words, tags, times=range(60))
    model.save(tmp_path / "model")
    loaded = driftline.load(tmp_path / "model")
    assert [one.tolist() for one in loaded.predict(words, times=range(60))] == [
        one.tolist() for one in model.predict(words, times=range(60))
    ]
