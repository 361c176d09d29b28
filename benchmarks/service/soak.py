"""Hours of `driftline serve` at 200 documents per second: memory and latency, minute by minute.

    python -m benchmarks.service.soak --minutes 120

Documents are stories of the simulated newswire with the time of the clock; one in two has a word that never came
before. They are sent over HTTP to 127.0.0.1, in requests of fifty. One reader of events measures the time from the
arrival of the oldest document of a delta to its receipt, and the overview is open in Chromium: its JavaScript heap is
measured after a full collection, the memory of its process as it is. Beside each minute is the load of the machine:
the mean number of processes that ran or waited. The service runs in its own process. Its models keep 200,000 words,
which these documents reach after half an hour (250,000 after forty minutes, when the rarest are forgotten first):
memory before that says nothing about a leak. By itself the service refits its topics once more, after 57 minutes;
with `--refit-every 20` a refit is requested every twenty minutes, the first within the half hour that is not counted.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.report.browser import chromium

from benchmarks.service.page import opened
from driftline.datasets.newswire import simulate_newswire

PER_SECOND, PER_REQUEST = 200, 50
NEW_WORD_EVERY = 2
RUN = [sys.executable, "-c", "from driftline.cli.main import main; main()"]


def memory_of(pid: int, kind: str = "VmRSS") -> float:
    """Return the resident memory of a process, in MB; `RssAnon` is the part that is not backed by a file."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def memory_of_pages() -> float:
    """Return the resident memory of the pages that this process has opened in Chromium, in MB."""
    parents, pages = {}, []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if b"--type=renderer" in (folder / "cmdline").read_bytes():
                    pages.append(int(folder.name))
    total = 0.0
    for page in pages:
        above = page
        while above in parents and above != os.getpid():
            above = parents[above]
        total += memory_of(page) if above == os.getpid() else 0.0
    return total


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Reader(threading.Thread):
    """Reads events and notes the latency of every delta."""

    def __init__(self, address: str, token: str) -> None:
        super().__init__(daemon=True)
        self.address, self.token = address, token
        self.latencies: list[float] = []
        self.n_gaps = 0

    def run(self) -> None:
        request = urllib.request.Request(
            f"{self.address}/api/events", headers={"Authorization": f"Bearer {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=60) as events:
            for line in events:
                if line.startswith(b"event: gap"):
                    self.n_gaps += 1
                if line.startswith(b"data: ") and b'"arrived":' in line:
                    arrived = json.loads(line[6:]).get("arrived")
                    if arrived is not None:
                        self.latencies.append(time.time() - arrived)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=int, default=120)
    parser.add_argument("--port", type=int, default=18765)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--refit-every", type=int, metavar="MINUTES", help="request a refit at these intervals")
    parser.add_argument("--browser", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    texts = simulate_newswire(50_000, random_state=1).texts
    with tempfile.TemporaryDirectory() as folder:
        token = "soak-" + os.urandom(12).hex()
        command = [*RUN, "serve", "--store", f"{folder}/store", "--port", str(options.port)]
        process = subprocess.Popen(command, env={**os.environ, "DRIFTLINE_TOKEN": token}, stdout=subprocess.DEVNULL)
        try:
            soak(process.pid, f"http://127.0.0.1:{options.port}", token, texts, options)
        finally:
            process.terminate()
            process.wait(timeout=30)


class Overview:
    """The overview in a browser."""

    def __init__(self, browser: Any, address: str, token: str) -> None:
        self.page = opened(browser, f"{address}/#token={token}")
        self._inspector = self.page.context.new_cdp_session(self.page)

    def heap(self) -> float:
        """Return the heap of JavaScript after a full collection, in MB."""
        self._inspector.send("HeapProfiler.collectGarbage")
        return float(self._inspector.send("Runtime.getHeapUsage")["usedSize"]) / 1e6

    def n_elements(self) -> int:
        """Return the number of elements of the page."""
        return int(self.page.evaluate("() => document.querySelectorAll('*').length"))


def model_of(address: str, token: str) -> dict[str, Any]:
    """Return what the service says of its models."""
    request = urllib.request.Request(f"{address}/api/health", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=60) as found:
        model: dict[str, Any] = json.load(found)["model"]
        return model


def request_refit(address: str, token: str) -> None:
    """Request a refit of the topics."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(f"{address}/api/refit", b"{}", headers), timeout=60).close()


def await_ready(address: str) -> None:
    """Wait until a service takes documents."""
    for _ in range(900):
        try:
            urllib.request.urlopen(f"{address}/readyz", timeout=5).close()
            return
        except OSError:
            time.sleep(1)


def soak(pid: int, address: str, token: str, texts: list[str], options: argparse.Namespace) -> None:
    await_ready(address)
    with chromium() if options.browser else contextlib.nullcontext() as browser:
        overview = Overview(browser, address, token) if options.browser else None
        observe(pid, address, token, texts, options, overview)


def observe(
    pid: int, address: str, token: str, texts: list[str], options: argparse.Namespace, overview: Overview | None
) -> None:
    reader = Reader(address, token)
    reader.start()
    lines = [
        f"Begun {datetime.now(UTC):%Y-%m-%d %H:%M} UTC; {PER_SECOND} documents per second, requests of {PER_REQUEST}.",
        "",
        "| minute | documents | words known | version of the models | memory, MB | of it no file, MB "
        "| CPU, % of a core | latency p50, ms | p95, ms "
        "| slowest request, ms | refused | heap of the page, MB | its elements | memory of its process, MB "
        "| load of the machine |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    print("\n".join(lines), flush=True)
    begin = time.time()
    sent = refused = number = 0
    for minute in range(1, options.minutes + 1):
        slowest, cpu = 0.0, cpu_of(pid)
        while time.time() < begin + 60 * minute:
            due = begin + sent / PER_SECOND
            time.sleep(max(0.0, due - time.time()))
            body = []
            for _ in range(PER_REQUEST):
                number += 1
                text = texts[number % len(texts)] + (f" word{number:x}" if number % NEW_WORD_EVERY == 0 else "")
                body.append(json.dumps({"id": str(number), "time": time.time(), "text": text}))
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
            request = urllib.request.Request(f"{address}/api/documents", "\n".join(body).encode(), headers)
            start = time.time()
            try:
                urllib.request.urlopen(request, timeout=60).close()
            except OSError:
                refused += 1
            slowest = max(slowest, time.time() - start)
            sent += PER_REQUEST
        latencies = sorted(reader.latencies)
        reader.latencies = []
        middle = 1000 * latencies[len(latencies) // 2] if latencies else float("nan")
        high = 1000 * latencies[int(0.95 * len(latencies))] if latencies else float("nan")
        used = 100 * (cpu_of(pid) - cpu) / 60
        page = "– | – | –"
        if overview is not None:
            page = f"{overview.heap():.2f} | {overview.n_elements():,} | {memory_of_pages():.0f}"
        model = model_of(address, token)
        if options.refit_every and minute % options.refit_every == 0:
            request_refit(address, token)
        row = (
            f"| {minute} | {sent:,} | {model['n_words']:,} | {model['version']} | {memory_of(pid):.0f} "
            f"| {memory_of(pid, 'RssAnon'):.0f} | {used:.0f} | {middle:.0f} | {high:.0f} "
            f"| {1000 * slowest:.0f} | {refused} | {page} | {os.getloadavg()[0]:.1f} |"
        )
        lines.append(row)
        print(row, flush=True)
        if options.output is not None:
            options.output.write_text("# Soak of the live service\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
