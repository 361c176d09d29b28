"""Licences are on the list, faulty versions are kept out, the bill of materials and the wheel are whole."""

from __future__ import annotations

import email
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tools.dependencies import Package, licence_of, packages, parts_of
from tools.licences import faults_let_in, faults_of, not_allowed
from tools.sbom import VENDORED, bill

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def found():
    return packages()


def test_licences_are_on_the_list_and_no_version_is_at_fault(found):
    assert {package.name for package in found if package.at_runtime} >= {
        "numpy",
        "scipy",
        "numba",
        "llvmlite",
        "pyarrow",
    }
    assert [package for package in found if not_allowed(package) or faults_of(package)] == []
    assert faults_let_in() == []


def test_what_is_not_allowed_is_found():
    def made(licence, version="1.0", needed=("",), name="some"):
        return Package(name, version, licence, needed, ())

    assert not_allowed(made("GPL-3.0-only")) == {"GPL-3.0-only"}
    assert not_allowed(made("GPL-3.0-only", needed=("bench",))) == set()
    assert not_allowed(made("GPL-3.0-only", needed=("bench", "dev"))) == {"GPL-3.0-only"}
    assert not_allowed(made("unknown")) == {"unknown"}
    assert not_allowed(made("MIT OR GPL-3.0-only")) == set()
    assert parts_of("(MIT AND Zlib)") == {"MIT", "Zlib"}
    assert faults_of(made("MIT", "3.1.5", name="jinja2")) == ["CVE-2025-27516"]
    assert faults_of(made("MIT", "3.1.6", name="jinja2")) == []
    assert faults_of(made("MIT", "22.0.0", name="pyarrow")) == ["CVE-2026-25087"]


def test_requirements_that_let_faults_in_are_found(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[project]\ndependencies = ["jinja2>=3.1", "joblib>=1.3"]\n'
        '[project.optional-dependencies]\ndask = ["tornado"]\nbench = ["nltk>=3.9.4"]\n'
    )
    assert len(faults_let_in(path)) == 5


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ("License-Expression: MIT", "MIT"),
        ("License: BSD 3-Clause", "BSD-3-Clause"),
        ("License: a long text\nClassifier: License :: OSI Approved :: MIT License", "MIT"),
        ("Classifier: License :: OSI Approved :: Strange License", "Strange License"),
        ("Name: x", "unknown"),
        ("Classifier: License :: OSI Approved :: GNU Lesser General Public License v3 (LGPLv3)", "LGPL-3.0-only"),
        ("License: OSI Approved\nClassifier: License :: OSI Approved", "MIT"),
    ],
)
def test_licences_are_found_wherever_they_are_written(fields, licence):
    assert licence_of(email.message_from_string(fields)) == licence


@pytest.mark.parametrize(
    ("titles", "licence"),
    [
        (["MIT License"], "MIT"),
        (["MIT License", "BSD 3-Clause"], "BSD-3-Clause AND MIT"),
        (["Our own terms"], "unknown"),
    ],
)
def test_a_licence_that_is_only_carried_as_a_file_is_read_from_its_title(titles, licence):
    assert licence_of(email.message_from_string("Name: x"), titles) == licence


def test_the_bill_names_every_package_once_and_refers_to_nothing_else(found):
    made = bill(found, "1.0")
    names = [component["bom-ref"] for component in made["components"]]
    assert len(set(names)) == len(names) == sum(package.at_runtime for package in found) + len(VENDORED)
    refs = {entry["ref"] for entry in made["dependencies"]}
    assert refs == {*names, "pkg:pypi/driftline@1.0"}
    assert {ref for entry in made["dependencies"] for ref in entry["dependsOn"]} <= set(names)
    assert "pkg:pypi/numpy" in json.dumps(made["dependencies"][0])
    plots = ROOT / "src/driftline/service/page/vendor/uplot"
    assert f"(v{VENDORED[0][2]})" in (plots / "uPlot.iife.min.js").read_text(encoding="utf-8")[:100]
    assert "MIT" in (plots / "LICENSE").read_text(encoding="utf-8")
    assert VENDORED[0][0] in made["dependencies"][0]["dependsOn"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel from what is under version control."""
    folder = tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            target = folder / "source" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--quiet",
        "--wheel-dir",
        str(folder),
        str(folder / "source"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


@pytest.mark.slow
def test_the_wheel_holds_what_it_should_and_nothing_else(wheel):
    names = wheel.namelist()
    package = {name for name in names if name.startswith("driftline/")}
    info = set(names) - package
    assert {name.split("/")[0] for name in info} == {"driftline-0.1.0.dist-info"}
    assert any(name.endswith("licenses/LICENSE") for name in info)
    sources = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "driftline").rglob("*.py")}
    assert {name for name in package if name.endswith(".py")} == sources
    others = {Path(name).suffix for name in package} - {".py"}
    assert others <= {".typed", ".html", ".css", ".js", ".txt", ".svg", ".jinja", ".j2"}, others
    for name in names:
        assert not name.startswith("/")
        assert ".." not in name
        assert wheel.getinfo(name).file_size < 6 * 2**20, f"{name} is large"


@pytest.mark.slow
def test_the_wheel_names_no_place_of_the_machine_it_was_made_on(wheel):
    for name in wheel.namelist():
        content = wheel.read(name)
        for place in (str(ROOT), str(Path.home()) + "/"):
            assert place.encode() not in content, f"{name} names {place}"
