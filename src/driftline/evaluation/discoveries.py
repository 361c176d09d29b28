"""Comparison of discoveries with the truth: found, missed, and false alarms."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from driftline.core.pictures import Bars, Picture
from driftline.core.results import Columns, Result


class _DiscoveriesFields(NamedTuple):
    """The fields of `Discoveries`."""

    found: list[str]
    missed: list[str]
    false_alarms: list[str]
    false_discovery_rate: float
    recall: float


class Discoveries(Result, _DiscoveriesFields):
    """Claims compared with the truth; `false_discovery_rate` is 0 without claims, and `recall` is 1 without truths."""

    __slots__ = ()

    def _columns(self) -> Columns:
        kinds = {"found": self.found, "missed": self.missed, "false alarm": self.false_alarms}
        pairs = [(word, kind) for kind, words in kinds.items() for word in words]
        return {"word": [word for word, _ in pairs], "outcome": [kind for _, kind in pairs]}

    def _summary(self) -> str:
        lengths = f"{len(self.found):,} found, {len(self.missed):,} missed, {len(self.false_alarms):,} false alarms"
        return f"{lengths}; false discovery rate {self.false_discovery_rate:.0%}, recall {self.recall:.0%}"

    def _picture(self) -> Picture:
        numbers = np.array([len(self.found), len(self.missed), len(self.false_alarms)], dtype=np.float64)
        return Bars(["found", "missed", "false alarms"], numbers, "words")


def compare_discoveries(claimed: Collection[str], true: Collection[str]) -> Discoveries:
    """Compare claims with the truth; the order of the claims is kept.

    >>> compare_discoveries(["war", "sars", "the"], ["sars", "war", "flood"])
    <Discoveries: 2 found, 1 missed, 1 false alarms; false discovery rate 33%, recall 67%>
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
