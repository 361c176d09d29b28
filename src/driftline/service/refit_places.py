"""Places where a refit can run: a child process at low priority, or a worker of a Dask cluster."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from driftline.core.errors import InvalidInput, MissingDependency
from driftline.service.refit_child import refit

if TYPE_CHECKING:
    from driftline.service.refit_child import Refitted


SCHEME = "dask://"
PATIENCE = 15
"""Seconds within which the scheduler must answer."""


class RefitFailed(Exception):
    """The refit ended without models."""


class RefitPlace(Protocol):
    """Runs one refit at a time."""

    def run(self, store: str, mode: str, version: int) -> tuple[bytes, Refitted]:
        """Return the models, and their last batch and lineage; raise `RefitFailed`."""

    def stop(self) -> None:
        """End the running refit."""


class ChildProcess:
    """A child process of the service."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def run(self, store: str, mode: str, version: int) -> tuple[bytes, Refitted]:
        """Refit in a child process."""
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "driftline.service.refit_child", store, folder, mode, str(version)]
            self._child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            _, complaint = self._child.communicate()
            if self._child.returncode:
                lines = complaint.decode(errors="replace").strip().splitlines()
                raise RefitFailed(lines[-1][:200] if lines else f"the process ended with code {self._child.returncode}")
            return (Path(folder) / "models.bin").read_bytes(), json.loads((Path(folder) / "refit.json").read_text())

    def stop(self) -> None:
        """Kill the child."""
        if self._child is not None and self._child.poll() is None:
            self._child.kill()


class DaskCluster:
    """A worker of a cluster; it reads the store itself, so all machines must be able to reach the store."""

    def __init__(self, address: str) -> None:
        self._address = address.removeprefix(SCHEME)
        self._running: Any = None

    def run(self, store: str, mode: str, version: int) -> tuple[bytes, Refitted]:
        """Refit on a worker; if it is lost, another one starts again."""
        from distributed import Client

        try:
            client = Client(self._address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
        except OSError as error:
            raise RefitFailed(f"the scheduler {self._address} does not answer: {error}") from error
        with client:
            self._running = client.submit(refit, store, mode, version, pure=False, retries=2)
            try:
                found: tuple[bytes, Refitted] = self._running.result()
            except Exception as error:
                raise RefitFailed(f"{type(error).__name__}: {error}"[:200]) from error
            finally:
                self._running = None
        return found

    def stop(self) -> None:
        """Cancel the task."""
        if self._running is not None:
            self._running.cancel()


def refit_place(address: str | None, store: str) -> RefitPlace:
    """Return the place for refits: a child process, or the cluster at an address such as ``dask://scheduler:8786``."""
    if address is None:
        return ChildProcess()
    if not address.startswith(SCHEME) or not address.removeprefix(SCHEME):
        raise InvalidInput(f"--refit-on {address}: write the scheduler of a Dask cluster as dask://HOST:PORT")
    if "://" not in store:
        raise InvalidInput("--refit-on needs a store that the workers can reach: --store postgresql://…")
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise MissingDependency("--refit-on", "distributed", "dask") from error
    return DaskCluster(address)
