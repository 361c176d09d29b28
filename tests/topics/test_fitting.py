from __future__ import annotations

import numpy as np

from driftline.inference.variational_completion import Pairs
from driftline.topics.fitting import partition
from tests.topics.corpora import drawn


def test_partitions_are_all_documents_in_order():
    X, _ = drawn(11, 20, 2)
    parts = partition(Pairs.of(X), 3)
    assert [part.n_documents for part in parts] == [3, 4, 4]
    assert (np.concatenate([part.words for part in parts]) == X.indices).all()
    assert (np.concatenate([part.counts for part in parts]) == X.data).all()
    assert all(part.indptr[0] == 0 and part.indptr[-1] == len(part.words) for part in parts)
    assert sum(part.n_documents for part in partition(Pairs.of(X), 20)) == 11
