"""The documents of a frame as input of classifiers: counts, other rows or a precomputed kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.matrices import check_values
from driftline.evolving.frames.frame_records import FrameRecords
from driftline.evolving.frames.neighbour_graph import cosine_neighbours, kernel_neighbours
from driftline.evolving.frames.tfidf import are_counts, tfidf


class FrameInput(FrameRecords):
    """Checks the documents of frames, weights their words and finds their neighbours."""

    kernel: str | None
    n_features_in_: int
    n_jobs: int | None
    n_neighbors: int
    weighting: str | None
    frame_starts_: list[float]
    _document_frequencies_: Floats
    _n_documents_: int
    _weighs_words_: bool

    @property
    def _is_pairwise(self) -> bool:
        return self.kernel == "precomputed"

    @property
    def _is_weighted(self) -> bool:
        """Whether documents are counts to be weighted; ``"auto"`` is decided by the first documents."""
        return getattr(self, "_weighs_words_", True) if self.weighting == "auto" else self.weighting == "tfidf"

    def _check_documents(self, X: Any, *, reset: bool, may_be_empty: bool = False) -> Counts:
        if self._is_pairwise:
            kernel = validate_data(self, X, dtype=np.float64, reset=reset)
            check_values(kernel)
            return kernel
        if may_be_empty and getattr(X, "shape", (1,))[0] == 0:
            if not reset and X.shape[1] != self.n_features_in_:
                raise InvalidInput(f"the frame has {X.shape[1]} columns, the model knows {self.n_features_in_} words")
            self.n_features_in_ = X.shape[1]
            return sp.csr_matrix(X.shape, dtype=np.float64)
        if self.weighting == "auto" and (reset or not hasattr(self, "_weighs_words_")):
            self._weighs_words_ = are_counts(X)
        return self._check_counts(X, reset=reset) if self._is_weighted else self._check_rows(X, reset=reset)

    def _features(self, documents: Counts) -> Counts:
        if self._is_weighted and not self._is_pairwise:
            return tfidf(documents, self._document_frequencies_, self._n_documents_)
        return documents

    def _neighbours(self, features: Counts) -> sp.csr_matrix:
        if self._is_pairwise:
            return kernel_neighbours(features, self.n_neighbors)
        return cosine_neighbours(features, self.n_neighbors, n_jobs=self.n_jobs)

    def _rows_of(self, X: Counts, rows: Ints, earlier: Ints) -> tuple[Counts, Floats | None]:
        """Return some documents; of a precomputed kernel, that among them and that with the frame before."""
        return (X[np.ix_(rows, rows)], X[np.ix_(rows, earlier)]) if self._is_pairwise else (X[rows], None)

    def _default_start(self) -> float:
        return self.frame_starts_[-1] + 1.0 if self.frame_starts_ else 0.0
