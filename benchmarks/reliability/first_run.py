"""The first report after an installation: processor time, what is compiled, and how long the terminal is silent.

python -m benchmarks.reliability.first_run [FOLDER]    (FOLDER is a checkout of an earlier commit, to compare with)

`driftline report` runs on a pseudo-terminal, first with an empty cache of compiled code, then with the cache that the
first run left; and twice in the same way through a pipe, as in a scheduled job. What Numba compiles is recorded in the
same run. A silence is the processor time of the program between two outputs, which does not depend on what else the
machine does; the last one ends when the program does.
"""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import print_table, real_data

ROOT = Path(__file__).parents[2]
STREAM = "abc_headlines_2003"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
MOST_EXPENSIVE = 12


class Run(NamedTuple):
    """One run of the program, and what it compiled: function and processor seconds, one entry per set of types."""

    cpu_seconds: float
    first_output: float
    longest_silence: float
    silent_after: str
    compiled: list[tuple[str, float]]


def run_report(source: Path, folder: Path, scratch: Path, *, terminal: bool) -> Run:
    """Run `driftline report` of one checkout on a pseudo-terminal, or through a pipe."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ours, theirs = pty.openpty() if terminal else os.pipe()
    log, page = scratch / "compiled.json", scratch / "report.html"
    command = [sys.executable, "-m", "benchmarks.reliability.first_run", "--listen", str(log), "report", str(source)]
    program = subprocess.Popen(
        [*command, "-o", str(page)], stdout=theirs, stderr=theirs, env=environment(folder, scratch / "cache"), cwd=ROOT
    )
    os.close(theirs)
    moments, shown = [0.0], ["the start"]
    while program.poll() is None or select.select([ours], [], [], 0)[0]:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                output = os.read(ours, 65_536).decode("utf-8", errors="replace")
            except OSError:  # the other end is closed
                break
            if not output:  # the end of a pipe
                break
            moments.append(processor_seconds(program.pid, moments[-1]))
            shown.append(last_line(output) or shown[-1])
    if program.wait() != 0:
        raise SystemExit(f"driftline report failed with {program.returncode} in {folder}")
    os.close(ours)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = [(name, seconds) for name, seconds in json.loads(log.read_text(encoding="utf-8"))]
    silence, at = max((end - start, at) for at, (start, end) in enumerate(pairwise([*moments, cpu])))
    return Run(cpu, [*moments, cpu][1], silence, shown[at], found)


def processor_seconds(process: int, otherwise: float) -> float:
    """Return the processor time that a process has used so far (Linux); or a given value, if it has just ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return otherwise
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") or otherwise


def last_line(output: str) -> str:
    """Return the last line of an output, without the commands to the terminal."""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output).split("\n")]
    return next((line for line in reversed(lines) if line), "")


def environment(folder: Path, cache: Path) -> dict[str, str]:
    """Return the environment of a run: the checkout, its cache, one thread, a terminal."""
    paths = {"PYTHONPATH": os.pathsep.join([str(folder / "src"), str(ROOT)]), "NUMBA_CACHE_DIR": str(cache)}
    return os.environ | ONE_THREAD | paths | {"TERM": "xterm"}


class Recorder:
    """Records what Numba compiles, from the moment at which the first kernels are imported; imports nothing itself."""

    def __init__(self, log: str) -> None:
        self.log = log
        self.found: list[tuple[str, float]] = []
        self.running: list[list[float]] = []
        self.listening = False

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Begin to listen when a kernel module is imported; Numba is imported by then."""
        if name.startswith("driftline.compute.cpu.") and not self.listening and "numba" in sys.modules:
            self.listening = True
            from numba.core import event

            recorder = self

            class Listener(event.Listener):
                def on_start(self, event: event.Event) -> None:
                    recorder.running.append([time.process_time(), 0.0])

                def on_end(self, event: event.Event) -> None:
                    recorder.ended(event.data["dispatcher"].py_func)

            event.register("numba:compile", Listener())

    def ended(self, function: Callable[..., object]) -> None:
        """Record a compilation without those inside it."""
        start, inner = self.running.pop()
        seconds = time.process_time() - start
        if self.running:
            self.running[-1][1] += seconds
        self.found.append((f"{function.__module__}.{function.__name__}", seconds - inner))

    def write(self) -> None:
        """Write the log."""
        Path(self.log).write_text(json.dumps(self.found), encoding="utf-8")


def listen(log: str, arguments: list[str]) -> None:
    """Run the program with these arguments, and write what was compiled to `log`."""
    recorder = Recorder(log)
    sys.meta_path.insert(0, recorder)  # type: ignore[arg-type]
    from driftline.__main__ import main as program

    sys.argv = ["driftline", *arguments]
    try:
        program()
    finally:
        recorder.write()


def measured(source: Path, folder: Path, *, terminal: bool) -> tuple[tuple[str, ...], list[tuple[str, float]]]:
    """Return the figures of the first and the second report, and what the first compiled."""
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(scratch) / "cache"
        cache.mkdir(mode=0o700)
        first, again = (run_report(source, folder, Path(scratch), terminal=terminal) for _ in range(2))
        megabytes = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file()) / 1e6
    ours = [seconds for function, seconds in first.compiled if function.startswith("driftline.")]
    row = (
        f"{first.cpu_seconds:.1f}",
        f"{again.cpu_seconds:.1f}",
        f"{len(ours)} + {len(first.compiled) - len(ours)}",
        f"{sum(seconds for _, seconds in first.compiled):.1f}",
        f"{megabytes:.0f}",
        f"{first.first_output:.1f}",
        f"{first.longest_silence:.1f}, after “{first.silent_after}”",
        f"{again.longest_silence:.1f}, after “{again.silent_after}”",
    )
    return row, first.compiled


def main() -> None:
    """Print a table per checkout, the earlier one first."""
    if sys.argv[1:2] == ["--listen"]:
        listen(sys.argv[2], sys.argv[3:])
        return
    source = real_data(STREAM)
    folders = {"earlier": Path(sys.argv[1]).absolute()} if len(sys.argv) > 1 else {}
    rows, most = [], {}
    for name, folder in {**folders, "now": ROOT}.items():
        for terminal in (True, False):
            row, most[name] = measured(source, folder, terminal=terminal)
            rows.append((name, "terminal" if terminal else "pipe", *row))
    headings = [
        "checkout",
        "output to",
        "first, CPU s",
        "second, CPU s",
        "compiled: ours + Numba's",
        "of it, CPU s",
        "cache, MB",
    ]
    headings += ["first output after, CPU s", "longest silence, CPU s", "in the second"]
    print_table(f"The first report on {STREAM} after an installation, and the second (one thread)", headings, rows)
    ranked = sorted(most["now"], key=lambda entry: -entry[1])[:MOST_EXPENSIVE]
    title = f"The {MOST_EXPENSIVE} functions that take longest to compile now, without what they call"
    print_table(title, ["function", "CPU s"], [(function, f"{seconds:.2f}") for function, seconds in ranked])


if __name__ == "__main__":
    main()
