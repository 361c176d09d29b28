from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import driftline
from driftline.core.progress import Reporter, reporting
from driftline.engines.contract import Engine, Traits
from driftline.engines.dask import DaskEngine
from driftline.engines.gpu import GpuEngine
from driftline.engines.threads import Threads

SOURCE = Path(driftline.__file__).parent
STARTS_THREADS = r"^\s*(from|import) (joblib|concurrent|multiprocessing)\b|\b(Thread|Timer)\("


@pytest.mark.parametrize("kind", [Threads, DaskEngine, GpuEngine])
def test_engines_offer_what_the_contract_says(kind):
    for name, promised in inspect.getmembers(Engine, inspect.isfunction):
        if name in ("map", "keep", "share", "derive", "advance"):
            assert list(inspect.signature(getattr(kind, name)).parameters) == list(
                inspect.signature(promised).parameters
            )
    assert isinstance(kind.traits, Traits)


def test_only_engines_start_threads():
    found = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if re.search(STARTS_THREADS, path.read_text(), re.MULTILINE)
    ]
    found.remove("core/progress.py")  # shows a bar after a while; it computes nothing
    found.remove("compute/gpu/memory.py")  # touches memory before a copy from the device; it computes nothing
    # The service answers requests beside its one writer; what it computes runs in engines
    assert {Path(path).parts[0] for path in found} == {"engines", "service"}


def test_a_bar_of_tasks():
    seen = []

    class Recorder(Reporter):
        def track(self, items, description, total):
            seen.append((description, total))
            yield from items

        def announce(self, message):
            raise AssertionError(message)

    with reporting(Recorder()):
        for n_jobs in (1, 2):
            with Threads(n_jobs) as engine:
                assert engine.map(abs, [(-1,), (2,)], progress="sizes") == [1, 2]
                assert engine.map(abs, [(-1,)]) == [1]
    assert seen == [("sizes", 2), ("sizes", 2)]
