"""Every public name of a package can be imported from `driftline`, by people and by type checkers."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import driftline

KEPT_APART = {"driftline.compute"}
"""Packages whose names are for new devices, not for analysis."""


def exported_by_packages() -> dict[str, str]:
    """Return the package that exports each public name."""
    found = {}
    for package in pkgutil.iter_modules(driftline.__path__, "driftline."):
        if package.ispkg and package.name not in KEPT_APART:
            found |= dict.fromkeys(getattr(importlib.import_module(package.name), "__all__", ()), package.name)
    return found


def test_every_public_name_of_a_package_can_be_imported_from_driftline():
    for name, package in exported_by_packages().items():
        assert name in driftline.__all__, f"{package} exports {name}; add it to _EXPORTS of src/driftline/__init__.py"
        assert getattr(driftline, name) is getattr(importlib.import_module(package), name)


def test_type_checkers_see_the_same_names():
    stub = ast.parse(Path(driftline.__file__).with_name("__init__.pyi").read_text(encoding="utf-8"))
    seen = {"__version__"}
    for line in stub.body:
        if isinstance(line, ast.ImportFrom):
            names = [each.name for each in line.names]
            seen.update(importlib.import_module(line.module).__all__ if names == ["*"] else names)
    assert seen == set(driftline.__all__)
