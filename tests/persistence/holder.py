"""An estimator that stores any value, and functions for tampering with its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import driftline
from driftline.base.estimator import DriftEstimator
from driftline.persistence.manifest import MANIFEST, content_checksum
from driftline.persistence.model import save_model

TRUSTED = ("tests.persistence",)


class Holder(DriftEstimator):
    """Learns nothing: `fit` keeps what it is given."""

    def __init__(self, first=None, second=None):
        self.first = first
        self.second = second

    def fit(self, X, y=None, *, times=None):
        self.held_ = X
        return self


@dataclass(frozen=True)
class Point:
    x: Any
    y: Any = 0


class Pair(NamedTuple):
    left: Any
    right: Any = None


def round_trip(value: Any, folder: Path) -> Any:
    """Save and load a value as learned state, and return what came back."""
    save_model(Holder().fit(value), folder / "model", trusted=TRUSTED)
    return driftline.load(folder / "model", trusted=TRUSTED).held_


def tamper(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the manifest of a saved model as an attacker would: with all hashes made right again."""
    file = folder / MANIFEST
    manifest = json.loads(file.read_bytes())
    del manifest["checksum"]
    change(manifest)
    for name, entry in manifest["files"].items():
        if (folder / name).is_file() and isinstance(entry, dict):
            content = (folder / name).read_bytes()
            entry.update(bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
    file.write_text(json.dumps({"checksum": content_checksum(manifest), **manifest}))
