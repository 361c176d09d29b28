"""Whose model answers at a time: written as a search through all documents."""

from __future__ import annotations

import numpy as np


def answering_time(times, side, t):
    """Return t, or the nearer end of the stream if t lies beyond; past-only: just after the last document before t."""
    if side == "both":
        return min(max(t, min(times)), max(times))
    before = [time for time in times if time < t]
    return np.nextafter(max(before), np.inf) if before else t
