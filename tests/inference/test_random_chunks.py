"""The order in which documents are learned."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.random_chunks import CHUNKS, LONGEST_RUN, RUNS, in_runs, n_chunks


@pytest.mark.parametrize("n", [0, 1, 7, RUNS, 2 * RUNS + 1, LONGEST_RUN * RUNS, 20 * RUNS + 3])
def test_every_document_once_in_runs_of_neighbours(n):
    order = in_runs(np.random.default_rng(0), n)
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    run = max(1, min(LONGEST_RUN, n // RUNS))
    starts = np.flatnonzero(np.diff(order, prepend=-2) != 1)
    assert (order[starts] % run == 0).all()
    assert len(starts) <= -(-n // run)
    if run > 1:
        assert len(starts) > 0.9 * n / run  # hardly any two runs are neighbours by chance


def test_another_generator_gives_another_order():
    first, second = (in_runs(np.random.default_rng(seed), 1000) for seed in (0, 1))
    assert (first != second).any()


@pytest.mark.parametrize(
    ("n_documents", "width", "wanted"),
    [
        (0, 8, 1),
        (1, 8, 1),
        (CHUNKS - 1, 8, CHUNKS - 1),
        (CHUNKS + 1, 8, CHUNKS),
        (2**20, 2**8, 32),  # 2**30 bytes: sixteen parts of 2**26, two chunks each
        (2**20 + 1, 2**8, 34),
        (2**20 - 2**16, 2**8, CHUNKS),
    ],
)
def test_chunks_are_thirty_or_as_many_as_memory_needs(n_documents, width, wanted):
    assert n_chunks(n_documents, width) == wanted
