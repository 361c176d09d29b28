"""What a finding is: a field of `Findings`, and the step that fills it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from driftline.analysis.context import Context

T_co = TypeVar("T_co", covariant=True)

LAST = 1_000
"""Position of a finding that does not ask for another: after those that do, in alphabetical order."""


@dataclass(frozen=True)
class Finding(Generic[T_co]):
    """One finding of the analysis; a module of `driftline.analysis.findings` that holds one has registered it.

    `name` is its field in `Findings` and in JSON, where `position` orders the fields, and the type that `find` returns
    is the type of the field. `empty` makes the value where nothing is claimed: in streams that are too small and in
    JSON that is older than the finding. Without it, the finding is in every stream and in all JSON. With `always`,
    small streams have it too.
    """

    name: str
    find: Callable[[Context], T_co]
    empty: Callable[[], T_co] | None = None
    position: int = LAST
    always: bool = False

    def value(self, context: Context) -> T_co:
        """Return what is found in the stream of the context, or the empty value if the stream is too small."""
        if self.empty is None or self.always or not context.is_small:
            return self.find(context)
        return self.empty()


def nothing() -> None:
    """Return None: the empty value of a finding that may be missing."""
