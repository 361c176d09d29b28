"""Try mutants of one module after another, each in a process forked from one in which the module's tests have passed.

The warm process has imported the libraries and loaded the compiled code. What depends on the faulty module is forgotten
there, so that each mutant imports just that again. Nothing is written to the sources: the fault is put into the module
when it is imported.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.util
import itertools
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.mutations import Mutation, mutated

SOURCES, TESTS = Path("src"), Path("tests")
PATIENCE = 5.0
"""Factor on the processor time of the unchanged tests after which a mutant counts as one that never ends."""
WAITING = 12.0
"""Factor on the limit of processor time that bounds the time on the clock, for mutants that wait and do not compute."""
LIBRARIES = ("hypothesis", "numba", "numpy", "pyarrow.parquet", "pytest", "scipy.sparse", "scipy.stats", "sklearn.base")
"""Modules that are imported once for all mutants."""
CAUGHT, SURVIVED, ENDLESS = "caught", "survived", "never ended"
UNTRIED = "not tried"
"""Outcome of a mutant of a module whose tests fail without any fault, in the process in which mutants are tried."""
OUTCOMES = (CAUGHT, SURVIVED, ENDLESS)
_FAULTLESS = -1
"""Number that stands for the tests of the unchanged module where a fault is expected."""


class Trial(NamedTuple):
    """One mutant and what its tests said: "caught", "survived", "never ended" or, if they fail anyway, "not tried"."""

    path: Path
    mutation: Mutation
    outcome: str

    def __str__(self) -> str:
        return f"{self.path.as_posix()}:{self.mutation}"


def mirror(path: Path) -> Path:
    """Return the file with the tests of a module.

    >>> mirror(Path("src/driftline/a/b.py")).as_posix()
    'tests/a/test_b.py'
    """
    inner = path.relative_to(SOURCES / "driftline")
    return TESTS / inner.parent / f"test_{inner.name}"


def tried(mutants: Sequence[tuple[Path, Mutation]], seconds: float) -> Iterator[Trial]:
    """Try mutants, those of a module together and folders in turn, until the time is over."""
    end = time.monotonic() + seconds
    ordered = sorted(mutants, key=lambda pair: (pair[0], pair[1].line, pair[1].change))
    for library in LIBRARIES:
        importlib.import_module(library)
    dependants = _dependants({path for path, _ in ordered})
    for path in dependants:
        importlib.import_module(_module_name(path))
    for path in _folders_in_turn(dependants):
        faults = [mutation for each, mutation in ordered if each == path]
        for number, outcome in _answers(functools.partial(_try_all, path, faults, dependants[path], end)):
            if number == _FAULTLESS:
                yield from (Trial(path, fault, UNTRIED) for fault in faults)
            else:
                yield Trial(path, faults[number], OUTCOMES[outcome])


def _folders_in_turn(paths: Iterable[Path]) -> list[Path]:
    """Return paths such that every folder is reached, however soon the time is over."""
    by_folder = [list(group) for _, group in itertools.groupby(sorted(paths), key=lambda path: path.parent)]
    rounds = itertools.zip_longest(*by_folder)
    return [path for each in rounds for path in each if path is not None]


def _try_all(
    path: Path, faults: Sequence[Mutation], forgotten: set[str], end: float, answer: Callable[[int, int], None]
) -> None:
    """Pass the unchanged tests in this process, then the mutants in children of it."""
    _silence()
    begun, fastest_first = time.process_time(), _FastestFirst()
    failed = _run_mirror(path, fastest_first)
    limit = 2.0 + PATIENCE * (time.process_time() - begun)
    _forget(forgotten)
    # The unchanged module, imported again: what fails here would be taken for a caught mutant
    if failed or _run_in_child(path, None, limit, fastest_first) != SURVIVED:
        answer(_FAULTLESS, 0)
        return
    for number, fault in enumerate(faults):
        if time.monotonic() > end:
            break
        answer(number, OUTCOMES.index(_run_in_child(path, fault, limit, fastest_first)))


def _run_in_child(path: Path, fault: Mutation | None, limit: float, order: _FastestFirst) -> str:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
            if fault is not None:
                sys.meta_path.insert(0, _Faulty(path, fault))
            code = _run_mirror(path, order)
        finally:
            os._exit(code)
    descriptor = os.pidfd_open(child)
    try:
        ended, _, _ = select.select([descriptor], [], [], WAITING * limit)
        if not ended:
            os.killpg(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        os.close(descriptor)
    if not ended or code in (-signal.SIGXCPU, -signal.SIGKILL):
        return ENDLESS
    return CAUGHT if code else SURVIVED


def _answers(work: Callable[[Callable[[int, int], None]], None]) -> Iterator[tuple[int, int]]:
    """Do some work in a process of its own, and yield the pairs of numbers that it answers with."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code, errors = 1, os.dup(2)
        try:
            os.close(reading)
            work(lambda first, second: _write_pair(writing, first, second))
            code = 0
        except BaseException:
            os.write(errors, traceback.format_exc().encode())
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as lines:
        for line in lines:
            first, second = map(int, line.split())
            yield first, second
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise SystemExit("the process that tries mutants has ended before its time")


def _write_pair(descriptor: int, first: int, second: int) -> None:
    os.write(descriptor, f"{first} {second}\n".encode())


def _run_mirror(path: Path, order: _FastestFirst) -> int:
    import pytest

    # Plugins have been imported by the warm process, so that their own assertions cannot be rewritten again
    settings = ["-x", "-q", "--no-header", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*settings, "-p", "no:cacheprovider", "-p", "no:xdist", str(mirror(path))], [order]))


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def _dependants(paths: set[Path]) -> dict[Path, set[str]]:
    """Return, for each module, its name and the names of all modules that import it, directly or not."""
    import grimp

    graph = grimp.build_graph("driftline", cache_dir=None)
    names = {path: _module_name(path) for path in sorted(paths)}
    return {path: {name, *graph.find_downstream_modules(name)} for path, name in names.items()}


def _forget(names: set[str]) -> None:
    """Remove modules and all tests from what is imported, with what packages have imported from them on first use.

    Modules of a removed package go too: a package must be imported before its modules.
    """
    within = tuple(f"{name}." for name in names)
    for name, module in list(sys.modules.items()):
        tests = (getattr(module, "__file__", None) or "").startswith(f"{TESTS.resolve()}{os.sep}")
        if not (name in names or name.startswith(within) or tests):
            continue
        del sys.modules[name]
        parent, _, last = name.rpartition(".")
        vars(sys.modules.get(parent, module)).pop(last, None)
    for package in [module for name, module in sys.modules.items() if name.split(".")[0] == "driftline"]:
        for name, value in list(vars(package).items()):
            if getattr(value, "__module__", None) in names:
                delattr(package, name)


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")


class _FastestFirst:
    """Plugin of pytest: notes how long each test takes, and runs those that it knows in that order."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0.0) + report.duration

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items.sort(key=lambda item: self._seconds.get(item.nodeid, 0.0))


class _Faulty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module with a fault in it."""

    def __init__(self, path: Path, fault: Mutation) -> None:
        self._path, self._name = path, _module_name(path)
        self._tree = mutated(path.read_text(encoding="utf-8"), fault)

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._path.resolve(), loader=self)

    def exec_module(self, module: Any) -> None:
        exec(compile(self._tree, str(self._path.resolve()), "exec"), vars(module))
