"""A finding is added by one file of the analysis and one section with its template; nothing else changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import driftline

ADDED = {
    "analysis/findings/shouting.py": '''
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftline.analysis.finding import Finding

if TYPE_CHECKING:
    from driftline.analysis.context import Context


@dataclass(frozen=True)
class Shouting:
    """How many documents are written in capitals."""

    n_documents: int = 0


def find(context: Context) -> Shouting:
    """Count them."""
    return Shouting(sum(text.isupper() for text in context.stream.table()["text"].to_pylist()))


SHOUTING = Finding("shouting", find, empty=Shouting, always=True, since=99)
''',
    "report/sections/shouting.py": '''
from driftline.analysis.findings.shouting import SHOUTING
from driftline.report.sections.section import Content, Section


def build(findings, book):
    """Say how many."""
    return Content({"n": SHOUTING.of(findings).n_documents})


SECTION = Section("shouting", "Who shouted", "shouting.html", build, "Shouting")
''',
    "report/templates/shouting.html": "<p>{{ n }} of {{ findings.source.n_documents }} documents shout.</p>",
}
SCRIPT = """
import json
from driftline.analysis.analyse import analyse
from driftline.analysis.findings.shouting import SHOUTING, Shouting
from driftline.analysis.serialise import from_json, to_json
from driftline.report.page import render
from driftline.streams.stream import Stream

findings = analyse(Stream.from_documents([("2024-01-01", "RAIN"), ("2024-01-02", "rain"), ("2024-01-03", "SNOW!")]))
assert findings.shouting == SHOUTING.of(findings) == Shouting(2), findings
record = json.loads(to_json(findings))
fields = list(record)
assert fields.index("version") < fields.index("shouting"), "fields that have a position come first"
assert record["shouting"] == {"n_documents": 2}, record
assert from_json(to_json(findings)) == findings
del record["shouting"]
assert from_json(json.dumps(record)).shouting == Shouting(0), "JSON older than the finding still loads"
page = render(findings)
assert page.index('<section id="reading"') < page.index('<section id="shouting"'), "without a position it comes last"
assert "2 of 3 documents shout." in page and '<a href="#shouting">Shouting</a>' in page
print("found")
"""


def linked_copy(source: Path, target: Path, added: dict[str, str]) -> None:
    """Make a copy of a folder with more files in it: links wherever nothing is added."""
    target.mkdir(parents=True)
    for child in source.iterdir():
        below = {name.partition("/")[2]: text for name, text in added.items() if name.startswith(f"{child.name}/")}
        if below:
            linked_copy(child, target / child.name, below)
        elif child.name != "__pycache__":
            (target / child.name).symlink_to(child)
    for name, text in added.items():
        if "/" not in name:
            (target / name).write_text(text)


@pytest.mark.slow
def test_a_file_and_a_section_are_all_it_takes(tmp_path):
    linked_copy(Path(driftline.__file__).parent, tmp_path / "driftline", ADDED)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "found\n", done.stderr
