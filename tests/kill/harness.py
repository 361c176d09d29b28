"""A process that forks children from a warm parent, and kills each of them at one place."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

SHIM = "DRIFTLINE_KILL_SHIM"
BEFORE, AFTER = 0, 1
"""Killed before the call; after it, and in the middle of a write."""
IN_A_ROW = 6
AT_RANDOM_TIMES = 0.2
"""Share of the kills in a row that come at a random time rather than at a random call."""
LONGEST = 120
"""Seconds after which a child is taken to hang."""


class Scenario(Protocol):
    """Something that is killed: `prepare` makes a folder, `act` changes it, `check` repairs it by acting again."""

    name: str
    only_read: tuple[str, ...]
    """Names of files that it does not change."""

    def prepare(self, folder: Path) -> None:
        """Make the folder as it is before."""

    def act(self, folder: Path) -> None:
        """Do what is to be killed."""

    def check(self, folder: Path, reference: Path) -> None:
        """Raise AssertionError unless nothing is lost, nothing doubled, and acting again gives the reference."""


@dataclass
class Tally:
    """How often a scenario was killed, and where; what went wrong."""

    kills: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    n_calls: int = 0
    leftovers: int = 0
    seconds: float = 0.0


@contextlib.contextmanager
def built_shim() -> Iterator[Path]:
    """Compile the shim; raises FileNotFoundError where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        raise FileNotFoundError("kill tests need Linux and a C compiler")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "shim.so")
        source = Path(__file__).with_name("shim.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", target, source, "-ldl"], check=True)
        yield target


def with_shim(arguments: list[str]) -> int:
    """Run this package again with the shim before the C library; return its exit code."""
    with built_shim() as shim:
        quiet = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        environment = {**quiet, **os.environ, "LD_PRELOAD": str(shim), SHIM: str(shim)}
        return subprocess.run([sys.executable, "-m", "tests.kill", *arguments], env=environment, check=False).returncode


class Killer:
    """Forks, kills and checks; to be used in a process that was started by `with_shim`."""

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self.scenario = scenario
        self.folder = folder
        self.tally = Tally()
        self._shim = ctypes.CDLL(os.environ[SHIM])
        self._shim.shim_calls.restype = ctypes.c_long
        self._prepared, self._reference, self._trial = folder / "prepared", folder / "reference", folder / "trial"
        self._trial.mkdir()
        scenario.prepare(self._trial)
        self._trial.rename(self._prepared)
        # Once in this process, so that children find everything compiled
        self._begin_trial()
        scenario.act(self._trial)
        shutil.rmtree(self._trial)
        self._begin_trial()
        started = time.monotonic()
        assert self._in_child(lambda: self._counted(self._trial)) == 0, (self.folder / "fault").read_text()
        self._seconds = time.monotonic() - started
        self._trial.rename(self._reference)
        self.tally.n_calls = int((folder / "calls").read_text())

    def _begin_trial(self) -> None:
        """Make the folder as it was prepared, at the same path; what is only read stays the same file."""

        def copy(source: str, target: str) -> None:
            os.link(source, target) if Path(source).name in self.scenario.only_read else shutil.copy2(source, target)

        shutil.copytree(self._prepared, self._trial, symlinks=True, copy_function=copy)

    def _counted(self, folder: Path) -> None:
        self._shim.shim_arm(ctypes.c_long(2**62), BEFORE)
        self.scenario.act(folder)
        calls = self._shim.shim_calls()
        self._shim.shim_arm(ctypes.c_long(-1), BEFORE)
        (self.folder / "calls").write_text(str(calls))

    def at_call(self, number: int, when: int) -> None:
        """Kill the scenario at its n-th call that changes a file, and check what is left."""
        with self._trial_of([f"{'after' if when else 'before'} call {number}"]):
            self._kill("at each call", self._at(number, when))

    def in_a_row(self, rng: Any, length: int) -> None:
        """Kill the scenario at a random call or time, kill what is to repair it, and so on; then check what is left."""
        places: list[str] = []
        with self._trial_of(places):
            for _ in range(length):
                if rng.random() < AT_RANDOM_TIMES:
                    share = rng.uniform(0, 1)
                    places.append(f"{share:.3f} of the time")
                    done = self._kill("at random times", self.scenario.act, share * self._seconds)
                else:
                    number, when = int(rng.integers(1, self.tally.n_calls + 1)), int(rng.integers(2))
                    places.append(f"call {number}, {'after' if when else 'before'}")
                    done = self._kill("in a row", self._at(number, when))
                if done:
                    break

    def _at(self, number: int, when: int) -> Callable[[Path], None]:
        def act(folder: Path) -> None:
            self._shim.shim_arm(ctypes.c_long(number), when)
            self.scenario.act(folder)

        return act

    @contextlib.contextmanager
    def _trial_of(self, where: list[str]) -> Iterator[None]:
        self._begin_trial()
        try:
            yield
            self.tally.leftovers += any(name.endswith((".partial", ".old")) for name in _names(self._trial))
            if self._in_child(lambda: self.scenario.check(self._trial, self._reference)) != 0:
                self.tally.faults.append(f"{'; '.join(where)}: {(self.folder / 'fault').read_text()}")
        finally:
            shutil.rmtree(self._trial)

    def _kill(self, kind: str, act: Callable[[Path], None], delay: float | None = None) -> bool:
        """Act and be killed; say whether the action came to its end before that."""
        status = self._in_child(lambda: act(self._trial), delay)
        if status == -signal.SIGKILL:
            self.tally.kills[kind] += 1
        elif status:
            self.tally.faults.append(f"the action itself failed: {(self.folder / 'fault').read_text()}")
        return status == 0

    def _in_child(self, work: Callable[[], None], kill_after: float | None = None) -> int:
        """Do something in a child; return 0, or minus the signal that it died of, or 1 if it failed."""
        child = os.fork()
        if child == 0:
            faulthandler.disable()
            signal.alarm(LONGEST)
            try:
                with open(os.devnull, "w") as nowhere:
                    os.dup2(nowhere.fileno(), 1)
                    os.dup2(nowhere.fileno(), 2)
                work()
            except BaseException:
                (self.folder / "fault").write_text(traceback.format_exc(limit=-3))
                os._exit(1)
            os._exit(0)
        if kill_after is not None:
            time.sleep(kill_after)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        return -(status & 127) if status & 127 else status >> 8


def _names(folder: Path) -> list[str]:
    return [name for _, folders, files in os.walk(folder) for name in (*folders, *files)]


def run_scenario(scenario: Scenario, kills: int, rng: Any, *, every_call: bool = True) -> Tally:
    """Kill a scenario at every call, before and after it, and then at random until there are enough kills."""
    # A kill is no power cut, so a disk in memory is as good as any, and quicker to flush
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        killer = Killer(scenario, Path(folder))
        places = [(n, when) for n in range(1, killer.tally.n_calls + 1) for when in (BEFORE, AFTER)]
        if not every_call:
            places = [places[i] for i in sorted(rng.permutation(len(places))[:kills])]
        for number, when in places:
            killer.at_call(number, when)
        while every_call and killer.tally.kills.total() < kills:
            killer.in_a_row(rng, IN_A_ROW)
        return killer.tally
