"""The documents of a frame as classifiers take them: counts, other rows or a precomputed kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.matrices import check_values
from driftline.evolving.frames.frame_records import FrameRecords
from driftline.evolving.frames.neighbour_graph import cosine_neighbours, kernel_neighbours
from driftline.evolving.frames.tfidf import tfidf


class FrameInput(FrameRecords):
    """Checks the documents of frames, weighs their words and finds their neighbours."""

    kernel: str | None
    n_features_in_: int
    n_jobs: int | None
    n_neighbors: int
    weighting: str | None
    frame_starts_: list[float]
    _document_frequencies_: Floats
    _n_documents_: int

    @property
    def _is_pairwise(self) -> bool:
        return self.kernel == "precomputed"

    def _check_documents(self, X: Any, *, reset: bool, may_be_empty: bool = False) -> Any:
        if self._is_pairwise:
            kernel = validate_data(self, X, dtype=np.float64, reset=reset)
            check_values(kernel)
            return kernel
        if may_be_empty and getattr(X, "shape", (1,))[0] == 0:
            if not reset and X.shape[1] != self.n_features_in_:
                raise InvalidInput(f"the frame has {X.shape[1]} columns, the model knows {self.n_features_in_} words")
            self.n_features_in_ = X.shape[1]
            return sp.csr_matrix(X.shape, dtype=np.float64)
        if self.weighting == "tfidf":
            return self._check_counts(X, reset=reset)
        return self._check_rows(X, reset=reset)

    def _features(self, documents: Any) -> Any:
        if self.weighting == "tfidf" and not self._is_pairwise:
            return tfidf(documents, self._document_frequencies_, self._n_documents_)
        return documents

    def _neighbours(self, features: Any) -> sp.csr_matrix:
        if self._is_pairwise:
            return kernel_neighbours(features, self.n_neighbors)
        return cosine_neighbours(features, self.n_neighbors, n_jobs=self.n_jobs)

    def _rows_of(self, X: Any, rows: Ints, earlier: Ints) -> tuple[Any, Floats | None]:
        """Return some documents; of a precomputed kernel, that among them and that with the frame before."""
        return (X[np.ix_(rows, rows)], X[np.ix_(rows, earlier)]) if self._is_pairwise else (X[rows], None)

    def _default_start(self) -> float:
        return self.frame_starts_[-1] + 1.0 if self.frame_starts_ else 0.0
