"""Count the calls between folders while one small report is made, and conversions of the same input made twice.

python -m tools.report_calls [SOURCE FOLDER]    (what it printed: benchmarks/results/report/calls.md)

A newswire is simulated, analysed and rendered twice; the second time, when everything is imported and compiled, is
counted. Only the main thread is followed, and a conversion of an empty array is none. A SOURCE FOLDER other than `src`,
such as that of an older commit, is counted if PYTHONPATH names it as well.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import scipy.sparse as sp

CONVERSIONS = {
    "analysis.documents_per_day": "times → volume",
    "analysis.iso": "datetime → string",
    "analysis.items_of": "corpus → items",
    "analysis.present": "counts → presence",
    "analysis.isos": "datetimes → strings",
    "analysis.lists_of_curve": "curve → lists of JSON",
    "analysis.series": "Curve → Series",
    "analysis.shown_curve": "curve → curve as precise as JSON",
    "analysis.texts_of": "items → texts",
    "core.TimeAxis.restore": "days → datetimes",
    "core._converted": "datetimes → days",
    "core._days_of": "datetimes → days",
    "core.iso": "datetime → string",
    "core.isos": "datetimes → strings",
    "local.reading_curves": "counts by unit → Curve",
    "report.as_curve": "Series → Curve",
    "report.compact": "curve → lists of the page",
    "report.drawing": "curve → drawing",
    "report.moment": "string → datetime",
    "streams.Corpus.__getitem__": "documents of a corpus → corpus",
    "streams.CountedDocuments.with_phrases": "corpus → counts with phrases",
    "streams.exchange_units": "times → units of exchange",
    "streams.unit_counts": "counts → counts by unit",
    "streams.units_of": "times → units",
}
"""Functions that turn one form of the same data into another, some of them in earlier commits only."""
N_DOCUMENTS = 800
MOST_CALLERS = 4
"""Number of functions named that repeat a conversion."""
MOST_PAIRS = 12
"""Number of pairs of functions named that call each other most."""


class Calls:
    """What a profile function sees: calls by pair of folders, the inputs of conversions and who repeats them."""

    def __init__(self, root: Path) -> None:
        self.root = str(root.resolve() / "driftline") + "/"
        self.between: Counter[tuple[str, str]] = Counter()
        self.pairs: dict[tuple[str, str], Counter[tuple[CodeType, CodeType]]] = defaultdict(Counter)
        self.inputs: dict[str, Counter[str]] = defaultdict(Counter)
        self.repeating: dict[str, Counter[str]] = defaultdict(Counter)

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Count one call of a function of the project."""
        if event != "call" or (there := self.folder(frame)) is None:
            return
        caller = frame.f_back
        while caller is not None and (here := self.folder(caller)) is None:
            caller = caller.f_back
        name = f"{there}.{frame.f_code.co_qualname}"
        inputs = list(frame.f_locals.values()) if name in CONVERSIONS else []
        if inputs and not any(isinstance(each, np.ndarray) and not each.size for each in inputs):
            key = digest(inputs)
            if self.inputs[name][key] and caller is not None:
                self.repeating[name][f"{here}.{caller.f_code.co_qualname}"] += 1
            self.inputs[name][key] += 1
        if caller is not None and here != there:
            self.between[here, there] += 1
            self.pairs[here, there][caller.f_code, frame.f_code] += 1

    def folder(self, frame: FrameType) -> str | None:
        """Return the folder of the project that a frame runs in."""
        file = frame.f_code.co_filename
        return file[len(self.root) :].partition("/")[0] if file.startswith(self.root) else None


def digest(value: object) -> str:
    """Return the same string for equal inputs."""
    found = hashlib.sha1(usedforsecurity=False)
    for part in _parts(value):
        found.update(part)
    return found.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, np.ndarray) and value.dtype != object:
        yield f"{value.dtype}{value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif sp.issparse(value):
        table = sp.csr_array(value)
        for part in (table.data, table.indices, table.indptr, np.array(table.shape)):
            yield from _parts(part)
    elif isinstance(value, list | tuple):
        yield f"{type(value).__name__}{len(value)}".encode()
        for item in value:
            yield from _parts(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _parts(getattr(value, field.name))
    elif value is None or isinstance(value, str | int | float | np.generic):
        yield repr(value).encode()
    else:
        yield str(id(value)).encode()


def small_report() -> Callable[[], object]:
    """Return what makes the report that is counted."""
    from driftline.analysis.analyse import analyse
    from driftline.datasets.newswire import simulate_newswire
    from driftline.report.page import render
    from driftline.streams.stream import Stream

    wire = simulate_newswire(N_DOCUMENTS, random_state=0)
    documents = list(zip(wire.ids, wire.times, wire.texts, wire.labels.tolist()))
    return lambda: render(analyse(Stream.from_documents(documents), truth=wire))


def count_calls(root: Path, make: Callable[[], object]) -> Calls:
    """Make something twice and count the second time."""
    make()
    calls = Calls(root)
    sys.setprofile(calls)
    try:
        make()
    finally:
        sys.setprofile(None)
    return calls


def tables(calls: Calls) -> Iterator[str]:
    """Yield the lines of three Markdown tables."""
    yield "| from | to | functions calling | functions called | calls |"
    yield "|---|---|---|---|---|"
    for (here, there), n in sorted(calls.between.items()):
        callers, called = (len({pair[i] for pair in calls.pairs[here, there]}) for i in (0, 1))
        yield f"| {here} | {there} | {callers} | {called} | {n:,} |"
    pairs = sum(len(each) for each in calls.pairs.values())
    n_folders, n_calls = len(calls.between), calls.between.total()
    yield f"| all | {n_folders} pairs of folders | {pairs:,} pairs of functions | | {n_calls:,} |"
    yield ""
    yield "| function | calls | times |"
    yield "|---|---|---|"
    most = Counter({(*folders, *pair): n for folders, each in calls.pairs.items() for pair, n in each.items()})
    for (here, there, caller, called), n in most.most_common(MOST_PAIRS):
        yield f"| `{here}.{caller.co_qualname}` | `{there}.{called.co_qualname}` | {n:,} |"
    yield ""
    yield "| conversion | function | calls | different inputs | repeated | by |"
    yield "|---|---|---|---|---|---|"
    for name, inputs in sorted(calls.inputs.items()):
        repeated = inputs.total() - len(inputs)
        by = ", ".join(f"`{caller}` {n:,}" for caller, n in calls.repeating[name].most_common(MOST_CALLERS))
        yield f"| {CONVERSIONS[name]} | `{name}` | {inputs.total():,} | {len(inputs):,} | {repeated:,} | {by} |"


def main() -> None:
    """Count the calls of one report and print them."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("src")
    for line in tables(count_calls(root, small_report())):
        print(line)


if __name__ == "__main__":
    main()
