"""One long text from a file: its paragraphs and its chapters, from plain text, Markdown or HTML."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from driftline.core.errors import InvalidInput, SourceNotFound
from driftline.readers.byte_stream import open_bytes
from driftline.readers.encodings import suggested_encoding
from driftline.readers.formats import format_by_name
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
_MOST_BYTES = 2**28
_SPACES = re.compile(r"\s+")


class Chapter(NamedTuple):
    """A heading, and the paragraph that follows it."""

    paragraph: int
    title: str


class Book(NamedTuple):
    """A text in paragraphs, with its chapters if it has any; a heading above all others is its title."""

    title: str
    paragraphs: list[str]
    chapters: list[Chapter]


def read_book(path: str | Path) -> Book:
    """Read a file as one text: HTML if its name ends in .html or .htm, Markdown if in .md, otherwise plain text.

    Files with records are refused, as are those of more than 256 MiB. Text is UTF-8, or UTF-16 where the first bytes
    say so; otherwise it is read in the encoding in which it is likely text, or as Windows-1252.
    """
    path = Path(path)
    if not path.is_file():
        raise SourceNotFound(f"there is no file {path}")
    if (found := format_by_name(path.name)) not in (None, "text"):
        raise InvalidInput(f"{path} has records ({found}), not one long text; pass a plain text, Markdown or HTML file")
    with open_bytes(path) as stream:
        data = stream.read(_MOST_BYTES + 1)
        if stream.damage is not None:
            raise InvalidInput(f"{path} cannot be read: {stream.damage}")
    if len(data) > _MOST_BYTES:
        raise InvalidInput(f"{path} has more than {_MOST_BYTES:,} bytes; split it")
    if b"\0" in data[:4096]:
        raise InvalidInput(f"{path} is not text; pass a plain text, Markdown or HTML file")
    text = _decoded(data)
    kind = {".html": "html", ".htm": "html", ".xhtml": "html", ".md": "markdown", ".markdown": "markdown"}
    return book_of(text, kind.get(path.suffix.lower(), "plain"), path.stem)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(suggested_encoding(data) or "cp1252", errors="replace")


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
        blocks = html_to_text(_HTML_HEADING.sub(lambda tag: tag[0] + _MARK + tag[1], text)).split("\n")
    else:
        if kind == "markdown":
            text = _marked(text)
        blocks = _BLANK_LINES.split(text)
    paragraphs: list[str] = []
    headings: list[_Heading] = []
    for block in blocks:
        line = _SPACES.sub(" ", block).strip()
        heading = _heading(line, len(paragraphs), kind)
        if heading is not None:
            headings.append(heading)
        elif line and not line.startswith(_MARK):
            paragraphs.append(line)
    if _is_title(headings):
        title = title if kind == "html" and named else headings[0].text
        headings = headings[1:]
    return Book(title, paragraphs, _chapters([one for one in headings if one.paragraph < len(paragraphs)]))


class _Heading(NamedTuple):
    paragraph: int
    text: str
    level: int


def _heading(line: str, paragraph: int, kind: str) -> _Heading | None:
    if line.startswith(_MARK):
        text = line[2:].replace(_MARK, "").strip()[:_LONGEST_HEADING]
        return _Heading(paragraph, text, int(line[1])) if text else None
    if kind != "plain" or not 0 < len(line) <= _LONGEST_HEADING:
        return None
    found = _NAMED.fullmatch(line) or _NUMERAL.fullmatch(line)
    is_heading = found and not line.endswith((",", ";", "?", "!", '"', "”"))
    return _Heading(paragraph, line, 1) if is_heading else None


def _is_title(headings: list[_Heading]) -> bool:
    """Return whether the first heading names the whole text: all others, two or more, are below it."""
    return (
        len(headings) > 2 and headings[0].paragraph == 0 and min(one.level for one in headings[1:]) > headings[0].level
    )


def _chapters(headings: list[_Heading]) -> list[Chapter]:
    """Return headings as chapters; adjacent headings are merged."""
    chapters: list[Chapter] = []
    for heading in headings:
        text = heading.text
        if chapters and chapters[-1].paragraph == heading.paragraph:
            text = f"{chapters.pop().title}: {text}"[:_LONGEST_HEADING]
        chapters.append(Chapter(heading.paragraph, text))
    return chapters


def _marked(text: str) -> str:
    """Put every heading of a Markdown text on a separate line, with a mark and its level; omit code blocks."""
    lines: list[str] = []
    in_code = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif in_code:
            continue
        elif re.match(r"#{1,3} ", line):
            level = len(line) - len(line.lstrip("#"))
            lines += ["", f"{_MARK}{level}" + line.lstrip("#").strip(" #"), ""]
        elif _UNDERLINE.fullmatch(line) and lines and lines[-1].strip() and not lines[-1].startswith(_MARK):
            level = 1 if line.startswith("=") else 2
            lines[-1] = f"\n{_MARK}{level}{lines[-1].strip()}\n"
        else:
            lines.append(line)
    return "\n".join(lines)
