"""Log-likelihoods and labels at the door."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.intensity.tracking.document_evidence import known_topics, text_evidence, unsorted


def test_only_differences_within_a_row_matter():
    logs = np.array([[-1e6, -1e6 - 1], [300.0, 299.0]])
    np.testing.assert_allclose(text_evidence(logs, np.array([-1, -1])), [[1, np.exp(-1)]] * 2)


def test_a_topic_may_be_ruled_out_but_not_all():
    assert text_evidence(np.array([[0.0, -np.inf]]), np.array([-1])).tolist() == [[1.0, 0.0]]
    for row, what in (([-np.inf] * 2, "impossible"), ([np.nan, 0], "NaN"), ([np.inf, 0], "infinitely")):
        with pytest.raises(InvalidInput, match=f"document 1.*{what}"):
            text_evidence(np.array([[0.0, 0.0], row]), np.array([-1, -1]))


def test_unknown_topics_of_every_kind():
    assert known_topics([1, None, float("nan"), -1, 0.0], 5, 2).tolist() == [1, -1, -1, -1, 0]
    assert known_topics(np.array([np.nan, 1.0]), 2, 2).tolist() == [-1, 1]
    assert known_topics([None, None], 2, 2).tolist() == [-1, -1]


@pytest.mark.parametrize("labels", [[0, 1], [0, 1, 2], [0, 1, -2], [0.5, 1, 0], ["a", "b", "c"]])
def test_wrong_labels(labels):
    with pytest.raises(InvalidInput, match="label"):
        known_topics(labels, 3, 2)


def test_the_type_is_kept():
    assert text_evidence(np.zeros((2, 2), dtype=np.float32), np.array([-1, 0])).dtype == np.float32


def test_back_to_the_old_order():
    values = np.arange(5) * 10
    order = np.array([3, 1, 0, 4, 2])
    assert unsorted(values[order], order).tolist() == values.tolist()
    assert unsorted(values, np.arange(5)) is values
