r"""Untrusted text made safe to show: on a page, in a figure, on a terminal, in JSON, in a spreadsheet.

Documents, labels, column names and file names come from strangers. A terminal executes escape sequences, bidirectional
controls reorder text, zero-width characters are invisible, Plotly interprets some HTML in every string, and a
spreadsheet evaluates cells that begin with ``=``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Unicode's default-ignorable characters and its line separators. U+FE0E and U+FE0F, which choose between text and
emoji, are not among them."""
_CONTROLS = "\x00-\x1f\x7f-\x9f\ud800-\udfff"
_DANGEROUS = re.compile(f"[{_CONTROLS}{_INVISIBLE}]")
_DANGEROUS_IN_JSON = re.compile(f"[\x7f-\x9f\ud800-\udfff{_INVISIBLE}]")
_JOINERS = "\u200c\u200d"
_FIRST_JOINED = 0x0590
"""First code point of scripts that need joiners between their letters (and of emoji)."""
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_REPLACED = {"Cc", "Cs", "Zl", "Zp"}
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def visible(text: str) -> str:
    """Return `text` for a page: control characters, lone surrogates and direction marks become U+FFFD.

    Line breaks and tabs become spaces. Other characters are harmless in a browser, and shown as their script requires.

    >>> visible("safe\\u202egnp.exe") == "safe\\ufffdgnp.exe"
    True
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def all_visible(texts: Iterable[str | None]) -> list[str]:
    """Apply `visible` to many texts; a missing text becomes empty.

    >>> all_visible(["two\\nlines", None])
    ['two lines', '']
    """
    return [visible(text) if text else "" for text in texts]


def figure_text(text: str, *, longest: int = 40) -> str:
    """Return `text` for a figure, so that Plotly shows its characters instead of interpreting them.

    Markup becomes entities, and a very long text is cut and ends in ``…``; the rest is as in `visible`.

    >>> figure_text("<b>R&D</b>")
    '&lt;b&gt;R&amp;D&lt;/b&gt;'
    >>> figure_text("x" * 50, longest=5)
    'xxxx…'
    """
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return "".join(_ENTITIES.get(character, character) for character in visible(text))


def terminal_text(text: str) -> str:
    r"""Return `text` for a terminal: control, bidirectional and zero-width characters are written as escapes.

    Line breaks stay, tabs become spaces. Joiners stay between letters of scripts that need them.

    >>> print(terminal_text("\x1b[31mred\u202e\u200b"))
    \x1b[31mred\u202e\u200b
    """
    if text.isascii() and text.isprintable():
        return text
    return _DANGEROUS.sub(_escaped, text.replace("\t", " "))


def one_line(text: str, longest: int | None = None) -> str:
    r"""Return `text` for one line of a terminal: white space becomes single spaces, and a long text ends in ``…``.

    >>> one_line("first\n\nsecond\x07", longest=12)
    'first secon…'
    """
    shown = terminal_text(" ".join(text.split()))
    return shown if longest is None or len(shown) <= longest else shown[: longest - 1] + "…"


def safe_json(encoded: str) -> str:
    r"""Return JSON that means the same, with every character that a terminal might execute or hide as an escape.

    >>> safe_json('"\u202e\x9b é"')
    '"\\u202e\\u009b é"'
    """
    return _DANGEROUS_IN_JSON.sub(_escaped_in_json, encoded)


def spreadsheet_cell(text: str) -> str:
    """Return `text` so that a spreadsheet shows it instead of evaluating it; `cell_text` is the inverse.

    Text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break is prefixed by an apostrophe, unless it is a
    number. So is text that would otherwise look as if it had been prefixed.

    >>> spreadsheet_cell('=HYPERLINK("http://a")'), spreadsheet_cell("-1.5"), spreadsheet_cell("a=b")
    ('\\'=HYPERLINK("http://a")', '-1.5', 'a=b')
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def cell_text(cell: str) -> str:
    """Return the original text of `spreadsheet_cell`.

    >>> cell_text("'=1+1"), cell_text("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _visible(character: str) -> str:
    if character in "\r\n\t":
        return " "
    if character in _TURNING or unicodedata.category(character) in _REPLACED:
        return "\ufffd"
    return character


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if character == "\n" or (character in _JOINERS and _joins(found.string, found.start())):
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escaped_in_json(found: re.Match[str]) -> str:
    if found[0] in _JOINERS and _joins(found.string, found.start()):
        return found[0]
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


def _joins(text: str, place: int) -> bool:
    """Return whether the characters on both sides are of scripts that are written with joiners."""
    around = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
    return len(around) == 2 and all(ord(c) >= _FIRST_JOINED and not _DANGEROUS.match(c) for c in around)
