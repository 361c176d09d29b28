import numpy as np
import scipy.sparse as sp

from driftline.local.changed_words.unit_exchange import mean_rows


def test_mean_rows_are_those_of_the_groups(monkeypatch):
    monkeypatch.setattr("driftline.smoothing.grouping.BLOCK", 7)
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.6, (40, 9)).astype(float)
    group = np.sort(rng.integers(0, 11, 40))
    _, group = np.unique(group, return_inverse=True)
    expected = np.array([dense[group == g].mean(axis=0) for g in range(group.max() + 1)])
    found = mean_rows(sp.csc_array(dense), group, 1 / np.bincount(group))
    np.testing.assert_allclose(found.toarray(), expected)
    assert found.has_canonical_format
