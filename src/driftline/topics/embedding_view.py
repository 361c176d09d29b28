"""Embeddings given by the user: checked, centred, reduced to 50 dimensions, and scaled to unit length."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.results import counted
from driftline.engines.blas import one_blas_thread
from driftline.topics.cluster_start import unit_rows

DIMENSIONS = 50
SAMPLE = 20_000
"""Number of documents, evenly spaced, from which the principal components are computed."""
MAGNITUDES = 1e-100, 1e100
"""Range of the largest absolute value of the embeddings; outside it, squares are not finite or vanish."""


class EmbeddingView(NamedTuple):
    """The mean embedding, and the principal components, dimensions of embeddings × at most 50."""

    mean: Floats
    basis: Floats

    @classmethod
    def of(cls, embeddings: Floats) -> EmbeddingView:
        """Compute mean and principal components of checked embeddings."""
        some = embeddings[:: -(-len(embeddings) // SAMPLE)]
        mean = some.mean(axis=0)
        with one_blas_thread():
            values, directions = np.linalg.eigh((some - mean).T @ (some - mean))
        kept = np.argsort(-values, kind="stable")[: min(DIMENSIONS, len(some), embeddings.shape[1])]
        return cls(mean, np.ascontiguousarray(directions[:, kept]))

    def vectors(self, embeddings: Floats) -> Floats:
        """Return unit vectors, documents × dimensions; an embedding at the mean is zero."""
        with one_blas_thread():
            return unit_rows((embeddings - self.mean) @ self.basis)


def view_of_fit(embeddings: object, n_documents: int) -> tuple[EmbeddingView, Floats | None, list[str]]:
    """Return the view of the embeddings of a fit, their vectors, and notes; no vectors if none can be used."""
    nothing = EmbeddingView(np.empty(0), np.empty((0, 0)))
    if embeddings is None:
        return nothing, None, []
    checked = checked_embeddings(embeddings, n_documents)
    if n_documents > 1 and (checked == checked[0]).all():
        return nothing, None, ["the embeddings were not used, as all are equal"]
    view = EmbeddingView.of(checked)
    return view, view.vectors(checked), []


def checked_embeddings(embeddings: object, n_documents: int, n_columns: int | None = None) -> Floats:
    """Return embeddings as documents × dimensions in double precision; raise an error if they cannot be used."""
    try:
        given = np.asarray(embeddings)
        if np.iscomplexobj(given):
            raise TypeError("complex numbers cannot be used")
        found = given.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"embeddings must be an array of numbers, documents × dimensions: {error}") from None
    if found.ndim != 2 or not found.shape[1]:
        raise InvalidInput(f"embeddings must be documents × dimensions, not an array of shape {found.shape}")
    if len(found) != n_documents:
        raise InvalidInput(f"there are {len(found)} embeddings for {n_documents} documents; give one per document")
    if n_columns is not None and found.shape[1] != n_columns:
        raise InvalidInput(f"the embeddings have {found.shape[1]} dimensions; those of the fit had {n_columns}")
    bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(bad):
        raise InvalidInput(f"the embedding of document {bad[0]} contains NaN or infinity ({_such(bad)})")
    zero = np.flatnonzero(~found.any(axis=1))
    if len(zero):
        raise InvalidInput(
            f"the embedding of document {zero[0]} is all zeros ({_such(zero)}): "
            "leave these documents out, or give them the mean of the others"
        )
    largest = np.abs(found).max(axis=1)
    if len(found) and not MAGNITUDES[0] <= largest.max() <= MAGNITUDES[1]:
        row = int(largest.argmax())
        raise InvalidInput(
            f"the largest value of the embeddings is {largest[row]:.0e} (document {row}), outside "
            f"{MAGNITUDES[0]:.0e} to {MAGNITUDES[1]:.0e}; divide them all by a constant"
        )
    return found


def _such(rows: Ints) -> str:
    return counted(len(rows), "such document")
