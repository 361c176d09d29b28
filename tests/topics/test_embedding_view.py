from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.topics.embedding_view import EmbeddingView, checked_embeddings, view_of_fit


def test_vectors_are_centred_reduced_and_of_unit_length():
    rng = np.random.default_rng(0)
    embeddings = rng.standard_normal((300, 80)) * np.linspace(3, 0.01, 80) + 7.0
    view = EmbeddingView.of(embeddings)
    vectors = view.vectors(embeddings)
    assert vectors.shape == (300, 50)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)
    centred = embeddings - embeddings.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    slow = centred @ directions[:50].T
    slow /= np.linalg.norm(slow, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(vectors[:, 0]), np.abs(slow[:, 0]), atol=1e-9)
    np.testing.assert_allclose(vectors @ vectors.T, slow @ slow.T, atol=1e-8)
    assert EmbeddingView.of(embeddings[:, :4]).vectors(embeddings[:, :4]).shape == (300, 4)


@pytest.mark.parametrize(
    ("embeddings", "match"),
    [
        (np.ones((4, 3)), "4 embeddings for 5 documents"),
        (np.ones(5), "documents × dimensions"),
        (np.ones((5, 0)), "documents × dimensions"),
        ([["a"]] * 5, "array of numbers"),
        (np.where(np.eye(5), np.nan, 1.0), "document 0 contains NaN"),
        (np.where(np.arange(5)[:, None] == 3, 0.0, np.ones((5, 2))), r"document 3 is all zeros \(1 such document\)"),
        (np.eye(5) + 1j, "complex numbers"),
        (np.where(np.arange(5)[:, None] == 2, 1e300, np.ones((5, 2))), r"1e\+300 \(document 2\)"),
        (np.full((5, 2), 1e-200), "divide them all"),
    ],
)
def test_bad_embeddings_are_named(embeddings, match):
    with pytest.raises(InvalidInput, match=match):
        checked_embeddings(embeddings, 5)


def test_another_number_of_dimensions_is_named():
    with pytest.raises(InvalidInput, match="3 dimensions; those of the fit had 4"):
        checked_embeddings(np.ones((5, 3)), 5, 4)


def test_equal_embeddings_are_not_used():
    view, vectors, notes = view_of_fit(np.ones((5, 3)), 5)
    assert (view.mean.shape, vectors) == ((0,), None)
    assert notes == ["the embeddings were not used, as all are equal"]
    assert view_of_fit(np.ones((1, 3)), 1)[1] is not None, "one embedding has no other"
    assert view_of_fit(None, 5)[1:] == (None, [])


@pytest.mark.parametrize("scale", [1e-90, 1.0, 1e90])
def test_the_scale_of_embeddings_does_not_matter(scale):
    embeddings = np.random.default_rng(0).standard_normal((40, 6))
    plain = view_of_fit(embeddings, 40)[1]
    scaled = view_of_fit(scale * embeddings, 40)[1]
    np.testing.assert_allclose(scaled @ scaled.T, plain @ plain.T, atol=1e-9)
