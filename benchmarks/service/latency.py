"""From the arrival of a document to the event that shows it, with one reader of events and with 200.

    python -m benchmarks.service.latency [--seconds 40] [--nice -5] [--readers-nice -5]

`driftline serve` runs in its own process with all models on; 50 documents per second are sent in requests of five. The
time is measured by the readers, all on 127.0.0.1, from the arrival of the oldest document of a delta at the service.
Deltas are at least 200 ms apart, and a document waits for the next one. The readers share the processors with the
service: `--nice` is the priority of the service, `--readers-nice` that of the readers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np

from driftline.datasets.newswire import simulate_newswire

RUN = [sys.executable, "-c", "from driftline.cli.main import main; main()"]
PER_REQUEST, PER_SECOND = 5, 50
ARRIVED = re.compile(rb'"arrived":([0-9.]+)')


async def read_events(port: int, token: str, latencies: list[float], until: float) -> None:
    """Read events and note the latencies."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    writer.write(
        f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    while time.time() < until:
        try:
            line = await asyncio.wait_for(reader.readline(), 1.0)
        except TimeoutError:
            continue
        arrived = ARRIVED.search(line, max(0, len(line) - 20_000)) if line.startswith(b"data: ") else None
        if arrived is not None:
            latencies.append(time.time() - float(arrived[1]))
    writer.close()


def cpu_seconds(process: int) -> float:
    """Return the CPU time of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send(port: int, token: str, lines: list[str]) -> None:
    """Send documents."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/documents", "\n".join(lines).encode(), headers)
    urllib.request.urlopen(request, timeout=60).close()


async def measure(port: int, token: str, texts: list[str], n_readers: int, seconds: float, first: int) -> list[float]:
    """Return the latencies of all readers."""
    latencies: list[float] = []
    until = time.time() + seconds
    readers = [asyncio.create_task(read_events(port, token, latencies, until)) for _ in range(n_readers)]
    await asyncio.sleep(1)
    begun, k = time.time(), 0
    while time.time() < until - 1:
        await asyncio.sleep(max(0.0, begun + k / PER_SECOND - time.time()))
        lines = [
            json.dumps({"id": str(first + k + j), "time": time.time(), "text": texts[(first + k + j) % len(texts)]})
            for j in range(PER_REQUEST)
        ]
        await asyncio.to_thread(send, port, token, lines)
        k += PER_REQUEST
    await asyncio.gather(*readers)
    return latencies


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--port", type=int, default=18799)
    parser.add_argument("--nice", type=int, default=0, help="priority of the service")
    parser.add_argument("--readers-nice", type=int, default=0, help="priority of the readers")
    options = parser.parse_args()
    texts = simulate_newswire(20_000, random_state=2).texts
    token = "latency-" + os.urandom(8).hex()
    with tempfile.TemporaryDirectory() as folder:
        command = [*RUN, "serve", "--store", f"{folder}/store", "--port", str(options.port)]
        service = subprocess.Popen(command, env={**os.environ, "DRIFTLINE_TOKEN": token}, stdout=subprocess.DEVNULL)
        os.setpriority(os.PRIO_PROCESS, service.pid, options.nice)  # before it has threads
        os.setpriority(os.PRIO_PROCESS, 0, options.readers_nice)
        try:
            for _ in range(600):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{options.port}/readyz", timeout=5).close()
                    break
                except OSError:
                    time.sleep(0.5)
            for start in range(0, 3_000, 500):  # first topics, compiled loops
                lines = [json.dumps({"time": 1_790_000_000 + start + k, "text": texts[start + k]}) for k in range(500)]
                send(options.port, token, lines)
            print(f"Priority of the service {options.nice}, of the readers {options.readers_nice}.\n")
            print("| readers | events received | p50, ms | p95, ms | CPU ms of the service per delta | load |")
            print("|--:|--:|--:|--:|--:|--:|")
            for n_readers, first in ((1, 10**6), (200, 2 * 10**6)):
                before = cpu_seconds(service.pid)
                found = asyncio.run(measure(options.port, token, texts, n_readers, options.seconds, first))
                middle, high = 1000 * np.quantile(found, [0.5, 0.95])
                each = 1000 * (cpu_seconds(service.pid) - before) * n_readers / len(found)
                load = f"{os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
                print(f"| {n_readers} | {len(found):,} | {middle:.0f} | {high:.0f} | {each:.1f} | {load} |", flush=True)
        finally:
            service.terminate()
            service.wait(timeout=30)


if __name__ == "__main__":
    main()
