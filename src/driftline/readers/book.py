"""One long text from a file: its paragraphs and its chapters, from plain text, Markdown or HTML."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from driftline.core.errors import InvalidInput, SourceNotFound
from driftline.readers.html_text import html_to_text

_MARK = "\x01"
_HTML_HEADING = re.compile(r"<h([1-3])\b[^>]{0,500}>", re.IGNORECASE)
_HTML_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,500})", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
_UNDERLINE = re.compile(r"[=-]{3,}\s*")
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve the"
_NAMED = re.compile(
    rf"(chapter|book|part|act|canto|volume) (\d{{1,3}}|[ivxlc]{{1,7}}|{'|'.join(_NUMBERS.split())})\b.*"
    r"|(prologue|epilogue|preface|introduction)\.?",
    re.IGNORECASE,
)
_NUMERAL = re.compile(r"(?=[IVXLC])C{0,3}(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})\.?|\d{1,3}\.?")
_LONGEST_HEADING = 80
_SPACES = re.compile(r"\s+")


class Chapter(NamedTuple):
    """A heading, and the paragraph that follows it."""

    paragraph: int
    title: str


class Book(NamedTuple):
    """A text in paragraphs, with its chapters if it has any."""

    title: str
    paragraphs: list[str]
    chapters: list[Chapter]


def read_book(path: str | Path) -> Book:
    """Read a file as one text: HTML if its name ends in .html or .htm, Markdown if in .md, else plain text."""
    path = Path(path)
    if not path.is_file():
        raise SourceNotFound(f"there is no file {path}")
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    if "\x00" in text[:4096]:
        raise InvalidInput(f"{path} is not text; pass a plain text, Markdown or HTML file")
    kind = {".html": "html", ".htm": "html", ".xhtml": "html", ".md": "markdown", ".markdown": "markdown"}
    return book_of(text, kind.get(path.suffix.lower(), "plain"), path.stem)


def book_of(text: str, kind: str = "plain", title: str = "") -> Book:
    """Return the paragraphs and chapters of a text of the kind "plain", "markdown" or "html".

    >>> book_of("I\\n\\nIt was\\nnight.\\n\\nII\\n\\nIt was day.")
    Book(title='', paragraphs=['It was night.', 'It was day.'],
         chapters=[Chapter(paragraph=0, title='I'), Chapter(paragraph=1, title='II')])
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace(_MARK, " ")
    if kind == "html":
        named = _HTML_TITLE.search(text)
        title = _SPACES.sub(" ", named[1]).strip() if named else title
        blocks = html_to_text(_HTML_HEADING.sub(lambda tag: tag[0] + _MARK, text)).split("\n")
    else:
        if kind == "markdown":
            text = _marked(text)
        blocks = _BLANK_LINES.split(text)
    paragraphs: list[str] = []
    chapters: list[Chapter] = []
    for block in blocks:
        line = _SPACES.sub(" ", block).strip()
        heading = _heading(line, kind)
        if heading is not None:
            if chapters and chapters[-1].paragraph == len(paragraphs):
                heading = f"{chapters.pop().title}: {heading}"[:_LONGEST_HEADING]
            chapters.append(Chapter(len(paragraphs), heading))
        elif line:
            paragraphs.append(line)
    return Book(title, paragraphs, [chapter for chapter in chapters if chapter.paragraph < len(paragraphs)])


def _heading(line: str, kind: str) -> str | None:
    if line.startswith(_MARK):
        return line.replace(_MARK, "").strip()[:_LONGEST_HEADING] or None
    if kind != "plain" or not 0 < len(line) <= _LONGEST_HEADING:
        return None
    found = _NAMED.fullmatch(line) or _NUMERAL.fullmatch(line)
    return line if found and not line.endswith((",", ";", "?", "!", '"', "”")) else None


def _marked(text: str) -> str:
    """Put every heading of a Markdown text on a line of its own, with a mark; leave code blocks out."""
    lines: list[str] = []
    in_code = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif in_code:
            continue
        elif re.match(r"#{1,3} ", line):
            lines += ["", _MARK + line.lstrip("#").strip(" #"), ""]
        elif _UNDERLINE.fullmatch(line) and lines and lines[-1].strip() and not lines[-1].startswith(_MARK):
            lines[-1] = "\n" + _MARK + lines[-1].strip() + "\n"
        else:
            lines.append(line)
    return "\n".join(lines)
