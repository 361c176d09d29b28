"""Authors and conversations: groups of documents that a test may permute as a whole."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.core.labels import label_codes
from driftline.streams.conversations import conversations

GROUP_COLUMNS = {"author": "author", "source": "author", "thread": "thread", "label": "label"}
"""Units of exchange that are columns of documents; a source is stored as an author."""


class DocumentGroups(NamedTuple):
    """The group of every document as a code of `names` (−1 if unknown), and the kind of groups."""

    codes: Ints
    names: tuple[str, ...]
    column: str

    def alone_where_unknown(self) -> Ints:
        """Return a group for every document; a document without a group is a group of its own.

        >>> DocumentGroups(np.array([0, -1, 0, -1]), ("ann",), "author").alone_where_unknown()
        array([0, 1, 0, 2])
        """
        unknown = self.codes < 0
        return np.where(unknown, len(self.names) + np.cumsum(unknown) - 1, self.codes)


def document_groups(documents: pa.Table, column: str) -> DocumentGroups | None:
    """Return the groups of documents by one of the optional columns of the schema; None if no document has one.

    Threads that name documents are followed to the start of the conversation (`driftline.streams.conversations`).

    >>> table = pa.table({"author": ["bob", None, "ann"]})
    >>> document_groups(table, "author")
    DocumentGroups(codes=array([ 1, -1,  0]), names=('ann', 'bob'), column='author')
    """
    has_ids = column == "thread" and "id" in documents.column_names
    codes, names = label_codes(conversations(documents["id"], documents[column]) if has_ids else documents[column])
    return DocumentGroups(codes, names, column) if names else None


def exchanged_groups(documents: pa.Table, unit: str) -> Ints | None:
    """Return the group of every document if `unit` names a column of documents, and None if it is a unit of time.

    >>> table = pa.table({"author": ["bob", None, "bob"], "thread": pa.nulls(3, pa.string())})
    >>> exchanged_groups(table, "author"), exchanged_groups(table, "day")
    (array([0, 1, 0]), None)
    >>> exchanged_groups(table, "thread")
    Traceback (most recent call last):
    driftline.core.errors.InvalidInput: unit='thread', but no document has a thread; name its column with thread=
    """
    if unit not in GROUP_COLUMNS:
        return None
    column = GROUP_COLUMNS[unit]
    groups = document_groups(documents, column)
    if groups is None:
        raise InvalidInput(f"unit={unit!r}, but no document has {_a(column)}; name its column with {column}=")
    return groups.alone_where_unknown()


def _a(column: str) -> str:
    return f"{'an' if column[0] == 'a' else 'a'} {column}"
