"""List the licence of every dependency, and fail if one is not allowed or a version is known to be at fault.

python -m tools.licences
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tools.dependencies import Package, packages, parts_of

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    "PSF-2.0",
    "Unlicense",
    "Zlib",
}
"""Licences of what is installed together with driftline: none imposes obligations on its users."""
ALLOWED_TO_COMPARE_WITH = ALLOWED | {"LGPL-2.1-only", "LGPL-2.1-or-later", "GPL-3.0-only", "GPL-3.0-or-later"}
"""Licences of peers in benchmarks, which are neither distributed nor imported by driftline."""
ALLOWED_BESIDE = {"psycopg": {"LGPL-3.0-only"}, "psycopg-binary": {"LGPL-3.0-only"}}
"""Licences of single packages of the extra `postgresql`: the driver is imported as it is, not changed or shipped."""
FAULTS = {
    "jinja2": {"<3.1.5": "CVE-2024-56326", "<3.1.6": "CVE-2025-27516"},
    "joblib": {"<1.2.0": "CVE-2022-21797"},
    "nltk": {"<3.9": "CVE-2024-39705", "<3.9.3": "CVE-2026-0846"},
    "pyarrow": {"<14.0.1": "CVE-2023-47248", ">=15,<23.0.1": "CVE-2026-25087"},
    "scikit-learn": {"<1.5.0": "CVE-2024-5206"},
    "tornado": {"<6.5": "CVE-2025-47287", "<6.5.5": "CVE-2026-31958", "<6.5.6": "CVE-2026-49854"},
}
"""Versions that must never be installed with driftline, by package, each with the fault."""
PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def not_allowed(package: Package) -> set[str]:
    """Return the licences of a package that are on no list."""
    allowed = ALLOWED_TO_COMPARE_WITH if set(package.needed_by) <= {"bench"} else ALLOWED
    return parts_of(package.licence) - allowed - ALLOWED_BESIDE.get(package.name, set())


def faults_of(package: Package) -> list[str]:
    """Return the known faults of the installed version."""
    return [
        fault for versions, fault in FAULTS.get(package.name, {}).items() if package.version in SpecifierSet(versions)
    ]


def faults_let_in(pyproject: Path = PYPROJECT) -> list[str]:
    """Return the faulty versions that the requirements of driftline would let in."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *(line for some in project["optional-dependencies"].values() for line in some)]
    found = []
    for requirement in map(Requirement, lines):
        for versions, fault in FAULTS.get(canonicalize_name(requirement.name), {}).items():
            newest = max((part.version for part in SpecifierSet(versions) if part.operator == "<"), default="")
            just_below = f"{newest}.dev0"
            if requirement.specifier.contains(just_below, prereleases=True) or not requirement.specifier:
                found.append(f"{requirement} lets {fault} in; ask for {requirement.name}>={newest}")
    return found


def main() -> int:
    """Print the list; return 1 if something is wrong."""
    wrong = []
    print("| package | version | licence | needed by |\n|---|---|---|---|")
    for package in packages():
        needed = "driftline" if package.at_runtime else ", ".join(package.needed_by)
        print(f"| {package.name} | {package.version} | {package.licence} | {needed} |")
        wrong += [f"{package.name}: {licence!r} is not on the list of licences" for licence in not_allowed(package)]
        wrong += [f"{package.name} {package.version} has the fault {fault}" for fault in faults_of(package)]
    wrong += faults_let_in()
    print(
        "\n".join(["", *wrong]) if wrong else "\nEvery licence is on the list, and no version is known to be at fault."
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
