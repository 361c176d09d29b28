"""The file that stores the position of `driftline watch`: fully checked on reading, replaced atomically."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from driftline.core.errors import InvalidInput

MOST_BYTES = 64 * 2**20
BEGINNING: dict[str, Any] = {
    "offset": 0,
    "number": 0,
    "ended": True,
    "mark": None,
    "rejected": 0,
    "output": None,
    "written": 0,
    "fingerprint": "",
    "closed": True,
}
"""Position before the first line.

`offset`, `number` and `mark` describe the last line taken (see `driftline.readers.line_follower`); `ended` is true if
it had a line end. The position covers `written` bytes of `output`, `fingerprint` is a digest of them, and `closed`
means that nothing was written after them.
"""


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_mark(value: object) -> bool:
    return value is None or (
        isinstance(value, list)
        and len(value) == 3
        and _is_count(value[0])
        and _is_count(value[1])
        and _is_text(value[2])
    )


_CHECKS: dict[str, Callable[[object], bool]] = {
    "offset": _is_count,
    "number": _is_count,
    "ended": lambda value: isinstance(value, bool),
    "mark": _is_mark,
    "rejected": _is_count,
    "output": lambda value: value is None or _is_text(value),
    "written": _is_count,
    "fingerprint": _is_text,
    "closed": lambda value: isinstance(value, bool),
    "source": _is_text,
    "live": lambda value: isinstance(value, dict),
}


def read_place(path: Path) -> dict[str, Any] | None:
    """Return the last saved position; None if there is none yet."""
    from driftline.cli.state_folder import read_state_file
    from driftline.persistence.manifest import content_checksum

    try:
        content = read_state_file(path, MOST_BYTES + 1)
    except InvalidInput as error:
        raise damaged(path, "it is not a regular file") from error
    except OSError as error:
        raise damaged(path, f"it cannot be read: {error.strerror}") from error
    if content is None:
        return None
    if len(content) > MOST_BYTES:
        raise damaged(path, "it is larger than any valid file")
    try:
        place = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"it is not JSON: {error}") from error
    if not isinstance(place, dict):
        raise damaged(path, "it contains no JSON object")
    checksum = place.pop("checksum", None)
    if place.keys() != _CHECKS.keys():
        raise damaged(path, f"it should contain {', '.join(_CHECKS)}")
    for name, is_right in _CHECKS.items():
        if not is_right(place[name]):
            raise damaged(path, f"its {name!r} is invalid")
    if checksum != content_checksum(place):
        raise damaged(path, "its content and its checksum differ")
    return place


def write_place(path: Path, place: dict[str, object]) -> None:
    """Replace the position atomically: a crash leaves the old or the new one."""
    from driftline.cli.state_folder import write_state_file
    from driftline.persistence.manifest import content_checksum

    # in the form in which it will be read: tuples become lists, and numbers have their shortest form
    plain = json.loads(json.dumps(place))
    write_state_file(path, json.dumps({"checksum": content_checksum(plain), **plain}).encode("ascii"))


def damaged(path: Path, reason: str) -> InvalidInput:
    """Return the error for an unusable position, with ways to continue."""
    return InvalidInput(
        f"{path} is damaged ({reason}); restore it from a copy, or remove it and name a new --output: "
        f"the model in {path.parent / 'model'} is kept, and the source is read again from the beginning"
    )
