"""The characters of words, digits and spaces, as defined by Python, for every code point."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache

import numpy as np

from driftline.core.arrays import Bools

_CLASSES: dict[str, Callable[[str], bool]] = {
    "w": lambda character: character.isalnum() or character == "_",
    "d": str.isdecimal,
    "s": str.isspace,
}


@cache
def character_table(kind: str, *, ascii_only: bool = False) -> Bools:
    r"""Return for every code point (or for those of ASCII) whether ``\w``, ``\d`` or ``\s`` of `re` matches it.

    The table follows the Unicode version of the running Python, so it needs no update.

    >>> table = character_table("w")
    >>> [bool(table[ord(character)]) for character in "aé東_-"]
    [True, True, True, True, False]
    """
    test = _CLASSES[kind]
    size = 128 if ascii_only else sys.maxunicode + 1
    table = np.fromiter((test(chr(code)) for code in range(size)), dtype=np.bool_, count=size)
    table.flags.writeable = False
    return table


@cache
def class_ranges(kind: str, *, negated: bool = False) -> str:
    r"""Return the inside of an RE2 character class that means what ``\w``, ``\d`` or ``\s`` mean in Python.

    >>> class_ranges("d")[:13]
    '\\x{30}-\\x{39}'
    """
    members = character_table(kind) != negated
    members[0xD800:0xE000] = False  # surrogates are not characters, and RE2 never sees one
    edges = np.flatnonzero(np.diff(members, prepend=False, append=False))
    return "".join(f"\\x{{{first:x}}}-\\x{{{after - 1:x}}}" for first, after in edges.reshape(-1, 2))
