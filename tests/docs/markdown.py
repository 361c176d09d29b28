"""The little of Markdown that the documentation tests must understand: blocks of code, links, headings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+) *(?P<language>[\w-]*)[^\n]*$")
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)(?: \"[^\"]*\")?\)")
_HEADING = re.compile(r"^#{1,6} +(?P<title>.+?) *#*$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block of code, and the line of the page on which its code begins."""

    language: str
    code: str
    line: int


def pages() -> list[Path]:
    """Return the README and every page of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    """Return how a page is called in messages."""
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    found: list[Block] = []
    open_block: re.Match[str] | None = None
    lines: list[str] = []
    start = 0
    for number, line in enumerate(text.splitlines(), start=1):
        fence = _FENCE.match(line)
        if open_block is None:
            if fence:
                open_block, lines, start = fence, [], number + 1
        elif fence and fence["fence"].startswith(open_block["fence"]) and not fence["language"]:
            found.append(Block(open_block["language"], "\n".join(lines) + "\n", start))
            open_block = None
        else:
            lines.append(line.removeprefix(open_block["indent"]))
    if open_block is not None:
        raise ValueError(f"the block that begins on line {start - 1} never ends")
    return found


def prose(text: str) -> str:
    """Return a page without its blocks of code."""
    kept, inside = [], None
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if inside is None and fence:
            inside = fence["fence"]
        elif inside is not None and fence and fence["fence"].startswith(inside) and not fence["language"]:
            inside = None
        elif inside is None:
            kept.append(line)
    return "\n".join(kept)


def code_of(text: str) -> str:
    """Return everything that a page shows as code: its blocks, and what stands between backticks."""
    inline = re.findall(r"(`+)(.+?)\1", prose(text), flags=re.DOTALL)
    return "\n".join([block.code for block in blocks(text)] + [code for _, code in inline])


def links(text: str) -> list[str]:
    """Return the targets of all links and pictures."""
    return [link["target"] for link in _LINK.finditer(re.sub(r"`[^`\n]*`", "", prose(text)))]


def anchors(text: str) -> set[str]:
    """Return what the headings of a page can be linked by, as GitHub makes them."""
    titles = [heading["title"] for heading in _HEADING.finditer(prose(text))]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def title(text: str) -> str:
    """Return the first heading."""
    heading = _HEADING.search(prose(text))
    return heading["title"] if heading else ""


def first_sentence(text: str) -> str:
    """Return the first sentence below the first heading, on one line."""
    _, _, below = prose(text).partition("\n")
    for paragraph in re.split(r"\n\s*\n", below):
        words = " ".join(paragraph.split())
        if words and not words.startswith(("#", "<", "|", "-", "!")):
            return re.split(r"(?<=[.!?])\s", words)[0]
    return ""
