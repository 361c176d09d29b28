"""Cases as JSON: what a target was given when it failed, kept so that it can be given again."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

REGRESSIONS = Path(__file__).parent / "regressions"


def encode(target: str, case: Any) -> str:
    """Return a case as JSON; bytes become base64, tuples lists."""
    return json.dumps({"target": target, "case": _plain(case)}, indent=1, sort_keys=True)


def decode(content: str) -> tuple[str, Any]:
    """Return the target's name and the case."""
    found = json.loads(content)
    return found["target"], _restored(found["case"])


def keep(target: str, case: Any, folder: Path = REGRESSIONS) -> Path:
    """Write a case to the folder, under a name that is the same for the same case."""
    content = encode(target, case)
    path = folder / f"{target}-{hashlib.sha256(content.encode()).hexdigest()[:10]}.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(content + "\n", encoding="utf-8")
    return path


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {"object": {key: _plain(part) for key, part in value.items()}}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        if "base64" in value:
            return base64.b64decode(value["base64"])
        return {key: _restored(part) for key, part in value["object"].items()}
    if isinstance(value, list):
        return [_restored(part) for part in value]
    return value
