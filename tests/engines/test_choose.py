from __future__ import annotations

import builtins

import pytest

from driftline.core.errors import InvalidInput, MissingDependency
from driftline.engines.choose import engine_of
from driftline.engines.threads import Threads


def test_threads_by_name():
    engine = engine_of("threads", 3)
    assert isinstance(engine, Threads)
    assert engine.n_workers == 3


def test_dask_needs_a_client():
    pytest.importorskip("distributed")
    with pytest.raises(InvalidInput, match="no"):
        engine_of("dask")


def test_dask_may_be_missing(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name in ("dask", "distributed"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependency, match="distributed"):
        engine_of("dask")
