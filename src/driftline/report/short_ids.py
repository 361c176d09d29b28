"""Ids of documents as the page shows them: hashes of commits are abbreviated, as git does."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

_HASH = r"^([0-9a-f]{12})[0-9a-f]{28}(?:[0-9a-f]{24})?$"
"""Expression for a SHA-1 or SHA-256 hash; git accepts its first twelve digits."""


def short_id(identifier: str) -> str:
    """Return an id; of a hash, only the first twelve digits.

    >>> short_id("07ffc7d605cc96557db28a9e35da69bc0719611b"), short_id("<1048131240@mail.example.org>")
    ('07ffc7d605cc', '<1048131240@mail.example.org>')
    """
    return re.sub(_HASH, r"\1", identifier)


def short_ids(identifiers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Apply `short_id` to many ids.

    >>> short_ids(pa.chunked_array([["07ffc7d605cc96557db28a9e35da69bc0719611b", "17"]])).to_pylist()
    ['07ffc7d605cc', '17']
    """
    found: pa.ChunkedArray = pc.replace_substring_regex(identifiers, _HASH, r"\1")
    return found
