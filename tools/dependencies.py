"""Every package that driftline needs, directly or not, as the environment has it installed."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Sequence
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NAME = "driftline"
BY_CLASSIFIER = {
    "MIT License": "MIT",
    "BSD License": "BSD",
    "Apache Software License": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "ISC License (ISCL)": "ISC",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.1-or-later",
    "GNU Lesser General Public License v2 (LGPLv2)": "LGPL-2.1-only",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
}
BY_TEXT = {
    "BSD": "BSD",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD-2-Clause": "BSD-2-Clause",
    "BSD-3-Clause": "BSD-3-Clause",
    "BSD 3-Clause": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "MIT": "MIT",
    "MIT License": "MIT",
    "GPLv3": "GPL-3.0-only",
    "any-OSI": "MIT",  # apsw: any licence that the Open Source Initiative approved, as the user chooses
    "OSI Approved": "MIT",  # the same in earlier versions of apsw
}


class Package(NamedTuple):
    """One installed package, and the extras of driftline that require it; "" is driftline itself."""

    name: str
    version: str
    licence: str
    needed_by: tuple[str, ...]
    requires: tuple[str, ...]

    @property
    def at_runtime(self) -> bool:
        """Whether somebody who installs driftline without extras gets it."""
        return "" in self.needed_by


def packages() -> list[Package]:
    """Return what driftline and its extras need, as far as it is installed, by name."""
    roots = importlib.metadata.distribution(NAME)
    extras = ["", *(roots.metadata.get_all("Provides-Extra") or [])]
    needed: dict[str, set[str]] = {}
    for extra in extras:
        for name in _closure(extra):
            needed.setdefault(name, set()).add(extra)
    found = []
    for name in sorted(needed):
        distribution = importlib.metadata.distribution(name)
        requires = sorted({name for name, _ in requirements(name, frozenset())})
        found.append(
            Package(
                name,
                distribution.version,
                licence_of(distribution.metadata, _titles_of_licence_files(distribution)),
                tuple(sorted(needed[name])),
                tuple(requires),
            )
        )
    return found


def licence_of(metadata: importlib.metadata.PackageMetadata, titles: Sequence[str] = ()) -> str:
    """Return the licence as an SPDX expression, from what the package says in one of four ways; "unknown" if none.

    A package may declare nothing and only carry its licence as a file: ``titles`` are the first lines of such files.
    """
    if expression := metadata.get("License-Expression"):
        return str(expression)
    if text := BY_TEXT.get((metadata.get("License") or "").strip()):
        return text
    classifiers = [line.split(" :: ")[-1] for line in metadata.get_all("Classifier", []) if line.startswith("License")]
    declared = {BY_CLASSIFIER.get(name, name) for name in classifiers} or {BY_TEXT.get(title) for title in titles}
    return "unknown" if None in declared or not declared else " AND ".join(sorted(map(str, declared)))


def _titles_of_licence_files(distribution: importlib.metadata.Distribution) -> list[str]:
    titles = []
    for name in distribution.metadata.get_all("License-File", []):
        text = distribution.read_text(f"licenses/{name}") or distribution.read_text(name) or ""
        titles.append(text.strip().split("\n", 1)[0].strip())
    return titles


def _closure(extra: str) -> set[str]:
    seen: dict[str, frozenset[str]] = {}
    waiting = [(NAME, frozenset({extra} if extra else ()))]
    while waiting:
        name, extras = waiting.pop()
        if seen.get(name, frozenset()) >= extras and name in seen:
            continue
        seen[name] = seen.get(name, frozenset()) | extras
        waiting += [(other, more) for other, more in requirements(name, seen[name]) if _installed(other)]
    return set(seen) - {NAME}


def requirements(name: str, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    """Return what an installed package needs in this environment, with the extras of each."""
    found = []
    for line in importlib.metadata.distribution(name).requires or []:
        requirement = Requirement(line)
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            found.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return found


def _installed(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def parts_of(expression: str) -> set[str]:
    """Return the licences in an SPDX expression that must all be allowed; of alternatives, the first.

    >>> sorted(parts_of("BSD-2-Clause AND Apache-2.0 WITH LLVM-exception")), parts_of("Apache-2.0 OR BSD-2-Clause")
    (['Apache-2.0 WITH LLVM-exception', 'BSD-2-Clause'], {'Apache-2.0'})
    """
    plain = expression.replace("(", "").replace(")", "")
    return {re.split(r" OR ", part)[0].strip() for part in plain.split(" AND ")}
