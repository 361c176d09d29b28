"""The four-document example of local context sparse coding: LCSC separates what bags of words and LDA cannot.

python -m benchmarks.coding.example [NUMBER OF STARTS]
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.measure import print_table
from driftline.base.sequence_input import as_sequences
from driftline.coding import LocalContextSparseCoding

A, B, C = 0, 1, 2
DOCUMENTS = [
    [A, B, A, B, A, B, C, C, C],
    [B, A, B, A, B, A, C, C, C],
    [A, C, A, C, A, C, B, B, B],
    [C, A, C, A, C, A, B, B, B],
]
STARTS = 20


def gap(rows: np.ndarray) -> float:
    """Distance between the pairs, over the mean distance within them (infinite if they are points)."""
    between = np.linalg.norm(rows[:2].mean(axis=0) - rows[2:].mean(axis=0))
    within = np.linalg.norm(rows[0] - rows[1]) / 2 + np.linalg.norm(rows[2] - rows[3]) / 2
    return float(between / max(within, 1e-12)) if between > 1e-12 else 0.0


def main() -> None:
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else STARTS
    counts = as_sequences(DOCUMENTS).to_counts(3).toarray()
    lda = LatentDirichletAllocation(2, random_state=0).fit_transform(counts)
    rows = [["bag of words", "–", gap(counts.astype(float))], ["LDA, K = 2", "–", gap(lda)]]
    for loss in ("squared", "hellinger"):
        found, gaps, rises = 0, [], 0
        for seed in range(starts):
            model = LocalContextSparseCoding(2, bandwidth=0.7, loss=loss, max_iter=300, tol=1e-7, random_state=seed)
            gaps.append(gap(model.fit_transform(DOCUMENTS).toarray()))
            topics = {tuple(np.flatnonzero(topic > 0.05)) for topic in model.topics_.toarray()}
            found += topics == {(A, B), (A, C)}
            rises += int((np.diff(model.objectives_) > 1e-12).sum())
        rows.append(
            [f"LCSC, {loss}", f"{found} of {starts} starts; objective rose {rises} times", float(np.median(gaps))]
        )
    print_table(
        "Section 5.1: documents 1, 2 against 3, 4 (K = 2, h = 0.7)",
        ["representation", "topics {a, b} and {a, c} found", "distance between pairs / within"],
        rows,
    )


if __name__ == "__main__":
    main()
