from __future__ import annotations

import inspect
from dataclasses import fields

import numpy as np
import pytest
from tests.intensity.streams import small_model

from driftline.core.errors import InvalidInput
from driftline.intensity.tracking.methods import METHODS, Options, infer

OPTIONS = Options(
    tail=0.1,
    count=False,
    overwrite=False,
    tolerance=1e-3,
    max_sweeps=5,
    n_samples=8,
    n_particles=10,
    n_jobs=None,
    verbose=False,
)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_every_option_that_the_table_says_and_no_other(name):
    entry = METHODS[name]
    takes = set(inspect.signature(entry.infer).parameters) - {"model", "rng", "tail"}
    known = {field.name for field in fields(Options)} | {"n_discarded"}
    assert set(entry.options) == takes & known
    assert entry.random == ("rng" in inspect.signature(entry.infer).parameters)
    found = infer(name, small_model(0), OPTIONS, np.random.default_rng(0))
    np.testing.assert_allclose(found.topic_proba.sum(axis=1), 1)


@pytest.mark.parametrize("name", METHODS)
def test_statistics_come_from_the_methods_that_count(name):
    counting = Options(**{**vars(OPTIONS), "count": True})
    if "count" in METHODS[name].options:
        assert infer(name, small_model(0), counting, np.random.default_rng(0)).statistics is not None
    else:
        with pytest.raises(InvalidInput, match="exact, ep, structured, gibbs"):
            infer(name, small_model(0), counting, np.random.default_rng(0))
