from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.topics import NetworkTopics
from driftline.topics.networks.link_weights import checked_links, row_weights


def test_rows_sum_to_one_or_are_empty():
    rng = np.random.default_rng(0)
    links = sp.csr_array(np.where(rng.random((30, 30)) < 0.05, rng.random((30, 30)), 0.0))
    total = row_weights(checked_links(links, 30)).sum(axis=1)
    assert set(np.round(total, 12)) <= {0.0, 1.0}


def test_unsorted_indices_of_the_input_are_not_changed():
    given = sp.csr_array((np.array([1.0, 2.0]), np.array([2, 1]), np.array([0, 2, 2, 2])), shape=(3, 3))
    found = checked_links(given, 3)
    assert given.indices.tolist() == [2, 1]
    np.testing.assert_array_equal(found.toarray(), [[0, 2, 1], [0, 0, 0], [0, 0, 0]])


def test_self_links_are_counted_and_left_out():
    X = np.ones((4, 3))
    with pytest.warns(UserWarning, match="2 documents are linked to themselves"):
        model = NetworkTopics(2, random_state=0).fit(X, links=np.diag([1.0, 1.0, 0.0, 0.0]))
    assert model.n_self_links_ == 2
    assert model.n_links_ == 0


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (np.ones((2, 3)), "links is 2 × 3, but there are 4 documents"),
        (-np.ones((4, 4)), "non-negative numbers"),
        (np.full((4, 4), np.nan), "non-negative numbers"),
    ],
)
def test_bad_links_are_named(links, message):
    with pytest.raises(InvalidInput, match=message):
        NetworkTopics(2).fit(np.ones((4, 3)), links=links)
