"""A target: a strategy for cases, and a property of all of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st


class Target(NamedTuple):
    """`run` raises if the case shows a fault: an accident, an answer that is not finite, or a record that was lost."""

    name: str
    cases: st.SearchStrategy[Any]
    run: Callable[[Any], None]
    slow: bool = False


MODULES = ("sources", "containers", "exports", "files", "graphs", "saved", "arrays")
"""Where targets are; the last takes longest to import."""


def all_targets() -> dict[str, Target]:
    """Return every target by its name."""
    modules = (importlib.import_module(f"tests.fuzz.{name}") for name in MODULES)
    return {target.name: target for module in modules for target in module.TARGETS}


def guidable() -> list[Target]:
    """Return the targets whose cases become bytes that our own code parses: only there coverage can guide."""
    modules = (importlib.import_module(f"tests.fuzz.{name}") for name in ("sources", "containers", "exports"))
    return [target for module in modules for target in module.TARGETS]


def target_called(name: str) -> Target:
    """Return one target, importing no more than that takes."""
    for module in MODULES:
        for target in importlib.import_module(f"tests.fuzz.{module}").TARGETS:
            if target.name == name:
                return target
    raise KeyError(name)
