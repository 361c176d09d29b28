"""Every public name of driftline, and where it is defined."""

from __future__ import annotations

import importlib
import pkgutil
from typing import NamedTuple

import driftline


class PublicName(NamedTuple):
    """A public name: the shortest module that exports it, and the module that defines it."""

    name: str
    exported_by: str
    defined_in: str

    @property
    def package(self) -> str:
        """The folder of src/driftline with the definition."""
        return self.defined_in.split(".")[1]


def public_names() -> dict[str, PublicName]:
    """Return what ``driftline`` and its packages export, by name."""
    exporters = {name: "driftline" for name in driftline.__all__ if not name.startswith("_")}
    for module in pkgutil.iter_modules(driftline.__path__, "driftline."):
        if module.ispkg:
            for name in getattr(importlib.import_module(module.name), "__all__", ()):
                exporters.setdefault(name, module.name)
    return {name: _found(name, exporter) for name, exporter in exporters.items()}


def _found(name: str, exporter: str) -> PublicName:
    value = getattr(importlib.import_module(exporter), name)
    return PublicName(name, exporter, getattr(value, "__module__", None) or exporter)
