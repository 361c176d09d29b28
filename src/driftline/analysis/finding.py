"""A finding: a field of `Findings`, and the step that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from driftline.analysis.context import Context

T_co = TypeVar("T_co", covariant=True)

LAST = 1_000
"""Default position of a finding: after those with a position, in alphabetical order."""


@dataclass(frozen=True)
class Finding(Generic[T_co]):
    """One finding of the analysis; defining one in a module of `driftline.analysis.findings` registers it.

    `name` is its field in `Findings` and in JSON, where `position` orders the fields, and the type that `find` returns
    is the type of the field. `empty` returns the value if no claim is made: for streams that are too small and for JSON
    that is older than the finding. Without it, every stream and all JSON must have the finding. With `always`, small
    streams have it too. A finding that is not `stored` is data for the page: it is absent from JSON and ignored when
    findings are compared. `since` numbers the versions of the JSON, from 1: a file with a finding of one version must
    have all findings of that version and of earlier ones, or it is damaged.
    """

    name: str
    find: Callable[[Context], T_co]
    empty: Callable[[], T_co] | None = None
    position: int = LAST
    always: bool = False
    stored: bool = True
    of: Callable[[object], T_co] = field(init=False, repr=False, compare=False)
    """Reads the finding, with its type, from `Findings`: ``DRIFT.of(findings)`` is ``findings.drift``."""
    since: int = field(kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", attrgetter(self.name))

    def value(self, context: Context) -> T_co:
        """Return the finding for the stream of the context, or the empty value if the stream is too small."""
        if self.empty is None or self.always or not context.is_small:
            return self.find(context)
        return self.empty()


def nothing() -> None:
    """Return None: the empty value of a finding that may be missing."""
