from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.topics import TopicMap
from driftline.topics.topic_number import supported_topics


@pytest.mark.parametrize(
    ("distinct", "requested", "expected"),
    [
        *[(1, None, 1), (4, None, 1), (12, None, 2), (60, None, 2), (350, None, 3), (1999, None, 19), (2500, None, 20)],
        *[(350, 20, 20), (350, 30, 30), (60, 20, 12), (1, 5, 1), (9, 1, 1)],
    ],
)
def test_number_of_topics_and_a_note_if_it_is_smaller(distinct, requested, expected):
    X = sp.csr_array(sp.vstack([sp.eye_array(distinct), sp.eye_array(distinct), sp.csr_array((3, distinct))]))
    found, notes = supported_topics(X, requested)
    assert found == expected, "copies and empty documents do not count"
    assert bool(notes) == (expected < (requested or 20))
    assert all(f"{expected} instead of {requested or 20} topics" in note for note in notes)


def test_the_map_takes_its_default_from_the_documents():
    X = np.random.default_rng(0).poisson(0.5, (300, 40))
    by_default, given = TopicMap(random_state=0).fit(X), TopicMap(5, random_state=0).fit(X)
    assert len(by_default.components_) in (2, 3)
    assert "instead of 20 topics" in by_default.notes_[0]
    assert len(given.components_) == 5
    assert not any("instead of" in note for note in given.notes_)
