"""`driftline watch` in a process of its own: latency of a line, throughput of a backlog, growth of memory.

python -m benchmarks.intensity.watch [NUMBER OF LINES]
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from benchmarks.measure import print_table, real_data

COMMAND = [sys.executable, "-c", "from driftline.cli.main import main; main()", "watch"]


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 200_000
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        records = list(posts())
        half = len(records) // 2
        (home / "train.jsonl").write_text("".join(records[:half]))
        log = home / "log.jsonl"
        log.write_text("")
        learn = [*COMMAND, str(log), "--train", str(home / "train.jsonl"), "--state", str(home / "state"), "--once"]
        subprocess.run(learn, check=True, stderr=subprocess.DEVNULL)
        soon(log, home / "state", records[half:])
        long(home, records[half:], n)


def posts() -> Iterator[str]:
    """Yield mail of five lists as JSON lines, in order of time."""
    columns = ["time", "label", "subject", "text"]
    table = pq.read_table(real_data("maillists_2019_2026"), columns=columns).sort_by("time")
    for row in table.to_pylist():
        text = f"{row['subject'] or ''} {row['text'] or ''}"[:2000]
        yield json.dumps({"time": str(row["time"]), "text": text, "label": row["label"]}) + "\n"


def soon(log: Path, state: Path, records: list[str], n: int = 100) -> None:
    """Write lines at odd moments and see how long each waits for its answer."""
    process = subprocess.Popen([*COMMAND, str(log), "--state", str(state), "--json"], stdout=subprocess.PIPE, text=True)
    answers: queue.Queue[tuple[float, Any]] = queue.Queue()
    stdout = process.stdout
    assert stdout is not None

    def collect() -> None:
        for line in stdout:
            answers.put((time.monotonic(), json.loads(line)))

    threading.Thread(target=collect, daemon=True).start()
    rng = np.random.default_rng(0)
    waits = []
    for i, record in enumerate(records[:n]):
        begin = time.monotonic()
        with log.open("a") as file:
            file.write(record)
        came, answer = answers.get(timeout=120)
        assert answer["line"] == i + 1
        if i:  # the first waits for the program to start
            waits.append(came - begin)
        time.sleep(rng.uniform(0, 0.3))
    process.terminate()
    process.wait()
    middle, high = 1000 * np.quantile(waits, [0.5, 0.95])
    print_table(
        f"From a line written to its answer read ({n} lines one by one)",
        ["median ms", "95 % within ms", "longest ms", "load of the machine"],
        [(float(middle), float(high), 1000 * max(waits), Path("/proc/loadavg").read_text().split()[0])],
    )


def long(home: Path, records: list[str], n: int) -> None:
    """Follow a file of many lines and look at the process's memory as it goes."""
    log, state, output = home / "long.jsonl", home / "long", home / "long.out"
    with log.open("w") as file:
        for i in range(n):
            file.write(records[i % len(records)])
    learn = [*COMMAND, str(log), "--train", str(home / "train.jsonl"), "--state", str(state), "--output", str(output)]
    process = subprocess.Popen(learn, stderr=subprocess.DEVNULL)
    rows = []
    place = state / "place.json"
    begin = None
    for target in (n // 20, n // 4, n // 2, n):
        while not place.exists() or json.loads(place.read_text())["number"] < target:
            time.sleep(0.05)
            if begin is None and place.exists():
                begin = time.monotonic()
            assert process.poll() is None
        status = dict(line.split(":", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
        resident, peak = (int(status[name].split()[0]) / 2**10 for name in ("VmRSS", "VmHWM"))
        seconds = time.monotonic() - (begin or time.monotonic())
        rows.append((f"{target:,}", f"{target / max(seconds, 1e-9):,.0f}", resident, peak))
    process.terminate()
    process.wait()
    assert sum(1 for line in output.open() if not line.split("  ")[1].startswith("***")) == n
    print_table(
        f"Following {n:,} lines of mail (five topics)",
        ["lines", "lines per second so far", "memory MiB", "peak MiB"],
        rows,
    )


if __name__ == "__main__":
    main()
