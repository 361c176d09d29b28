"""The characters of words, digits and spaces, as defined by Python, for every code point."""

from __future__ import annotations

import re
import sys
from functools import cache

import numpy as np

from driftline.core.arrays import Bools


@cache
def character_table(kind: str, *, ascii_only: bool = False) -> Bools:
    r"""Return for every code point (or for those of ASCII) whether ``\w``, ``\d`` or ``\s`` of `re` matches it.

    The table follows the Unicode version of the running Python, so it needs no update. Whole runs of characters are
    matched, which is faster than one match for each.

    >>> table = character_table("w")
    >>> [bool(table[ord(character)]) for character in "aé東_-"]
    [True, True, True, True, False]
    """
    size = 128 if ascii_only else sys.maxunicode + 1
    characters = np.arange(size, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    table = np.zeros(size, dtype=np.bool_)
    for run in re.finditer(rf"\{kind}+", characters):
        table[run.start() : run.end()] = True
    table.flags.writeable = False
    return table


@cache
def class_ranges(kind: str, *, negated: bool = False) -> str:
    r"""Return the content of an RE2 character class that is equivalent to ``\w``, ``\d`` or ``\s`` in Python.

    >>> class_ranges("d")[:13]
    '\\x{30}-\\x{39}'
    """
    members = character_table(kind) != negated
    members[0xD800:0xE000] = False  # surrogates are not characters, and RE2 never sees one
    edges = np.flatnonzero(np.diff(members, prepend=False, append=False))
    return "".join(f"\\x{{{first:x}}}-\\x{{{after - 1:x}}}" for first, after in edges.reshape(-1, 2))
