"""Atomic replacement of a file."""

from __future__ import annotations

import contextlib
import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TextIO

from driftline.persistence.drafts import draft_file, sweep
from driftline.persistence.flushing import explained, flush_folder


@contextlib.contextmanager
def replaced_file(path: str | Path, *, follow: bool = True) -> Iterator[BinaryIO]:
    r"""Yield a file to write to; if the block succeeds, it replaces `path` atomically.

    A crash, a full disk or an error in the block leaves the previous file. A link is followed, and its target is
    replaced; a device or a pipe is written to directly. Without `follow`, the entry of that name is itself replaced,
    and nothing else is changed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replaced_file(f"{folder}/words.txt") as file:
    ...         _ = file.write(b"war\n")
    ...     Path(folder, "words.txt").read_text()
    'war\n'
    """
    target = Path(os.path.realpath(path)) if follow else Path(path)
    with explained(target):
        before = target.lstat() if os.path.lexists(target) else None
        is_regular = before is not None and stat.S_ISREG(before.st_mode)
        if follow and before is not None and not is_regular:
            with open(target, "wb") as direct:
                yield direct
            return
        sweep(target)
        with draft_file(target) as (draft, descriptor):
            with os.fdopen(descriptor, "wb", closefd=False) as file:
                yield file
                file.flush()
                if before is not None and is_regular and hasattr(os, "fchmod"):
                    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
                os.fsync(descriptor)
            os.replace(draft, target)
        flush_folder(target.parent)


def write_text(path: str | Path, text: str) -> Path:
    """Replace a file by a text, as UTF-8 with plain line ends; lone surrogates become question marks."""
    with replaced_file(path) as file:
        file.write(text.encode("utf-8", "replace"))
    return Path(path)


@contextlib.contextmanager
def replaced_text_file(path: str | Path) -> Iterator[TextIO]:
    """Yield a text file to write to, UTF-8 with line ends as written; see `replaced_file`."""
    with replaced_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()
