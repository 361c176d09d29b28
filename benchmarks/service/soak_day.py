"""The documents of a day through `driftline serve` as fast as they are taken: memory, stream-hour by stream-hour.

    python -m benchmarks.service.soak_day --hours 24
    python -m benchmarks.service.soak_day --hours 3 --no-page
    python -m benchmarks.service.soak_day --compare FILE

The documents are those of the soak (`benchmarks.service.soak`): stories of the simulated newswire, one in two with a
word that never came before, 200 for every second of their time stamps, which run over the 24 hours before the start.
They are sent in requests of 2,000 as soon as the last is answered, and texts older than three hours are removed, so
that as much is deleted as comes.

What the clock starts in the service is started as often per document as at 200 documents per second: a snapshot every
6,000 documents (30 s); and, as often as the expected pace says, freed memory is returned and old texts are removed
(60 s), and it is looked at whether a refit is due (10 s). What follows from time stamps, hours and days that close and
alarms, is the same as in a real day. Not shown are timers that count real hours, such as sessions and proxies that
close connections; and the page, which is open in Chromium, receives deltas as fast as the service makes them, which
are fewer than the five per second of a real day. With `--no-page` no browser is needed: a program reads the events.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from tests.report.browser import chromium

from benchmarks.service.soak import (
    NEW_WORD_EVERY,
    PER_SECOND,
    Overview,
    Reader,
    await_ready,
    cpu_of,
    memory_of,
    memory_of_pages,
    model_of,
)
from driftline.datasets.newswire import simulate_newswire

PER_REQUEST = 2_000
PER_SNAPSHOT, PER_MINUTE = 30 * PER_SECOND, 60 * PER_SECOND
RUN = """
from driftline.cli.main import main
from driftline.service import refits, service, writer
writer.SNAPSHOT_DOCUMENTS = {per_snapshot}
service.RETENTION_EVERY = service.RELEASE_EVERY = {minute}
refits.LOOK_EVERY = {minute} / 6
service.DELTA_EVERY = 0.0
main()
"""
"""The service with the timers of a faster clock."""
KEEP = "3h"
COLUMNS = (
    "stream-hour",
    "documents",
    "words known",
    "version of the models",
    "memory, median of 60, MB",
    "largest, MB",
    "of it no file, median, MB",
    "store, MB",
    "CPU s of the service",
    "seconds",
    "deltas",
    "heap of the page, MB",
    "its elements",
    "memory of its process, MB",
    "load of the machine",
)


class Stories:
    """The documents in order of their time stamps."""

    def __init__(self, begin: float) -> None:
        self._texts = simulate_newswire(50_000, random_state=1).texts
        self._begin = begin
        self.n = 0

    def body(self) -> bytes:
        """Return the next request."""
        lines = []
        for _ in range(PER_REQUEST):
            self.n += 1
            new = f" word{self.n:x}" if self.n % NEW_WORD_EVERY == 0 else ""
            text = self._texts[self.n % len(self._texts)] + new
            lines.append(json.dumps({"id": str(self.n), "time": self._begin + self.n / PER_SECOND, "text": text}))
        return "\n".join(lines).encode()


def send(address: str, token: str, body: bytes) -> None:
    """Send a request; an answer other than that all were taken is an error."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
    with urllib.request.urlopen(
        urllib.request.Request(f"{address}/api/documents", body, headers), timeout=120
    ) as found:
        answer = json.load(found)
    if answer["taken"] != PER_REQUEST:
        raise SystemExit(f"taken {answer['taken']} of {PER_REQUEST}: {answer}")


def run(pid: int, address: str, token: str, store: Path, options: argparse.Namespace, page: Overview | None) -> None:
    """Send the documents, and print a row per stream-hour."""
    reader = Reader(address, token)
    reader.start()
    stories = Stories(time.time() - 3600 * options.hours - 60)
    rows = ["| " + " | ".join(COLUMNS) + " |", "|" + "--:|" * len(COLUMNS)]
    print("\n".join(rows), flush=True)
    for hour in range(1, options.hours + 1):
        begun, cpu, all_, anonymous = time.time(), cpu_of(pid), [], []
        reader.latencies = []
        for _ in range(60):
            for _ in range(PER_MINUTE // PER_REQUEST):
                send(address, token, stories.body())
            all_.append(memory_of(pid))
            anonymous.append(memory_of(pid, "RssAnon"))
        model = model_of(address, token)
        cells = (
            hour,
            f"{stories.n:,}",
            f"{model['n_words']:,}",
            model["version"],
            f"{statistics.median(all_):.0f}",
            f"{max(all_):.0f}",
            f"{statistics.median(anonymous):.0f}",
            f"{sum(each.stat().st_size for each in store.iterdir()) / 2**20:,.0f}",
            f"{cpu_of(pid) - cpu:.0f}",
            f"{time.time() - begun:.0f}",
            f"{len(reader.latencies):,}",
            *(("–",) * 3 if page is None else _of_page(page)),
            f"{os.getloadavg()[0]:.1f}",
        )
        rows.append("| " + " | ".join(map(str, cells)) + " |")
        print(rows[-1], flush=True)
        if options.output is not None:
            options.output.write_text("\n".join(rows) + "\n")
    if options.hours >= 12:
        print(compared("\n".join(rows)))


def _of_page(page: Overview) -> tuple[str, str, str]:
    """Return heap, elements and memory of the open page."""
    return f"{page.heap():.2f}", f"{page.n_elements():,}", f"{memory_of_pages():.0f}"


def compared(table: str) -> str:
    """Return medians of the hours from 4 on, when as much is deleted as comes, and of the last six, from a table."""
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line[:3].strip("| ").isdigit()]
    early, late = rows[3:9], rows[-6:]
    lines = [f"| median of hours | {early[0][0]} to {early[-1][0]} | {late[0][0]} to {late[-1][0]} | difference, % |"]
    lines.append("|---|--:|--:|--:|")
    for name in (COLUMNS[4], COLUMNS[5], COLUMNS[8], COLUMNS[11], COLUMNS[13]):
        place = COLUMNS.index(name)
        if rows[0][place] == "–":
            continue
        before, after = (
            statistics.median(float(row[place].replace(",", "")) for row in part) for part in (early, late)
        )
        lines.append(f"| {name} | {before:.4g} | {after:.4g} | {100 * (after / before - 1):+.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--compare", type=Path, help="only compare the hours of a table that was written before")
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--port", type=int, default=18766)
    parser.add_argument("--pace", type=float, default=6_000, help="documents per second that are expected")
    parser.add_argument("--no-page", action="store_true", help="without a browser")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.compare is not None:
        print(compared(options.compare.read_text()))
        return
    with tempfile.TemporaryDirectory() as folder:
        token = "soak-" + os.urandom(12).hex()
        script = RUN.format(per_snapshot=PER_SNAPSHOT, minute=PER_MINUTE / options.pace)
        command = [sys.executable, "-c", script, "serve", "--store", f"{folder}/store", "--port", str(options.port)]
        environment = {**os.environ, "DRIFTLINE_TOKEN": token}
        process = subprocess.Popen([*command, "--keep", KEEP], env=environment, stdout=subprocess.DEVNULL)
        address = f"http://127.0.0.1:{options.port}"
        try:
            await_ready(address)
            with ExitStack() as stack:
                page = None if options.no_page else Overview(stack.enter_context(chromium()), address, token)
                run(process.pid, address, token, Path(folder) / "store", options, page)
        finally:
            process.terminate()
            process.wait(timeout=30)


if __name__ == "__main__":
    main()
