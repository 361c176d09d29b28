"""What could a device gain for bursts, changed words and curves of words? The share of their time in compiled loops.

    python -m benchmarks.reliability.device_share [NAMES OF STREAMS …]

Each task is run once, to compile, and then again with every compiled loop timed, in one thread. A device can only run
the loops, so the work would take at least the rest: the last column is the most that an infinitely fast device without
transfers could gain, and the one before it the seconds that it could save.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys
import time
import types
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow.parquet as pq

from benchmarks.measure import print_table, real_data
from driftline import Corpus
from driftline.compute import cpu, on_device, register_device
from driftline.intensity import WordBursts
from driftline.local import LocalMultinomial, changed_words

STREAMS = ("gitlog_2003_2008", "health_tweets", "abc_headlines_2003")
N_CURVES, N_TIMES = 500, 200
PACKAGE = "driftline_timed_loops"


class Clock:
    """Seconds in compiled loops; those that are called within others are not counted twice."""

    def __init__(self) -> None:
        self.seconds, self._depth = 0.0, 0

    def timed(self, function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            self._depth += 1
            start = time.process_time()
            try:
                return function(*arguments, **named)
            finally:
                self._depth -= 1
                if not self._depth:
                    self.seconds += time.process_time() - start

        return call


@contextlib.contextmanager
def timed_loops() -> Iterator[Clock]:
    """Register a device whose loops are those of the processor, each of them timed."""
    clock = Clock()
    sys.modules[PACKAGE] = types.ModuleType(PACKAGE)
    for found in pkgutil.iter_modules(cpu.__path__):
        original = importlib.import_module(f"{cpu.__name__}.{found.name}")
        module = types.ModuleType(f"{PACKAGE}.{found.name}")
        for name, value in vars(original).items():
            if not name.startswith("__"):
                loop = isinstance(value, types.FunctionType) or hasattr(value, "py_func")
                setattr(module, name, clock.timed(value) if loop else value)
        sys.modules[module.__name__] = module
    register_device("timed", PACKAGE)
    with on_device("timed"):
        yield clock


def tasks(name: str) -> dict[str, Callable[[], object]]:
    """Return the tasks of a stream."""
    table = pq.read_table(real_data(name), columns=["text", "time"]).sort_by("time")
    corpus = Corpus.from_texts(table["text"], times=table["time"], min_df=5)
    words = np.argsort(-np.asarray(corpus.counts.sum(axis=0)).ravel())[:N_CURVES]
    when = table["time"].to_numpy()[np.linspace(0, len(table) - 1, N_TIMES).astype(int)]
    return {
        "WordBursts": lambda: WordBursts(n_jobs=1).fit(corpus.counts, times=corpus.times).bursts_,
        "changed_words": lambda: changed_words(corpus),
        f"LocalMultinomial, curves of {N_CURVES} words": lambda: (
            LocalMultinomial().fit(corpus.counts, times=corpus.times).frequency(words, when)
        ),
    }


def main() -> None:
    rows = []
    for name in sys.argv[1:] or STREAMS:
        for task, work in tasks(name).items():
            with timed_loops() as clock:
                work()
                clock.seconds = 0.0
                start = time.process_time()
                work()
                whole = time.process_time() - start
            rest = whole - clock.seconds
            rows.append((name, task, f"{whole:.2f}", f"{clock.seconds:.2f}", f"{whole / rest:.1f}×"))
            print(*rows[-1], file=sys.stderr, flush=True)
    columns = ("stream", "work", "seconds", "of which in compiled loops", "most a device could gain")
    print_table("Processor seconds of the second run, one thread.", columns, rows)


if __name__ == "__main__":
    main()
