"""The files, folders or channels that documents are from, as groups."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from driftline.core.labels import label_codes
from driftline.streams.document_groups import DocumentGroups

FEWEST_DOCUMENTS = 20
"""Smallest number of documents of a source that can be chosen."""
MOST_LEVELS = 6
_SHARD = r"-\d{5}-of-\d{5}(-[0-9a-f]{16})?"


def document_sources(documents: pa.Table) -> DocumentGroups | None:
    """Return the sources of documents; None if there are not two with enough documents.

    An origin is a path: the topmost level at which it distinguishes sources counts, so that two folders are two
    sources, for any number of files in each. Shards of a data set are one source.

    >>> origins = ["a/1.csv"] * 25 + ["a/2.csv"] * 25 + ["b/1.csv"] * 25 + ["c.csv"] * 2
    >>> found = document_sources(pa.table({"origin": origins}))
    >>> found.names, np.bincount(found.codes + 1).tolist()
    (('a', 'b'), [2, 50, 25])
    """
    codes, origins = label_codes(documents["origin"])
    paths = [re.sub(_SHARD, "", origin).split("/") for origin in origins]
    for level in range(1, min(MOST_LEVELS, max(map(len, paths), default=0)) + 1):
        names, place = np.unique(["/".join(path[:level]) for path in paths], return_inverse=True)
        groups = np.append(place, -1)[codes]
        kept = np.flatnonzero(np.bincount(groups[groups >= 0], minlength=len(names)) >= FEWEST_DOCUMENTS)
        if len(kept) >= 2:
            renumbered = np.full(len(names) + 1, -1)
            renumbered[kept] = np.arange(len(kept))
            return DocumentGroups(renumbered[groups], tuple(map(str, names[kept])), "origin")
    return None
