"""What the memory of `driftline serve` consists of: at its first start, at later ones, and with a page open.

    python -m benchmarks.service.memory --documents 600000
    python -m benchmarks.service.memory --documents 300000 --refits 3

The documents are those of the soak of a day (`benchmarks.service.soak_day`), as fast as they are taken. The service is
asked from within: what SQLite holds, the objects that can be reached from the models and from the writer, and, by
mallinfo2(3) of glibc, what the allocator keeps free between objects. "The rest" is what Python, imported modules and
compiled code take. The first start has an empty folder for the code that Numba compiles (`NUMBA_CACHE_DIR`), so that
all loops are compiled in the process; later starts read the code from that folder. With `--refits` the service
starts once, and further columns are after each refit, a tenth of the documents later.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.report.browser import chromium

from benchmarks.service.soak import Overview, await_ready, model_of, request_refit
from benchmarks.service.soak_day import PER_REQUEST, PER_SNAPSHOT, Stories, send

FEW = 2 * PER_REQUEST
"""Documents after which the first topics are fitted and all loops are compiled."""
RUN = f"""
import sys, threading
from driftline.service import lifecycle, service, writer
from benchmarks.service.memory_parts import answer_questions
writer.SNAPSHOT_DOCUMENTS = {PER_SNAPSHOT}
service.RELEASE_EVERY = 5.0
def started(running, port):
    threading.Thread(target=answer_questions, args=(running, sys.argv[2]), daemon=True).start()
options = service.Options(store=sys.argv[1] + "/store", token=sys.argv[3])
raise SystemExit(lifecycle.serve(options, host="127.0.0.1", port=int(sys.argv[4]), started=started))
"""
ROWS = {
    "all": "memory of the process",
    "files": "libraries and other files, mapped",
    "models": "models: words, topics, bursts",
    "writer": "keys of documents, counts that are not stored yet",
    "sqlite": "SQLite: pages of six connections",
    "readers": "of it in the five connections that read",
    "free": "free between objects, kept by the allocator",
    "small": "free between objects of up to 512 bytes, kept by Python",
    "rest": "the rest: Python, imported modules, compiled code",
}


def parts_of(folder: Path) -> dict[str, float]:
    """Ask the service for the parts of its memory, in MB."""
    answer, question = folder / "answer.json", folder / "question"
    question.touch()
    while question.exists():
        time.sleep(0.05)
    found: dict[str, float] = json.loads(answer.read_text())
    return found


def measured(options: argparse.Namespace, compiled: str, *, page: bool) -> dict[str, Any]:
    """Run a service, and return the parts of its memory at the start, after few documents, at the end, after refits."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder, token = Path(name), "memory-" + os.urandom(12).hex()
        command = [sys.executable, "-c", RUN, name, name, token, str(options.port)]
        process = subprocess.Popen(command, env={**os.environ, "NUMBA_CACHE_DIR": compiled})
        stack.callback(process.wait, timeout=30)
        stack.callback(process.terminate)
        address = f"http://127.0.0.1:{options.port}"
        await_ready(address)
        found: dict[str, Any] = {"at the start": parts_of(folder)}
        if page:
            Overview(stack.enter_context(chromium()), address, token)
        stories = Stories(time.time() - options.documents / 200 - 60)
        while stories.n < options.documents:
            send(address, token, stories.body())
            if stories.n == FEW:
                time.sleep(5)
                found[f"{FEW:,} documents"] = parts_of(folder)
        time.sleep(8)  # freed memory is returned every five seconds
        found[f"{stories.n:,} documents"] = parts_of(folder)
        for number in range(1, options.refits + 1):
            refit(address, token)
            until = stories.n + options.documents // 10
            while stories.n < until:
                send(address, token, stories.body())
            time.sleep(8)
            found[f"after refit {number}"] = parts_of(folder)
        found["version"] = model_of(address, token)["version"]
        return found


def refit(address: str, token: str) -> None:
    """Refit the topics, and wait until the new ones are in use."""
    version = model_of(address, token)["version"]
    while True:
        with contextlib.suppress(urllib.error.HTTPError):  # another refit is running
            request_refit(address, token)
        for _ in range(120):
            time.sleep(1)
            if model_of(address, token)["version"] > version:
                return


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=600_000)
    parser.add_argument("--port", type=int, default=18767)
    parser.add_argument("--no-page", action="store_true", help="leave out the run with a browser")
    parser.add_argument("--refits", type=int, default=0, metavar="N", help="measure before and after N refits")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as compiled:
        if options.refits:
            measured(argparse.Namespace(documents=FEW, refits=1, port=options.port), compiled, page=False)  # compiles
            found = {"later start": measured(options, compiled, page=False)}
        else:
            pages = {"first start": False, "later start": False}
            if not options.no_page:
                pages["later start, overview open"] = True
            found = {name: measured(options, compiled, page=page) for name, page in pages.items()}
    stages = [(name, stage) for name in found for stage in found[name] if isinstance(found[name][stage], dict)]
    print(f"| MB | {' | '.join(f'{name}, {stage}' for name, stage in stages)} |")
    print("|---|" + "--:|" * len(stages))
    for key, label in ROWS.items():
        print(f"| {label} | {' | '.join(f'{found[name][stage][key]:.0f}' for name, stage in stages)} |")
    print(f"\nVersions of the models at the end: {', '.join(str(found[name]['version']) for name in found)}.")


if __name__ == "__main__":
    main()
