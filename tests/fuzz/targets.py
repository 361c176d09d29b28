"""What a target is: a way to make cases, and what must hold for every one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st


class Target(NamedTuple):
    """`run` raises if the case shows a fault: an accident, an answer that is not finite, or a record that was lost."""

    name: str
    cases: st.SearchStrategy[Any]
    run: Callable[[Any], None]
    slow: bool = False


def all_targets() -> dict[str, Target]:
    """Return every target by its name."""
    from tests.fuzz import arrays, files, saved, sources

    return {target.name: target for module in (sources, arrays, files, saved) for target in module.TARGETS}
