"""Conversations: threads whose names are the ids of documents are followed to their start.

A reply names the document that it answers, or the one that started the conversation; which of them depends on the
program that wrote it. Documents that name each other, directly or through others, are one conversation.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

_FIRST_OF_SEVERAL = (r"^[^<]*<([^<>\s]+)>(?s:.*)", r"^\s*([^\s@]+@\S+)\s(?s:.*)")
"""Values of a header such as References: message ids, oldest first, in angle brackets or without them."""
_ROW_NUMBER = r"^\d{1,9}$"
"""Short numbers, which are usually row numbers: a thread and a document with the same number are unrelated."""


def first_message_id(values: pa.StringArray) -> pa.StringArray:
    """Return each value, or the first of its message ids, without angle brackets; null if it is empty.

    >>> first_message_id(pa.array(["<a@x> <b@y>", "c@z d@z", "release party", " ", None])).to_pylist()
    ['a@x', 'c@z', 'release party', None, None]
    """
    for expression in _FIRST_OF_SEVERAL:
        values = pc.replace_substring_regex(values, pattern=expression, replacement=r"\1")
    trimmed = pc.utf8_trim_whitespace(values)
    return pc.if_else(pc.equal(pc.binary_length(trimmed), 0), None, trimmed)


def conversations(ids: pa.ChunkedArray, threads: pa.ChunkedArray) -> pa.Array:
    """Return the conversation of every document, named by the thread of its first document; null if unknown.

    A document belongs to the thread that it names, and to those of documents that name it; ids that no thread names
    have no effect. Short numbers are not treated as ids.

    >>> ids, threads = pa.chunked_array([["a", "b", "c", "d"]]), pa.chunked_array([[None, "a", "b", None]])
    >>> conversations(ids, threads).to_pylist()
    ['a', 'a', 'a', None]
    """
    named = threads.combine_chunks()
    own = pc.utf8_trim(ids, characters="<> ").combine_chunks()
    names = pc.unique(pc.drop_null(named))
    is_named = pc.and_(pc.is_in(own, value_set=names), pc.invert(pc.match_substring_regex(own, _ROW_NUMBER)))
    if not pc.any(is_named, min_count=0).as_py():
        return named
    thread = _places(named, names)
    document = _places(pc.if_else(is_named, own, None), names)
    linked = (thread >= 0) & (document >= 0)
    links = (np.ones(int(linked.sum())), (document[linked], thread[linked]))
    _, component = connected_components(sp.coo_matrix(links, shape=(len(names), len(names))), directed=False)
    start = np.where(thread >= 0, thread, document)
    known = np.flatnonzero(start >= 0)
    _, first, which = np.unique(component[start[known]], return_index=True, return_inverse=True)
    result = np.full(len(start), -1, dtype=np.int64)
    result[known] = start[known[first]][which]
    return names.take(pa.array(result, mask=result < 0))


def _places(values: pa.Array, names: pa.Array) -> np.ndarray:
    """Return the position of every value among the names; −1 if it is null."""
    found: np.ndarray = pc.fill_null(pc.index_in(values, value_set=names), -1).to_numpy().astype(np.int64)
    return found
