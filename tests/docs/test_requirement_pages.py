"""The kept pages of requirements name tests that exist and figures that are on the linked pages."""

import ast
import re
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT

NAMED = re.compile(r"`(?:[\w/.]+::)?(test_\w+)`")
"""A test in code type, with or without its file."""
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
LINK = re.compile(r"\]\(([\w.]+\.md)\)")


def requirement_pages() -> list[Path]:
    return sorted((ROOT / "benchmarks" / "results").rglob("*requirements*.md"))


@pytest.fixture(scope="module")
def defined() -> set[str]:
    """The names of all test functions and of all test files."""
    files = list((ROOT / "tests").rglob("test_*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    functions = {
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }
    return functions | {path.stem for path in files}


def missing_in(text: str, defined: set[str]) -> set[str]:
    return set(NAMED.findall(text)) - defined


def test_named_tests_exist(defined):
    assert requirement_pages()
    missing = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in requirement_pages()
        for name in sorted(missing_in(page.read_text(encoding="utf-8"), defined))
    ]
    assert not missing, "requirements name tests that do not exist:\n" + "\n".join(missing)


def test_a_removed_test_is_found(defined):
    text = "`test_named_tests_exist`, `tests/docs/test_a.py::test_that_was_removed` and `test_requirement_pages`"
    assert missing_in(text, defined) == {"test_that_was_removed"}


def unsupported_figures(page: Path) -> list[str]:
    """Return the numbers in the column "figure" that are on none of the pages linked in their row or the row before."""
    found: list[str] = []
    linked = ""
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 4 or set(cells[0]) <= set("-: ") or cells[1] == "figure":
            continue
        links = LINK.findall(line)
        linked = "".join((page.parent / name).read_text(encoding="utf-8") for name in links) if links else linked
        printed = set(NUMBER.findall(linked))
        found += [f"{cells[0]}: {number}" for number in NUMBER.findall(cells[1]) if number not in printed]
    return found


@pytest.mark.parametrize("page", requirement_pages(), ids=lambda page: page.parent.name)
def test_figures_are_on_the_linked_pages(page):
    assert unsupported_figures(page) == []


def test_a_figure_that_is_not_printed_is_found(tmp_path):
    (tmp_path / "speed.md").write_text("| batch | 2,000 |\n", encoding="utf-8")
    rows = ["| required | figure | page | met |", "|---|---|---|---|", "| fast | 2,000 | [speed](speed.md) | yes |"]
    page = tmp_path / "requirements.md"
    page.write_text("\n".join([*rows, "| faster | 3,000 | the same | yes |"]), encoding="utf-8")
    assert unsupported_figures(page) == ["faster: 3,000"]
