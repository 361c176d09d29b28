"""A memory keeps recent documents, and the sums of the others."""

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.local import LocalMultinomial


def _model(memory, *, times, side="past"):
    X = np.column_stack([np.arange(1.0, 1 + len(times)), np.ones(len(times))])
    model = LocalMultinomial(bandwidth=1.0, strength=1.0, side=side, memory=memory)
    return model.fit(X[:1], times=times[:1]).partial_fit(X[1:], times=times[1:]), X


def test_documents_beyond_twice_the_memory_become_sums():
    model, X = _model(2.0, times=np.arange(10.0))
    assert model._row_times_.tolist() == [5.0, 6.0, 7.0, 8.0, 9.0]  # the one exactly twice the memory back stays
    np.testing.assert_array_equal(model._rows_.toarray(), X[5:])
    np.testing.assert_array_equal(model._forgotten_, X[:5].sum(axis=0))
    assert model._forgotten_before_ == 4.0


def test_times_that_reach_into_what_is_forgotten_are_before_all_memory():
    model, _ = _model(2.0, times=np.arange(10.0))
    assert model._is_forgotten(np.array([4.0, 6.0, 6.5])).tolist() == [True, True, False]
    assert model._remembered(np.array([6.0, 7.0])).tolist() == [-np.inf, 7.0]


def test_without_a_memory_all_documents_stay():
    model, X = _model(None, times=np.array([3.0, 1.0, 2.0]))
    assert model._row_times_.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(model._rows_.toarray(), X[[1, 2, 0]])
    assert model._remembered(np.array([-5.0])).tolist() == [-5.0]
    assert model._memory == np.inf


def test_the_history_is_that_of_the_documents_kept_now():
    model, X = _model(2.0, times=np.arange(10.0))
    assert model._history is model._history
    before = model._history
    model.partial_fit(X[:1], times=[10.0])
    assert model._history is not before
    assert len(model._row_times_) == 5


@pytest.mark.parametrize(("memory", "side", "message"), [(2.0, "both", "keep all documents"), ("2d", "past", "number")])
def test_a_memory_that_cannot_be_kept_is_refused(memory, side, message):
    with pytest.raises(InvalidInput, match=message):
        _model(memory, times=np.arange(10.0), side=side)
