"""The wishes of a guide: frozen records of plain values, one class per kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.results import counted

TopicName = str | int
"""The name of a topic, or its number."""


@dataclass(frozen=True)
class TopicWish:
    """A topic with a name, seed words (with their weights, or None for the words' own counts), and banned words."""

    name: str
    words: tuple[tuple[str | int, float | None], ...] = ()
    never: tuple[str | int, ...] = ()
    number: int | None = None

    def described(self) -> str:
        """Return the wish in a few words."""
        return f"topic {self.name}"


@dataclass(frozen=True)
class PairWish:
    """Words that belong together (`apart` False), or that never share a topic."""

    words: tuple[str | int, ...]
    apart: bool = False

    def described(self) -> str:
        """Return the wish in a few words."""
        return f"{'apart' if self.apart else 'together'}: {', '.join(map(str, self.words))}"


@dataclass(frozen=True, eq=False)
class KeepWish:
    """Topics of another model: names, words (None: columns), expected counts (topics × words), weight as a prior.

    `others` are the counts of the model's other named topics, which may be merged into the kept ones, and `gone` the
    names that earlier fits of the model merged into others.
    """

    names: tuple[str, ...]
    numbers: tuple[int, ...]
    words: tuple[str, ...] | None
    counts: Floats
    weight: float
    others: dict[str, Floats] = field(default_factory=dict)
    gone: tuple[str, ...] = ()

    def described(self) -> str:
        """Return the wish in a few words."""
        return f"keep: {', '.join(self.names)}"


@dataclass(frozen=True)
class MergeWish:
    """Topics that are merged into the first of them."""

    topics: tuple[TopicName, ...]

    def described(self) -> str:
        """Return the wish in a few words."""
        return f"merge: {', '.join(map(str, self.topics))}"


@dataclass(frozen=True, eq=False)
class LabelWish:
    """Documents (rows, or ids) that are about a topic, and the weight of the label, in words of the document."""

    documents: np.ndarray
    topic: TopicName
    strength: float

    def described(self) -> str:
        """Return the wish in a few words."""
        return f"label: {len(self.documents)} × {self.topic}"


@dataclass(frozen=True)
class SpreadWish:
    """A classifier trained on documents that use the words of a topic, which labels the others.

    Its probabilities weigh `strength` words plus `per_word` for each of the document's; `power` sharpens them.
    """

    strength: float
    power: float
    per_word: float = 0.0

    def described(self) -> str:
        """Return the wish in a few words."""
        return "spread the words of the topics to documents"


@dataclass(frozen=True, eq=False)
class LinkWish:
    """Links between documents (rows, or ids): from, to, weight; and the weight of a document's links, in words."""

    sources: np.ndarray
    targets: np.ndarray
    weights: Floats
    strength: float

    def described(self) -> str:
        """Return the wish in a few words."""
        return f"link: {counted(len(self.sources), 'link')}"


@dataclass(frozen=True, eq=False)
class ProportionWish:
    """Bounds of a topic's share, of all documents or of every group of them (a name such as "month", or an array)."""

    topic: TopicName
    low: float
    high: float
    by: str | Ints | None = None

    def described(self) -> str:
        """Return the wish in a few words."""
        by = "" if self.by is None else f" by {self.by if isinstance(self.by, str) else 'group'}"
        share = f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"
        return f"proportion of {self.topic}{by}: {share}"


@dataclass(frozen=True)
class RuleWish:
    """A rule for decoding."""

    rule: Any

    def described(self) -> str:
        """Return the wish in a few words."""
        return f"rule: {self.rule}"


Wish = TopicWish | PairWish | KeepWish | MergeWish | LabelWish | SpreadWish | LinkWish | ProportionWish | RuleWish
