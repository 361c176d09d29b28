"""Putting a late stream in order, one document at a time, with a heap."""

from __future__ import annotations

import heapq


def reorder(documents, within):
    """Return (ids in the order of leaving, positions of the late) for (id, time) pairs in the order of arrival."""
    heap, out, late, newest = [], [], [], None
    for position, (identifier, time) in enumerate(documents):
        newest = time if newest is None else max(newest, time)
        if time < newest - within:
            late.append(position)
            continue
        heapq.heappush(heap, (time, position, identifier))
        while heap and heap[0][0] <= newest - within:
            out.append(heapq.heappop(heap)[2])
    while heap:
        out.append(heapq.heappop(heap)[2])
    return out, late
