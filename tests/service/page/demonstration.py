"""`driftline serve --demo` in a separate process, for tests, benchmarks and pictures of the page."""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

COMMAND = [sys.executable, "-c", "from driftline.cli.main import main; main()", "serve", "--demo"]


@contextlib.contextmanager
def demonstration(labels: Sequence[str] = ()) -> Iterator[str]:
    """Run the demonstration on a free port, and yield its address with the token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [*COMMAND, "--port", str(port), "--store", f"{folder}/live"]
        command += [part for label in labels for part in ("--label", label)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            address = _address(process)
            _wait_for(port)
            yield address
        finally:
            process.terminate()
            process.communicate(timeout=60)


def _wait_for(port: int, seconds: float = 60.0) -> None:
    """Wait until the service, which prints its address first, accepts connections."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError(f"the service does not listen on port {port}")


def _address(process: subprocess.Popen[str]) -> str:
    said = []
    for line in process.stdout or ():
        said.append(line)
        if match := re.search(r"http://\S+#token=\S+", line):
            return match.group()
    raise RuntimeError("the service did not start: " + "".join(said))
