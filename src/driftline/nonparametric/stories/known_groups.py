"""Known groups of documents, such as threads: names or numbers, −1 where unknown."""

from __future__ import annotations

import hashlib

import numpy as np

from driftline.core.arrays import Ints, Labels
from driftline.core.errors import InvalidInput
from driftline.core.labels import UNLABELLED, is_known


def group_numbers(groups: Labels | None, n: int) -> Ints:
    """Return groups as numbers that depend on their names alone, −1 where unknown."""
    found = np.full(n, UNLABELLED, np.int64)
    if groups is None:
        return found
    names = np.asarray(groups, dtype=object).ravel()
    if len(names) != n:
        raise InvalidInput(f"there are {n} documents but {len(names)} groups; pass one per document, −1 if unknown")
    numbers_of: dict[object, int] = {}
    for place in np.flatnonzero(is_known(names)).tolist():
        if (name := names[place]) == "":
            continue
        if name not in numbers_of:
            digest = hashlib.blake2b(repr(name).encode("utf-8", "surrogatepass"), digest_size=8).digest()
            numbers_of[name] = int.from_bytes(digest, "big") >> 2
        found[place] = numbers_of[name]
    return found
