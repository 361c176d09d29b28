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
def test_themes_that_follow_each_other_are_distinguished(loss, learning):
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


@pytest.mark.parametrize("loss", ["squared", "hellinger"])
@pytest.mark.parametrize("words", [[2], [2, 0], [1, 1, 1], [0, 1, 2]])
def test_a_document_shorter_than_the_kernel_is_coded_as_it_is_defined(loss, words):
    documents = [*EXAMPLE, words]
    model = LocalContextSparseCoding(
        2, bandwidth=6.0, loss=loss, alpha=0.05, rho=0.1, code_tol=1e-14, threshold=0.0, random_state=0
    ).fit(documents)
    contexts = np.array([oracle.context(words, i, "gaussian", 6.0, 3) for i in range(len(words))])
    topics = model.topics_.toarray()
    best = (oracle.codes if loss == "squared" else oracle.hellinger_codes)(contexts, topics, 0.05, 0.1)
    flow = model.flow(words).toarray()
    assert flow.shape == (len(words), 2)
    values = [oracle.objective(contexts, codes, topics, 0.05, 0.1, loss) for codes in (flow, best)]
    assert values[0] <= values[1] + 1e-6


def test_without_a_width_and_with_a_topic_for_every_word_the_code_is_the_bag():
    model = LocalContextSparseCoding(3, bandwidth=0.0, rho=0.0, alpha=0.02, random_state=0).fit(EXAMPLE)
    topics = model.topics_.toarray()
    np.testing.assert_allclose(topics[np.argsort(topics.argmax(axis=1))], np.eye(3))
    codes = model.transform([[A, A, A, C], [B]]).toarray() @ topics
    np.testing.assert_allclose(codes, 0.99 * np.array([[0.75, 0, 0.25], [0, 1, 0]]), atol=1e-9)


@pytest.mark.parametrize("loss", ["squared", "hellinger"])
@pytest.mark.parametrize("kernel", ["gaussian", "uniform"])
def test_a_bandwidth_beyond_all_documents_is_nearly_infinite(loss, kernel):
    documents = [*two_themes(6), [0, 0, 1]]
    whole = LocalContextSparseCoding(3, kernel=kernel, bandwidth=math.inf, loss=loss, rho=0.0, random_state=0)
    whole.fit(documents)
    contexts = whole.set_params(bandwidth=1e4).transform(documents).toarray()
    np.testing.assert_allclose(contexts, whole.set_params(bandwidth=math.inf).transform(documents).toarray(), atol=1e-5)


@pytest.mark.parametrize("loss", ["squared", "hellinger"])
def test_partial_fit_comes_near_what_all_at_once_learns(loss):
    documents = two_themes(60)
    options = {"bandwidth": 3.0, "loss": loss, "random_state": 0, "rho": 0.0}
    whole = LocalContextSparseCoding(2, learning="batch", **options).fit(documents)
    parts = LocalContextSparseCoding(2, **options)
    for _ in range(3):
        for start in range(0, 60, 15):
            parts.partial_fit(documents[start : start + 15])
    held_out = two_themes(5, seed=5)
    contexts = [[oracle.context(d, i, "gaussian", 3.0, 10) for i in range(len(d))] for d in held_out]

    def value(model):
        topics = model.topics_.toarray()
        return sum(
            oracle.objective(np.array(phi), model.flow(document).toarray(), topics, 0.01, 0.0, loss)
            for phi, document in zip(contexts, held_out)
        )

    assert value(parts) < 1.15 * value(whole)


def test_words_that_come_later_are_unknown_words():
    model = LocalContextSparseCoding(2, random_state=0).fit([[0, 1, 0, 1], [2, 3, 2, 3]])
    np.testing.assert_array_equal(model.transform([[0, 1, 7, 8, -1]]).toarray(), model.transform([[0, 1]]).toarray())
    np.testing.assert_array_equal(model.flow([7, 0, 9, 1]).toarray(), model.flow([0, 1]).toarray())


def test_transform_neither_changes_the_topics_nor_depends_on_company():
    model = LocalContextSparseCoding(3, bandwidth=2.0, random_state=0, batch_size=2).fit(two_themes(10))
    topics = model.topics_.toarray()
    documents = [*two_themes(4, seed=3), []]
    together = model.transform(documents).toarray()
    apart = np.vstack([model.transform([document]).toarray() for document in documents])
    np.testing.assert_array_equal(together, apart)
    np.testing.assert_array_equal(model.topics_.toarray(), topics)


@pytest.mark.parametrize("step", [0, -1, 1.5])
def test_a_flow_takes_steps_of_whole_words(step):
    model = LocalContextSparseCoding(2, random_state=0).fit(two_themes(2))
    with pytest.raises(InvalidInput, match="step must be an integer of at least 1"):
        model.flow([0, 1, 2], step=step)
