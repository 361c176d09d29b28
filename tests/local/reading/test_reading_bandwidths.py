import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import reading_curves as oracle

from driftline.local.reading.reading_bandwidths import left_out_means, unit_scores
from driftline.streams.unit_counts import unit_counts


@pytest.fixture
def counted():
    rng = np.random.default_rng(3)
    times = np.sort(rng.integers(0, 40, 400)).astype(float)
    X = rng.random((400, 3)) < np.column_stack([np.full(400, 0.2), times / 80, np.full(400, 0.01)])
    return unit_counts(sp.csr_array(X.astype(float)), times=times)


@pytest.mark.parametrize("bandwidth", [1.7, 6.0, 25.0, np.inf])
def test_scores_are_those_of_units_left_out(counted, bandwidth):
    counts = counted.counts.toarray()
    means, scores = left_out_means(counted, bandwidth), unit_scores(counted, bandwidth)
    for word in range(3):
        column = counts[:, word]
        expected = [
            oracle.left_out_mean(counted.times, column, counted.totals, unit, bandwidth)
            for unit in range(len(counted.times))
        ]
        np.testing.assert_allclose(means[:, word], expected, rtol=1e-9)
        assert scores[word] == pytest.approx(oracle.score(counted.times, column, counted.totals, bandwidth))
