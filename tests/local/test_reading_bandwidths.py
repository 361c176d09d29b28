import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import reading_curves as oracle

from driftline.local.reading_bandwidths import left_out_means, reading_bandwidths, unit_scores
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
            oracle.left_out_mean(counted.times, column, counted.totals, unit, bandwidth) for unit in range(counted.n)
        ]
        np.testing.assert_allclose(means[:, word], expected, rtol=1e-9)
        assert scores[word] == pytest.approx(oracle.score(counted.times, column, counted.totals, bandwidth))


def test_candidates_lie_between_what_can_be_seen_and_a_fifth_of_the_span():
    found = reading_bandwidths(np.arange(1201.0))
    assert found[0] == pytest.approx(20.0)
    assert found[-1] == pytest.approx(240.0)
    assert len(found) == 12
    assert reading_bandwidths(np.arange(81.0))[0] == pytest.approx(2.0)
    assert reading_bandwidths(np.arange(81.0), at_least=7.0)[0] == 7.0


def test_weekends_without_documents_do_not_break_the_line():
    workdays = np.array([day for day in range(100) if day % 7 < 5], dtype=float)
    narrowest = reading_bandwidths(workdays)[0]
    for at in np.arange(3.0, 90.0, 0.25):
        assert (np.abs(workdays - at) < narrowest).sum() >= 3


@pytest.mark.parametrize("times", [[], [5.0], [5.0, 5.0], [1.0, 2.0], [1.0, 2.0, 3.0]])
def test_few_units_have_one_candidate(times):
    found = reading_bandwidths(np.array(times))
    assert len(found) == 1
    assert found[0] > 0
