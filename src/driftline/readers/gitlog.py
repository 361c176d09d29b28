"""The log of a git repository: every commit is a document, with its author date."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from driftline.core.errors import InvalidInput
from driftline.readers.columns import Choice
from driftline.readers.records import Columns, Limits, Records, Unusable, bad_encoding, too_long

GIT_COLUMNS = ("id", "time", "subject", "body", "author", "author_email", "committer", "committed")
"""Columns of a git log for ``time=``, ``text=``, ``label=`` and ``author=``."""
GIT_CHOICE = Choice("time", ("subject", "body"), label=False, id="id", author="author", thread=False)
"""Columns read by default."""

_FORMATS = {
    "id": "%H",
    "time": "%at",
    "subject": "%s",
    "body": "%b",
    "author": "%an",
    "author_email": "%ae",
    "committer": "%cn",
    "committed": "%ct",
}
_CHUNK = 2**20
# The repository is not trusted: nothing that its configuration names may be run, fetched or prompted for.
_SAFE = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "core.pager=cat")
_ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}


def is_repository(folder: Path) -> bool:
    """Return whether a folder is a git repository: a work tree, or a bare one."""
    return (folder / ".git").exists() or all((folder / part).exists() for part in ("HEAD", "objects", "refs"))


def read_git_log(repository: Path, columns: Columns, limits: Limits) -> Iterator[Records]:
    """Yield the commits that lead to HEAD, the oldest first."""
    if shutil.which("git") is None:
        raise InvalidInput(f"reading the log of {repository} needs the program git; install it, and add it to the PATH")
    names = ["id", *(name for name in columns.needed() if name != "id")]
    numbers: list[int] = []
    rows: list[list[str]] = []
    unusable: list[Unusable] = []
    size = 0

    def records() -> Records:
        values = {name: pa.array([row[i] for row in rows], pa.large_string()) for i, name in enumerate(names)}
        for name in {"time", "committed"} & set(names):
            values[name] = _seconds(values[name])
        places = [f"commit {row[0][:12]}" for row in rows]
        return Records(repository.name, values, np.array(numbers, np.int64), columns, unusable, places=places)

    for number, fields in enumerate(_commits(repository, names, limits), start=1):
        row = _decode(fields, limits)
        if isinstance(row, str):
            place = f"commit {fields[0][:12].decode(errors='replace')}"
            unusable.append(Unusable(number, row, place=place))
        else:
            numbers.append(number)
            rows.append(row)
            size += sum(map(len, row))
        if len(rows) >= limits.batch_size or size >= limits.block_bytes:
            yield records()
            numbers, rows, unusable, size = [], [], [], 0
    yield records()


def _commits(repository: Path, names: list[str], limits: Limits) -> Iterator[list[bytes]]:
    """Yield the fields of every commit, separated by NUL, which no message contains."""
    pattern = "".join(_FORMATS[name] + "%x00" for name in names)
    command = ["git", "-C", str(repository.resolve()), *_SAFE, "log", "--reverse", "--no-color", "--no-notes"]
    command += ["--no-show-signature", "--no-mailmap", "--no-patch", "--encoding=UTF-8"]
    command += [f"--format=tformat:{pattern}", "--end-of-options", "--"]
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=os.environ | _ENVIRONMENT,
        )
        try:
            if process.stdout is None:
                raise RuntimeError("git was started without a pipe to read from")
            yield from _fields(process.stdout.read, len(names), limits)
            if process.wait():
                complaints.seek(0)
                message = complaints.read(2000).decode(errors="replace").strip()
                if "does not have any commits" in message:
                    return
                raise InvalidInput(f"git cannot read the log of {repository}: {message}")
        finally:
            process.kill()
            process.communicate()


def _fields(read: Callable[[int], bytes], n_fields: int, limits: Limits) -> Iterator[list[bytes]]:
    fields: list[bytes] = []
    begun: list[bytes] = []
    begun_bytes = 0
    while chunk := read(_CHUNK):
        *complete, last = chunk.split(b"\0")
        for end in complete:
            fields.append(b"".join([*begun, end]))
            begun, begun_bytes = [], 0
            if len(fields) == n_fields:
                fields[0] = fields[0].lstrip(b"\n")  # git ends every commit with a line feed, so it precedes the next
                yield fields
                fields = []
        if begun_bytes <= limits.max_record_bytes:  # otherwise the commit is too long and is not buffered
            begun.append(last)
            begun_bytes += len(last)


def _decode(fields: list[bytes], limits: Limits) -> list[str] | str:
    if sum(map(len, fields)) > limits.max_record_bytes:
        return too_long(limits)
    try:
        return [field.decode().strip("\n") for field in fields]
    except UnicodeDecodeError as error:
        return bad_encoding(error)


def _seconds(times: pa.Array) -> pa.Array:
    """Return seconds since 1970 as timestamps; null if git could not parse them."""
    seconds = [int(text) if text.lstrip("-").isdecimal() and len(text) < 15 else None for text in times.to_pylist()]
    return pa.array(seconds, pa.int64()).cast(pa.timestamp("s", tz="UTC"))
