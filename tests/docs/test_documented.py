"""What is public is documented, what is documented can be found, and no link is dead."""

from __future__ import annotations

import importlib
import re
from urllib.parse import unquote

import click
import pytest
from tools.site.public_names import public_names

from tests.docs.markdown import ROOT, anchors, code_of, links, name_of, pages, prose
from tests.docs.regenerate import commands, generated_pages, renewed

PAGES = pages()
TEXTS = {page: page.read_text(encoding="utf-8") for page in PAGES}
CODE = "\n".join(code_of(text) for text in TEXTS.values())
OTHER_FILES = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "benchmarks/results/README.md"]
RENEW = "run python -m tests.docs.regenerate"


def options() -> list[tuple[str, str]]:
    """Return every option of every command."""
    return [
        (name, option)
        for name, command, context in commands()
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
    ]


def mentions(name: str) -> bool:
    """Say whether the documentation shows a name as code."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", CODE) is not None


def test_something_is_public():
    assert {"read", "load", "analyse"} <= public_names().keys()
    assert ("driftline read", "--json") in options()


@pytest.mark.parametrize("name", sorted(public_names()))
def test_public_names_are_documented(name):
    assert mentions(name), (
        f"{public_names()[name].exported_by}.{name} is public; mention it as `{name}` on a page of docs/"
    )


def test_public_names_exist():
    for name, _, module in public_names().values():
        assert hasattr(importlib.import_module(module), name), f"{module} should define {name}, and does not"


def test_commands_and_options_are_documented():
    missing = [name for name, _, _ in commands() if not mentions(name)]
    missing += [f"{name} {option}" for name, option in options() if not mentions(option)]
    assert not missing, f"undocumented: {', '.join(missing)}; {RENEW}"


def test_help_is_the_same_after_a_command_was_used_alone():
    name, command, _ = next(each for each in commands() if each[0] == "driftline bursts")
    with click.Context(command) as alone:
        assert "-h, --help" not in command.get_help(alone)
    assert "-h, --help" in next(below.get_help(context) for each, below, context in commands() if each == name)


@pytest.mark.parametrize("page", generated_pages(), ids=name_of)
def test_generated_parts_are_current(page):
    assert renewed(page) == page.read_text(encoding="utf-8"), f"{name_of(page)} is out of date; {RENEW}"


def test_every_page_is_in_the_contents():
    index = ROOT / "docs" / "contents.md"
    linked = {(index.parent / unquote(link.partition("#")[0])).resolve() for link in links(TEXTS[index])}
    missing = [name_of(page) for page in PAGES[1:] if page != index and page.resolve() not in linked]
    assert not missing, f"docs/contents.md does not link {', '.join(missing)}; {RENEW}"


@pytest.mark.parametrize("page", [*PAGES, *(file for file in OTHER_FILES if file.exists())], ids=name_of)
def test_no_relative_link_is_dead(page):
    text = page.read_text(encoding="utf-8")
    for link in links(text):
        if re.match(r"[a-z][a-z+.-]*:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)} links to {link}, which is not there"
        assert target.is_relative_to(ROOT), f"{name_of(page)} links to {link}, which is outside of the project"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{name_of(page)}: no heading for {link}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_page_has_a_title(page):
    assert TEXTS[page].startswith("# "), f"{name_of(page)} must begin with a heading"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_belongs_to_a_list_item_is_indented_by_four(page):
    """The site's Markdown ends a list where a paragraph or block below an item is indented by less than four spaces."""
    found = re.search(r"\n\s*\n {1,3}\S.*", prose(TEXTS[page])) or re.search(r"\n {1,3}```.*", TEXTS[page])
    assert found is None, f"{name_of(page)}: indent by four or not at all: {found[0].strip()!r}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_formula_of_its_own_begins_a_paragraph(page):
    """Elsewhere the site takes one of its dollars for text."""
    found = re.search(r"\S[^\n]*\n *\$\$\S.*", prose(TEXTS[page]))
    assert found is None, f"{name_of(page)}: put an empty line before {found[0].splitlines()[1].strip()!r}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_a_page_names_exist(page):
    """Paths in code are those below src/driftline, or below the root of the project."""
    named = set(re.findall(r"`([\w-]+(?:/[\w-]+)+\.(?:py|md))`", TEXTS[page]))
    missing = [name for name in named if not (ROOT / name).exists() and not (ROOT / "src/driftline" / name).exists()]
    assert not missing, f"{name_of(page)} names {', '.join(missing)}, which is not there"
