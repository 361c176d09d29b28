"""Rejected records: their number, the reasons, and the first places of each kind. No record is lost silently."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, TypedDict

from driftline.core.errors import BadRecord, InvalidInput

EXAMPLES_PER_CATEGORY = 5
MAX_CATEGORIES = 50
OTHER = "other"


class Rejection(NamedTuple):
    """One unusable record: the source, the place in it, and the reason.

    The reason starts with a short fixed category, separated from the details by a colon.

    >>> Rejection("mail.jsonl", "line 17", "broken JSON: no closing brace").category
    'broken JSON'
    """

    source: str
    place: str
    reason: str

    @property
    def category(self) -> str:
        """The reason without its details, for counting."""
        return self.reason.partition(":")[0]

    def __str__(self) -> str:
        return f"{self.source}, {self.place}: {self.reason}"


class RejectionFacts(TypedDict):
    """Count, reasons and examples of rejections as plain values, for JSON."""

    count: int
    reasons: dict[str, int]
    examples: list[dict[str, str]]


class Rejections:
    """Counts the rejected records of a stream and stores a few examples of each kind, in bounded memory.

    >>> rejections = Rejections()
    >>> rejections.add(Rejection("a.csv", "line 3", "no time"))
    >>> rejections.add(Rejection("a.csv", "line 9", "wrong number of fields: 4 instead of 3"))
    >>> rejections.count, dict(rejections.reasons)
    (2, {'no time': 1, 'wrong number of fields': 1})
    >>> print(rejections.summary())
    2 records rejected: 1 no time (a.csv, line 3), 1 wrong number of fields (a.csv, line 9)

    With ``on_error="raise"`` the first rejection is an error:

    >>> Rejections(on_error="raise").add(Rejection("a.csv", "line 3", "no time"))
    Traceback (most recent call last):
    driftline.core.errors.BadRecord: a.csv, line 3: no time; repair the record, or read with on_error='report' ...
    """

    def __init__(self, on_error: str = "report") -> None:
        if on_error not in ("report", "raise"):
            raise InvalidInput(f"on_error must be 'report' or 'raise', not {on_error!r}")
        self.on_error = on_error
        self.count = 0
        self.reasons: Counter[str] = Counter()
        self.examples: list[Rejection] = []
        self._shown: Counter[str] = Counter()

    def add(self, rejection: Rejection, *, count: int = 1) -> None:
        """Count a rejection, or raise `BadRecord`; `count` is for a damaged block of several records."""
        if self.on_error == "raise":
            raise BadRecord(*rejection)
        category = rejection.category
        if category not in self.reasons and len(self.reasons) >= MAX_CATEGORIES:
            category = OTHER
        self.count += count
        self.reasons[category] += count
        if self._shown[category] < EXAMPLES_PER_CATEGORY:
            self._shown[category] += 1
            self.examples.append(rejection)

    def summary(self) -> str:
        """Return one sentence with the number of rejections, the reasons, and the first place of each kind."""
        if not self.count:
            return "no record rejected"
        first: dict[str, Rejection] = {}
        for example in self.examples:
            first.setdefault(example.category, example)
        parts = []
        for category, count in self.reasons.most_common():
            where = f" ({first[category].source}, {first[category].place})" if category in first else ""
            parts.append(f"{count:,} {category}{where}")
        return f"{self.count:,} record{'s' * (self.count != 1)} rejected: {', '.join(parts)}"

    def as_dict(self) -> RejectionFacts:
        """Return count, reasons and examples as plain values, for JSON."""
        return {
            "count": self.count,
            "reasons": dict(self.reasons.most_common()),
            "examples": [example._asdict() for example in self.examples],
        }

    def __bool__(self) -> bool:
        return self.count > 0

    def __repr__(self) -> str:
        return f"<Rejections: {self.summary()}>"
