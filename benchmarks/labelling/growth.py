"""How the cost of `driftline label` grows: 2,500 to 20,000 simulated stories, one in thirty labelled, or all of them.

    python -m benchmarks.labelling.growth [SIZE …]

Each run is a process of its own, start and compilation cache included, with as many BLAS threads as the machine would
give it. The CPU seconds are those of the process; the wall time depends on what else the machine is doing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import print_table
from driftline.datasets import simulate_newswire

SIZES = (2_500, 5_000, 10_000, 20_000)
COMMAND = "from driftline.cli.main import main; main()"


def write(path: Path, n: int, share: float) -> None:
    """Write simulated stories, of which a share is labelled."""
    wire = simulate_newswire(n, random_state=0)
    labelled = np.random.default_rng(0).random(n) < share
    with path.open("w", encoding="utf-8") as file:
        for i in range(n):
            label = str(wire.true_labels[i]) if labelled[i] else None
            story = {"id": wire.ids[i], "time": str(wire.times[i]), "text": wire.texts[i], "label": label}
            file.write(json.dumps(story) + "\n")


def label(folder: Path, n: int, share: float) -> tuple[float, float]:
    """Run the command; return wall and CPU seconds."""
    source = folder / f"{n}.jsonl"
    write(source, n, share)
    arguments = [sys.executable, "-c", COMMAND, "label", str(source), "-o", str(folder / "labels.jsonl"), "--json"]
    started, before = time.perf_counter(), os.times()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, cpu


def main() -> None:
    """Print one table."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        label(folder, 300, 0.5)  # compile
        for n in [int(size) for size in sys.argv[1:]] or SIZES:
            few, every = label(folder, n, 1 / 30), label(folder, n, 1.0)
            rows.append([f"{n:,}", *(f"{value:.1f}" for value in (few[1], few[0], every[1], every[0]))])
    headings = ["stories", "CPU s, one label in thirty", "wall s", "CPU s, all labelled", "wall s"]
    print_table("`driftline label`", headings, rows)


if __name__ == "__main__":
    main()
