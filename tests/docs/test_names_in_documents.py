"""Names in code type, such as `changed_words`, still exist where the documents name them."""

import re
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, pages

NAME = re.compile(r"[A-Za-z]\w*_\w*|[A-Z][a-z]\w*[A-Z]\w*")
"""Names of several words; others may be words of the text."""
SOURCES = (".py", ".pyi", ".js", ".html", ".css", ".toml")


@pytest.fixture(scope="module")
def known() -> set[str]:
    folders = ("src", "benchmarks", "tools", "tests", "docs")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in SOURCES]
    files += [ROOT / "pyproject.toml", ROOT / "Makefile"]
    names = {path.stem for path in files}
    for path in files:
        if path != Path(__file__):
            names |= set(re.findall(r"\w+", path.read_text(encoding="utf-8", errors="replace")))
    return names | {f"driftline_{name}" for name in names}  # measures of the service


def names_in(text: str) -> set[str]:
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return {
        name
        for code in re.findall(r"`([^`\n]+)`", outside)
        for name in re.findall(r"\w+", code)
        if NAME.fullmatch(name)
    }


def test_names_exist(known):
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in pages()
        for name in sorted(names_in(path.read_text(encoding="utf-8")) - known)
    ]
    assert not missing, "documents name what does not exist:\n" + "\n".join(missing)


def test_a_name_that_was_removed_is_found(known):
    assert names_in("see `changed_words` and `NameThatWasRemoved(n)`") - known == {"NameThatWasRemoved"}
