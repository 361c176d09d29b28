"""Write a bill of materials of what driftline needs at runtime: CycloneDX 1.6, as JSON.

python -m tools.sbom [FILE]
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

from tools.dependencies import NAME, Package, packages, requirements

VENDORED = (("pkg:npm/uplot@1.6.32", "uplot", "1.6.32", "MIT"),)
"""What the package contains of others: address, name, version, licence."""


def bill(found: list[Package], version: str) -> dict[str, Any]:
    """Return the bill: the same for the same environment, byte for byte, so it has neither a date nor a number."""
    at_runtime = [package for package in found if package.at_runtime]
    known = {package.name for package in at_runtime}
    root = _purl(NAME, version)
    direct = [package for package in at_runtime if package.name in _direct()]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": root,
                "name": NAME,
                "version": version,
                "purl": root,
                "licenses": [{"expression": "MIT AND CC-BY-SA-4.0"}],
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": _purl(package.name, package.version),
                "name": package.name,
                "version": package.version,
                "purl": _purl(package.name, package.version),
                "licenses": [_licence(package.licence)],
            }
            for package in at_runtime
        ]
        + [
            {
                "type": "library",
                "bom-ref": purl,
                "name": name,
                "version": number,
                "purl": purl,
                "licenses": [_licence(licence)],
            }
            for purl, name, number, licence in VENDORED
        ],
        "dependencies": [
            {
                "ref": root,
                "dependsOn": sorted([_purl(package.name, package.version) for package in direct] + [VENDORED[0][0]]),
            },
            *(
                {
                    "ref": _purl(package.name, package.version),
                    "dependsOn": sorted(
                        _purl(other.name, other.version)
                        for other in at_runtime
                        if other.name in package.requires and other.name in known
                    ),
                }
                for package in at_runtime
            ),
            *({"ref": purl, "dependsOn": []} for purl, *_ in VENDORED),
        ],
    }


def _licence(expression: str) -> dict[str, Any]:
    """Return a licence as CycloneDX has it; "BSD" is a name, since SPDX has no such identifier."""
    return {"license": {"name": expression}} if expression in ("BSD", "unknown") else {"expression": expression}


def _purl(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def _direct() -> set[str]:
    return {name for name, _ in requirements(NAME, frozenset())}


def main() -> None:
    """Write the bill to a file, or print it."""
    content = json.dumps(bill(packages(), importlib.metadata.version(NAME)), indent=2) + "\n"
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(content, encoding="utf-8")
    else:
        sys.stdout.write(content)


if __name__ == "__main__":
    main()
