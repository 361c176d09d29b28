from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from driftline.streams.document_sources import FEWEST_DOCUMENTS, document_sources


def sources(*origins, n=FEWEST_DOCUMENTS):
    return document_sources(pa.table({"origin": pa.array([each for each in origins for _ in range(n)], pa.string())}))


@pytest.mark.parametrize(
    ("origins", "names"),
    [
        (("a.csv", "b.csv"), ("a.csv", "b.csv")),
        (("x/a.csv", "x/b.csv"), ("x/a.csv", "x/b.csv")),
        (("x/a.csv", "x/b.csv", "y/a.csv"), ("x", "y")),
        (("all.mbox/python-dev", "all.mbox/python-list"), ("all.mbox/python-dev", "all.mbox/python-list")),
        (("data/train-00000-of-00002.arrow", "data/train-00001-of-00002.arrow"), None),
        (("train-00000-of-00001.parquet", "test-00000-of-00001.parquet"), ("test.parquet", "train.parquet")),
        ((None, "a.csv"), None),
        ((None, None), None),
    ],
)
def test_sources_are_the_topmost_parts_that_differ(origins, names):
    found = sources(*origins)
    assert (None if found is None else found.names) == names


def test_a_source_of_few_documents_cannot_be_chosen():
    assert sources(*(f"{number}.txt" for number in range(200)), n=1) is None
    origins = pa.array(["a"] * FEWEST_DOCUMENTS + ["b"] * (FEWEST_DOCUMENTS - 1) + ["c"] * FEWEST_DOCUMENTS + [None])
    found = document_sources(pa.table({"origin": origins}))
    assert found.names == ("a", "c")
    assert np.bincount(found.codes + 1).tolist() == [FEWEST_DOCUMENTS, FEWEST_DOCUMENTS, FEWEST_DOCUMENTS]
