from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from driftline.coding import LocallyWeightedBagOfWords
from driftline.coding.lowbow import place_weights
from driftline.core.errors import InvalidInput


@pytest.mark.parametrize("n, positions, bandwidth", [(1, 3, 0.1), (5, 2, 0.3), (7, 4, 0.05), (3, 5, 2.0)])
def test_weights_are_integrals_of_the_cut_off_gaussian(n, positions, bandwidth):
    found = place_weights(n, positions, bandwidth)
    for place in range(positions):
        middle = (place + 0.5) / positions
        density = lambda t, m=middle: math.exp(-0.5 * ((t - m) / bandwidth) ** 2)
        parts = np.array([quad(density, j / n, (j + 1) / n, points=[middle])[0] for j in range(n)])
        np.testing.assert_allclose(found[place], parts / parts.sum(), atol=1e-9)


def test_weights_stay_finite_for_tiny_bandwidths():
    found = place_weights(1000, 3, 1e-4)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_the_limits_are_the_bag_and_the_word():
    words = [0, 1, 2, 2]
    bag = LocallyWeightedBagOfWords(math.inf, 4).fit([words]).curve(words).toarray()
    np.testing.assert_allclose(bag, np.tile([0.25, 0.25, 0.5], (4, 1)))
    single = LocallyWeightedBagOfWords(1e-3, 4).fit([words]).curve(words).toarray()
    np.testing.assert_allclose(single, np.eye(3)[words], atol=1e-12)


def test_documents_become_rows_and_empty_ones_zero():
    model = LocallyWeightedBagOfWords(0.2, 3, n_words=4).fit([[0]])
    rows = model.transform([[0, 1, 2], [], [-1, 9], [3]]).toarray()
    assert rows.shape == (4, 12)
    np.testing.assert_allclose(rows[0].reshape(3, 4), model.curve([0, 1, 2]).toarray())
    assert not rows[1:3].any()
    np.testing.assert_allclose(rows[3].reshape(3, 4)[:, 3], 1)
    assert model.transform([]).shape == (0, 12)
    assert len(model.get_feature_names_out()) == 12


def test_smoothing_gives_every_word_a_share():
    curve = LocallyWeightedBagOfWords(0.2, 2, smoothing=0.5, n_words=3).fit([[0]]).curve([0, 1]).toarray()
    assert curve.min() > 0
    np.testing.assert_allclose(curve.sum(axis=1), 1)


def test_a_document_is_fast_where_it_changes_its_subject():
    words = [0, 1] * 20 + [2, 3] * 20
    model = LocallyWeightedBagOfWords(0.04, 20).fit([words])
    speed = model.speed(words)
    assert speed.shape == (19,)
    assert speed.argmax() == 9
    assert not model.speed([]).any()
    picture = model.picture(words)
    assert picture.shape == (20, 2)
    assert np.ptp(picture[:8, 0]) < 0.2 * np.ptp(picture[:, 0])
    assert not model.picture([]).any()


@pytest.mark.parametrize("documents", [[], [[]], [[-1]]])
def test_nothing_to_learn_from_is_refused(documents):
    with pytest.raises(InvalidInput, match="document"):
        LocallyWeightedBagOfWords().fit(documents)


def test_one_word_and_fewer_words_than_places_have_a_whole_curve():
    model = LocallyWeightedBagOfWords(0.1, 8, n_words=3).fit([[0]])
    np.testing.assert_allclose(model.curve([2]).toarray(), np.tile([0, 0, 1], (8, 1)))
    np.testing.assert_allclose(model.speed([2]), 0, atol=1e-7)
    short = model.curve([0, 1]).toarray()
    np.testing.assert_allclose(short.sum(axis=1), 1)
    np.testing.assert_allclose(short[:, 0], short[::-1, 1], atol=1e-12)
    assert (np.diff(short[:, 0]) < 0).all()


def test_unknown_words_are_passed_over():
    model = LocallyWeightedBagOfWords(0.2, 4).fit([[0, 1, 2]])
    np.testing.assert_array_equal(model.curve([0, -1, 1, 9, 2]).toarray(), model.curve([0, 1, 2]).toarray())


@pytest.mark.parametrize("bandwidth", [1e2, 1e4])
def test_wide_bandwidths_come_to_the_bag(bandwidth):
    words = [0, 1, 1, 2, 0, 0]
    curve = LocallyWeightedBagOfWords(bandwidth, 5).fit([words]).curve(words).toarray()
    np.testing.assert_allclose(curve, np.tile([1 / 2, 1 / 3, 1 / 6], (5, 1)), atol=1 / bandwidth)


def test_order_is_seen_where_a_bag_sees_none():
    model = LocallyWeightedBagOfWords(0.1, 4).fit([[0, 1]])
    there, back = (model.transform([words]).toarray() for words in ([0, 0, 1, 1], [1, 1, 0, 0]))
    assert np.abs(there - back).max() > 0.5
    bag = LocallyWeightedBagOfWords(math.inf, 4).fit([[0, 1]])
    np.testing.assert_array_equal(bag.transform([[0, 0, 1, 1]]).toarray(), bag.transform([[1, 1, 0, 0]]).toarray())
