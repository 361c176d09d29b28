from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from driftline.base.estimator import DriftEstimator


class Part(BaseEstimator):
    pass


class Learner(DriftEstimator):
    _changed_in_place = ("sums_",)

    def __init__(self, fails=None):
        self.fails = fails

    def fit(self, X, y=None):
        """Learn."""
        self.sums_ = np.zeros(2)
        self.parts_ = [Part()]
        self.parts_[0].known_ = 0
        self._fail()
        return self

    def partial_fit(self, X, y=None):
        self.sums_ += X
        self.parts_[0].known_ += 1
        self.parts_.append(Part())
        self.more_ = 1
        self._fail()
        return self

    def _fail(self):
        if self.fails is not None:
            raise self.fails


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError])
def test_what_fails_leaves_the_estimator_as_it_was(error):
    learner = Learner(error)
    with pytest.raises(error):
        learner.fit(1)
    assert vars(learner) == {"fails": error}
    learner.set_params(fails=None).fit(1).partial_fit(np.ones(2))
    sums, parts = learner.sums_, learner.parts_
    learner.set_params(fails=error)
    with pytest.raises(error):
        learner.partial_fit(np.ones(2))
    assert learner.sums_ is sums
    assert sums.tolist() == [1.0, 1.0]
    assert learner.parts_ is parts
    assert len(parts) == 2
    assert parts[0].known_ == 1
    with pytest.raises(error):
        learner.fit(1)
    assert learner.sums_ is sums


def test_a_method_that_learns_looks_as_before():
    assert str(inspect.signature(Learner.fit)) == "(self, X, y=None)"
    assert Learner.fit.__doc__ == "Learn."
