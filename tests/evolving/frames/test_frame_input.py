"""The documents of a frame: counts, other rows, or a precomputed kernel."""

import numpy as np
import pytest
import scipy.sparse as sp

import driftline
from driftline.core.errors import InvalidInput
from driftline.evolving import EvolutionaryClassifier, EvolutionarySmoother, ManifoldClassifier
from driftline.evolving.frames.tfidf import tfidf

X = np.array([[3.0, 0, 1], [0, 2, 0], [1, 1, 4], [2, 0, 0]])


def test_counts_are_weighted_and_other_rows_are_not():
    counted = ManifoldClassifier()
    documents = counted._check_documents(X, reset=True)
    counted._document_frequencies_, counted._n_documents_ = np.array([3.0, 2.0, 2.0]), 4
    expected = tfidf(documents, counted._document_frequencies_, 4)
    np.testing.assert_array_equal(counted._features(documents).toarray(), expected.toarray())
    plain = ManifoldClassifier(weighting=None)
    documents = plain._check_documents(X - 1, reset=True)
    np.testing.assert_array_equal(sp.csr_matrix(plain._features(documents)).toarray(), X - 1)
    with pytest.raises(ValueError, match="Negative"):
        ManifoldClassifier(weighting="tfidf")._check_documents(X - 1, reset=True)


def test_an_empty_frame_must_have_the_columns_of_the_model():
    model = ManifoldClassifier()
    model._check_documents(X, reset=True)
    empty = model._check_documents(np.empty((0, 3)), reset=False, may_be_empty=True)
    assert empty.shape == (0, 3)
    with pytest.raises(InvalidInput, match="2 columns, the model knows 3"):
        model._check_documents(np.empty((0, 2)), reset=False, may_be_empty=True)
    with pytest.raises(ValueError, match="0 sample"):
        model._check_documents(np.empty((0, 3)), reset=False)
    first = ManifoldClassifier()
    assert first._check_documents(np.empty((0, 5)), reset=True, may_be_empty=True).shape == (0, 5)
    assert first.n_features_in_ == 5


def test_rows_of_a_kernel_are_rows_and_columns():
    kernel = X @ X.T
    rows, earlier = np.array([2, 3]), np.array([0, 1])
    model = ManifoldClassifier(kernel="precomputed", weighting=None)
    documents = model._check_documents(kernel, reset=True)
    among, across = model._rows_of(documents, rows, earlier)
    np.testing.assert_array_equal(among, kernel[2:, 2:])
    np.testing.assert_array_equal(across, kernel[2:, :2])
    np.testing.assert_array_equal(model._features(documents), kernel)
    chosen, nothing = ManifoldClassifier()._rows_of(sp.csr_matrix(X), rows, earlier)
    np.testing.assert_array_equal(chosen.toarray(), X[2:])
    assert nothing is None


def test_neighbours_of_documents_are_those_of_their_cosines():
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    found = ManifoldClassifier(n_neighbors=1)._neighbours(sp.csr_matrix(unit))
    nearest = (unit @ unit.T - 2 * np.eye(4)).argmax(axis=1)
    assert all(found[row, place] > 0 for row, place in enumerate(nearest))
    by_kernel = ManifoldClassifier(kernel="precomputed", n_neighbors=1)._neighbours(unit @ unit.T)
    assert all(by_kernel[row, place] > 0 for row, place in enumerate(nearest))


def test_frames_without_a_start_follow_each_other():
    model = ManifoldClassifier()
    model.frame_starts_ = []
    assert model._default_start() == 0.0
    model.frame_starts_ = [0.0, 7.0]
    assert model._default_start() == 8.0


@pytest.mark.parametrize("make", [EvolutionaryClassifier, ManifoldClassifier, EvolutionarySmoother])
def test_vectors_are_not_weighted_and_counts_are(make):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    vectors = rng.normal(size=(60, 8)) + 3 * (y[:, None] == np.arange(8) % 2)
    counts = rng.poisson(0.2 + 2 * (y[:, None] == np.arange(8) % 2))
    few = np.where(np.arange(60) < 20, y, -1)
    for X, weighting in ((vectors, None), (counts, "tfidf")):
        found = make().fit(X, few)
        given = make(weighting=weighting).fit(X, few)
        assert np.array_equal(found.transduction_, given.transduction_)
        assert np.mean(found.transduction_ == y) > 0.9
    with pytest.raises(InvalidInput, match="Negative"):
        make(weighting="tfidf").fit(vectors, few)


def test_the_first_frame_decides_and_it_is_saved(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    vectors = rng.normal(size=(40, 8)) + 3 * (y[:, None] == np.arange(8) % 2)
    model = EvolutionaryClassifier().partial_fit(np.empty((0, 8)), np.empty(0, dtype=int), classes=[0, 1])
    model.partial_fit(vectors, y)
    again = driftline.load(model.save(tmp_path / "model"))
    again.partial_fit(np.abs(np.floor(vectors)), y)
    assert again._is_weighted is False
    assert np.mean(again.predict(vectors) == y) > 0.9
