from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.inference.pairs import Pairs
from driftline.topics import LDA
from driftline.topics.fitting import STAGES, learn_topics, partition
from tests.topics.corpora import drawn


def test_partitions_are_all_documents_in_order():
    X, _ = drawn(11, 20, 2)
    parts = partition(Pairs.of(X), 3)
    assert [part.n_documents for part in parts] == [3, 4, 4]
    assert (np.concatenate([part.words for part in parts]) == X.indices).all()
    assert (np.concatenate([part.counts for part in parts]) == X.data).all()
    assert all(part.indptr[0] == 0 and part.indptr[-1] == len(part.words) for part in parts)
    assert sum(part.n_documents for part in partition(Pairs.of(X), 20)) == 11


def test_every_inference_of_lda_has_its_stages():
    names = next(iter(LDA._parameter_constraints["inference"])).options
    assert set(STAGES) == {(name, way) for name in names for way in ("whole", "parts")} | {("online", "passes")}


@pytest.mark.parametrize("options", [{"inference": "gibbs"}, {"inference": "vb"}, {"n_partitions": 2}])
def test_what_does_not_run_on_a_graphics_processor_is_reported(options):
    X, _ = drawn(3, 20, 2)
    with pytest.raises(InvalidInput, match="engine='gpu' learns with inference='online' and without n_partitions"):
        LDA(2, engine="gpu", **options).fit(X)


def test_nothing_is_done_without_words():
    X, _ = drawn(3, 20, 2)
    report = learn_topics(None, Pairs.of(X * 0), None, LDA())
    assert report.n_epochs == 0
    assert report.trace.size == 0
