"""Names of test cases that are the same in every process, so that tests can run side by side."""

from __future__ import annotations

import re


def shown(value: object) -> str:
    """Return what a value looks like, without its address in memory; sets, whose order differs, sorted."""
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value))[:40]
