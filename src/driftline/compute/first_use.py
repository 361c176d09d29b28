"""The first use on a machine compiles the hot loops, which takes a while; say so, once."""

from __future__ import annotations

from pathlib import Path

from driftline.core.progress import announce


def announce_compilation(folder: Path | None = None) -> bool:
    """Announce the compilation if nothing in `folder` (the compiled loops of this package) is compiled yet.

    >>> announce_compilation(Path("a folder with no compiled code"))
    True
    """
    folder = folder if folder is not None else Path(__file__).parent / "cpu" / "__pycache__"
    first = next(iter(folder.glob("*.nbi")), None) is None
    if first:
        announce("First use: compiling for this machine, once; about a minute ...")
    return first
