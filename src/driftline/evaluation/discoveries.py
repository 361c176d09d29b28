"""Comparison of discoveries with the truth: found, missed, and false alarms."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple


class Discoveries(NamedTuple):
    """Findings compared with the truth; `false_discovery_rate` and `recall` are 0 and 1 if there are none."""

    found: list[str]
    missed: list[str]
    false_alarms: list[str]
    false_discovery_rate: float
    recall: float


def compare_discoveries(claimed: Collection[str], true: Collection[str]) -> Discoveries:
    """Compare claims with the truth; the order of the claims is kept.

    >>> compare_discoveries(["war", "sars", "the"], ["sars", "war", "flood"])
    Discoveries(found=['war', 'sars'], missed=['flood'], false_alarms=['the'],
                false_discovery_rate=0.333..., recall=0.666...)
    """
    true_set, claimed_set = set(true), set(claimed)
    found = [name for name in claimed if name in true_set]
    false_alarms = [name for name in claimed if name not in true_set]
    missed = [name for name in true if name not in claimed_set]
    return Discoveries(
        found,
        missed,
        false_alarms,
        len(false_alarms) / len(claimed) if claimed else 0.0,
        len(found) / len(true_set) if true_set else 1.0,
    )
