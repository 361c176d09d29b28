from __future__ import annotations

import math

import numpy as np
import pytest

from driftline.coding import LocalContextSparseCoding
from driftline.core.errors import InvalidInput
from tests.oracles import local_context as oracle

A, B, C = 0, 1, 2
EXAMPLE = [
    [A, B, A, B, A, B, C, C, C],
    [B, A, B, A, B, A, C, C, C],
    [A, C, A, C, A, C, B, B, B],
    [C, A, C, A, C, A, B, B, B],
]


def two_themes(n=40, seed=0):
    """Documents that speak of words 0-4 in one half and of 5-9 in the other."""
    rng = np.random.default_rng(seed)
    return [np.concatenate([rng.integers(0, 5, 20), rng.integers(5, 10, 20)]) for _ in range(n)]


@pytest.mark.parametrize("loss", ["squared", "hellinger"])
@pytest.mark.parametrize("seed", range(5))
def test_the_example_of_the_paper_is_recovered_from_every_start(loss, seed):
    model = LocalContextSparseCoding(2, bandwidth=0.7, loss=loss, random_state=seed, max_iter=300, tol=1e-7)
    codes = model.fit_transform(EXAMPLE).toarray()
    topics = model.topics_.toarray()
    assert {tuple(np.flatnonzero(topic > 0.05)) for topic in topics} == {(A, B), (A, C)}
    of_ab = codes[:, int(np.argmax(topics[:, B]))] - codes[:, int(np.argmax(topics[:, C]))]
    assert (of_ab[:2] > 0).all()
    assert (of_ab[2:] < 0).all()
    assert (np.diff(model.objectives_) <= 1e-12).all()


@pytest.mark.parametrize("loss", ["squared", "hellinger"])
@pytest.mark.parametrize("learning", ["batch", "mini-batch"])
def test_themes_that_follow_each_other_are_told_apart(loss, learning):
    model = LocalContextSparseCoding(
        2, bandwidth=4.0, loss=loss, learning=learning, batch_size=10, random_state=1, prune=0.01
    ).fit(two_themes())
    shares = model.topics_.toarray()
    first = int(np.argmax(shares[:, :5].sum(axis=1)))
    assert shares[first, :5].sum() > 0.9
    assert shares[1 - first, 5:].sum() > 0.9
    flow = model.flow(two_themes(1, seed=9)[0]).toarray()
    assert flow.shape == (40, 2)
    assert (flow[:15].argmax(axis=1) == first).all()
    assert (flow[25:].argmax(axis=1) == 1 - first).all()


def test_the_document_is_the_mean_of_its_flow():
    documents = two_themes()
    model = LocalContextSparseCoding(3, bandwidth=2.0, random_state=0).fit(documents)
    np.testing.assert_allclose(
        model.transform(documents[:1]).toarray()[0], model.flow(documents[0]).toarray().mean(axis=0), atol=1e-12
    )
    peaks = model.set_params(pooling="max").transform(documents[:1]).toarray()[0]
    np.testing.assert_allclose(peaks, model.flow(documents[0]).toarray().max(axis=0), atol=1e-12)


def test_transform_is_the_minimiser_of_the_objective():
    model = LocalContextSparseCoding(4, bandwidth=1.0, alpha=0.05, rho=0.1, random_state=0, code_tol=1e-14)
    model.fit(two_themes(10))
    words = [3, 7, 7, 1, 0, 9]
    contexts = np.array([oracle.context(words, i, "gaussian", 1.0, 10) for i in range(6)])
    expected = oracle.codes(contexts, model.topics_.toarray(), 0.05, 0.1).mean(axis=0)
    np.testing.assert_allclose(model.transform([words]).toarray()[0], expected, atol=1e-3)


def test_empty_documents_single_words_and_unknown_words():
    model = LocalContextSparseCoding(3, bandwidth=5.0, random_state=0).fit([[], [0], [0, 1, 2, 1], [2, -1]])
    codes = model.transform([[], [1], [-1, 99], [1, -1, 99]]).toarray()
    assert not codes[0].any()
    assert not codes[2].any()
    assert codes[1].any()
    np.testing.assert_allclose(codes[3], codes[1])
    assert model.flow([]).shape == (0, 3)
    assert model.flow([-1, 99]).shape == (0, 3)
    assert model.transform([]).shape == (0, 3)


@pytest.mark.parametrize("bandwidth", [0.0, 0.1, 0.3])
def test_a_narrow_bandwidth_sees_unigrams_whatever_their_order(bandwidth):
    model = LocalContextSparseCoding(3, bandwidth=bandwidth, random_state=0).fit(EXAMPLE)
    codes = model.transform(EXAMPLE).toarray()
    np.testing.assert_allclose(codes, np.tile(codes[0], (4, 1)))
    assert sorted(model.topics_.toarray().max(axis=1)) == pytest.approx([1, 1, 1])


def test_an_infinite_bandwidth_sees_the_bag_of_the_document():
    documents = [*two_themes(6), [0, 0, 1], [5, 6]]
    model = LocalContextSparseCoding(2, bandwidth=math.inf, random_state=0).fit(documents)
    rng = np.random.default_rng(0)
    shuffled = [rng.permutation(document) for document in documents]
    np.testing.assert_allclose(model.transform(shuffled).toarray(), model.transform(documents).toarray(), atol=1e-12)
    flow = model.flow([0, 0, 1]).toarray()
    assert flow.shape == (3, 2)
    np.testing.assert_array_equal(flow[0], flow[2])
    assert model.flow([0, 0, 1], step=2).shape == (2, 2)


def test_partial_fit_learns_from_batches_and_keeps_its_words():
    documents = two_themes(60)
    model = LocalContextSparseCoding(4, bandwidth=2.0, random_state=0)
    for start in range(0, 60, 10):
        model.partial_fit(documents[start : start + 10])
    assert len(model.objectives_) == 6
    assert model.objectives_[-1] < model.objectives_[0]
    model.partial_fit([[], [-1, 50]])
    assert model.topics_.shape == (4, 10)
    assert len(model.objectives_) == 6


def test_the_callers_words_are_left_as_they_are():
    documents = [np.array([3, 1, 3, 0], dtype=np.int32), np.array([2, 2, 1], dtype=np.int32)]
    copies = [words.copy() for words in documents]
    LocalContextSparseCoding(2, random_state=0, learning="mini-batch").fit(documents)
    for words, copy in zip(documents, copies):
        np.testing.assert_array_equal(words, copy)


def test_steps_and_caps():
    model = LocalContextSparseCoding(4, bandwidth=2.0, max_active=1, max_positions=5, random_state=0)
    model.fit(two_themes(10))
    whole, some = model.flow(two_themes(1)[0]), model.flow(two_themes(1)[0], step=4)
    assert np.diff(whole.indptr).max() == 1
    assert some.shape == (10, 4)


def test_words_have_names():
    words = list("abcdefghij")
    model = LocalContextSparseCoding(2, bandwidth=4.0, random_state=0, vocabulary=words).fit(two_themes())
    assert {frozenset(top) for top in model.top_words(5)} == {frozenset("abcde"), frozenset("fghij")}
    assert all(isinstance(word, int) for word in model.set_params(vocabulary=None).top_words(2)[0])
    assert model.get_feature_names_out().tolist() == ["localcontextsparsecoding0", "localcontextsparsecoding1"]


@pytest.mark.parametrize("documents", [[], [[]], [[-1, -1]]])
def test_nothing_to_learn_from_is_refused(documents):
    for method in ("fit", "partial_fit"):
        with pytest.raises(InvalidInput, match="document"):
            getattr(LocalContextSparseCoding(2), method)(documents)


def test_rare_words_weigh_more_with_idf():
    documents = [[0, 1], [0, 2], [0, 3], [0, 4]] * 3
    plain = LocalContextSparseCoding(4, bandwidth=math.inf, random_state=0, max_iter=1).fit(documents)
    weighted = LocalContextSparseCoding(4, bandwidth=math.inf, random_state=0, weighting="idf", max_iter=1).fit(
        documents
    )
    assert weighted.topics_[:, 0].max() < plain.topics_[:, 0].max()
