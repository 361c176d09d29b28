from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.streams.units import units_of
from driftline.topics import LDA, contrasts
from driftline.topics.contexts.contrasts import _expected_uses, _log_ratios
from tests.oracles.contexts import log_ratio


def reviews(n=300, seed=0, differ=True):
    """Two topics, two brands; in the first topic the brands have words of their own if they differ."""
    rng = np.random.default_rng(seed)
    topics = np.kron(np.eye(2), np.full(10, 0.1))
    own = topics.copy()
    if differ:
        own[0, :2] = [0.18, 0.02]
    brand = np.arange(n) % 2
    shares = rng.dirichlet([1.0, 1.0], n)
    counts = [rng.multinomial(30, row @ (own if b else topics)) for row, b in zip(shares, brand)]
    return sp.csr_array(np.array(counts, dtype=float)), brand


def test_log_ratios_and_errors_are_those_of_the_definition():
    X, brand = reviews(40)
    lda = LDA(2, random_state=0).fit(X)
    author = units_of(None, unit=np.arange(40) // 3, n=40)  # authors who wrote about both brands
    _topic, uses = next(_expected_uses(lda, X))
    total = uses.sum(axis=1)
    found = _log_ratios(uses, total, author, brand == 0, brand == 1, 10.0)
    dense = uses.toarray()
    for w in range(20):
        by_unit = [
            [[v[(author.index == u) & (brand == b)].sum() for u in range(author.n)] for v in (dense[:, w], total)]
            for b in (0, 1)
        ]
        delta, error = log_ratio(by_unit[0][0], by_unit[0][1], by_unit[1][0], by_unit[1][1], 10.0, 0.5)
        np.testing.assert_allclose([found.log_ratio[w], found.error[w]], [delta, error], rtol=1e-9)


def test_expected_uses_of_all_topics_add_up_to_the_counts():
    X, _ = reviews(30)
    lda = LDA(2, random_state=0).fit(X)
    total = sum(uses for _, uses in _expected_uses(lda, X))
    np.testing.assert_allclose(total.toarray(), X.toarray(), atol=1e-9)


def test_the_words_in_which_brands_differ_are_found_with_their_sign():
    X, brand = reviews()
    lda = LDA(2, random_state=0).fit(X)
    found = contrasts(lda, X, between=np.where(brand, "b", "a"))
    first = int(np.argmax(lda.components_[:, 2]))
    signs = {word: np.sign(ratio) for topic, group, word, ratio in found.significant(first) if group == "a"}
    assert signs[0] == -1
    assert signs[1] == 1
    assert set(signs) == {0, 1}
    assert (found.lower <= found.log_ratio).all()
    assert (found.log_ratio <= found.upper).all()
    assert found.to_frame().shape[0] == len(found.columns)


def test_shuffled_brands_hardly_ever_differ():
    alarms = 0
    for seed in range(10):
        X, brand = reviews(150, seed, differ=False)
        lda = LDA(2, random_state=0, max_epochs=10).fit(X)
        alarms += contrasts(lda, X, between=brand).differs.any()
    assert alarms <= 2


def test_more_than_two_groups_are_each_compared_with_all_others():
    X, brand = reviews()
    group = np.where(brand, "b", np.where(np.arange(len(brand)) % 4, "c", "a"))
    found = contrasts(LDA(2, random_state=0).fit(X), X, between=group, n_shuffles=5)
    assert set(found.group) == {"a", "b", "c"}


def test_rare_words_are_not_tested():
    X, brand = reviews()
    found = contrasts(LDA(2, random_state=0).fit(X), X, between=brand, min_documents=10_000)
    assert not len(found.columns)
    assert found.significant() == []
    assert "0 words" in repr(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"between": ["a"] * 20}, "only one group, 'a'"),
        ({"between": [0, 1] * 10, "prior": 0}, "prior must be above 0"),
        ({"between": [0, 1] * 10, "level": 2}, "level must lie"),
        ({"between": [0, 1] * 10, "unit": "6h"}, "unit='6h' needs times="),
        ({"between": [0, 1]}, "there are 20 documents but between= has 2"),
    ],
)
def test_bad_input_is_named(options, message):
    X, _ = reviews(20)
    with pytest.raises(InvalidInput, match=message):
        contrasts(LDA(2, random_state=0).fit(X), X, **options)
