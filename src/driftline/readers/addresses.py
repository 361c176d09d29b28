"""Network addresses given as a source: they are refused, with advice on what to do instead."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from driftline.core.errors import InvalidInput

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{1,20})://")
_FETCHED = ("http", "https", "ftp")
_OF_FILES = ("file", "sqlite")


def refuse_address(source: str) -> None:
    """Raise `InvalidInput` if a source is a network address, with instructions for reading it.

    >>> refuse_address("news.csv")
    >>> refuse_address("https://example.org/news.csv?day=1")
    Traceback (most recent call last):
    driftline.core.errors.InvalidInput: 'https://example.org/news.csv?day=1' is a network address, and driftline reads
    nothing from the network; save it first, for example with: curl -L -o news.csv ADDRESS, and pass the file
    """
    match = _ADDRESS.match(source)
    if match is None:
        return
    shown = source if len(source) <= 200 else source[:199] + "…"
    scheme = match[1].lower()
    if scheme in _OF_FILES:
        raise InvalidInput(f"{shown!r} is the address of a file; pass its path instead, without {scheme}://")
    how = f", for example with: curl -L -o {_file_name(source)} ADDRESS," if scheme in _FETCHED else ""
    raise InvalidInput(
        f"{shown!r} is a network address, and driftline reads nothing from the network; save it first{how} "
        f"and pass the file"
    )


def _file_name(address: str) -> str:
    """Return the last part of the path if it is a plain file name, otherwise a neutral one."""
    try:
        name = PurePosixPath(urlsplit(address).path).name
    except ValueError:
        name = ""
    return name if re.fullmatch(r"\w[\w.-]{0,60}", name, re.ASCII) else "source"
