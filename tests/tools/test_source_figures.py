"""Figures of the sources: lengths, `Any`, and runs of lines that two files share."""

from __future__ import annotations

from pathlib import Path

from tools.source_figures import any_annotations, figures

LOOP = """
def total(rows, limit):
    found = 0.0
    for row in rows:
        if row > limit:
            found += row
    return found
"""
FIGURE = {"lines": "pairs of files with 6 equal lines in a row", "code": "… of code, without docstrings"}


def of(*texts: str) -> dict[str, int]:
    return figures({Path(f"{number}.py"): text for number, text in enumerate(texts)})


def test_sizes():
    found = of("a = 1\n" * 401, "b = 2\n")
    assert found["files"] == 2
    assert found["lines"] == 402
    assert found["median lines per file"] == 201
    assert found["files above 400 lines"] == 1


def test_annotations_with_any_are_counted_wherever_they_stand():
    text = "def f(a: Any, b: int, *c: list[Any]) -> Any:\n    d: dict[str, Any] = {}\n    Any(b)\n"
    assert any_annotations(text) == 4
    assert of(text)["lines that mention Any"] == 3


def test_the_same_lines_in_two_files_are_a_pair():
    assert of(LOOP, "import os\n" + LOOP)[FIGURE["lines"]] == 1
    assert of(LOOP, LOOP)[FIGURE["code"]] == 1
    assert of(LOOP, LOOP.replace("found += row", "found -= row"))[FIGURE["lines"]] == 0
    assert of(LOOP + LOOP)[FIGURE["lines"]] == 0  # within one file


def test_names_that_are_imported_are_no_repetition():
    names = "from somewhere import (\n" + "".join(f"    name_{number},\n" for number in range(8)) + ")\n"
    assert of(names, names)[FIGURE["lines"]] == 0


def test_documentation_is_not_code():
    documented = '"""A module.\n\n' + "".join(f"line {number} of a text\n" for number in range(8)) + '"""\n'
    assert of(documented, documented)[FIGURE["lines"]] == 1
    assert of(documented, documented)[FIGURE["code"]] == 0
