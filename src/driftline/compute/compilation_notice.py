"""A notice that the first use on a machine compiles the hot loops, which takes a while."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from driftline.compute.cache_folder import cache_folder
from driftline.compute.code_files import SUFFIX
from driftline.core.progress import announce


def announce_compilation(folder: Path | None = None) -> bool:
    """Announce the compilation if nothing in `folder` (the compiled loops of this package) is compiled yet.

    >>> announce_compilation(Path("a folder with no compiled code"))
    True
    """
    if folder is None:
        kept = cache_folder(str(Path(__file__).absolute().parent / "cpu"))
        folder = None if kept is None else Path(kept)
    first = folder is None or next(iter(folder.glob(f"*{SUFFIX}")), None) is None
    if first:
        announce("First use: compiling for this machine, once; about a minute ...")
    return first


def announce_preparation(kernel: Any, purpose: str) -> bool:
    """Announce that a kernel is loaded or compiled if this process has not called it yet.

    >>> announce_preparation(len, "count")
    False
    """
    first = getattr(kernel, "signatures", None) == []
    if first:
        announce(f"preparing compiled code to {purpose} (the first time takes a few seconds)")
    return first
