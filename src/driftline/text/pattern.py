r"""The definition of a word: runs of word characters, or the matches of a user's pattern on RE2.

A user's pattern never runs on a backtracking engine, so no pattern and no document can make it slow. It runs on Arrow's
RE2, which has no look-around and no back-references, and whose ``\w``, ``\d`` and ``\s`` support only ASCII. Those
three are therefore replaced by the character classes of Python's `re`; ``\b`` cannot be replaced, and is refused.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.errors import InvalidInput
from driftline.text.characters import class_ranges

MARK = 0xFF
"""Delimiter of matches: a byte that never occurs in UTF-8 text."""

_RUNS = re.compile(r"(?:\(\?u\))?(?:\\b)?(?P<single>(?:\\w)*)\\w(?:\+|\{(?P<least>\d+),\})(?:\\b)?")


class WordRuns(NamedTuple):
    """Rule that words are runs of at least `min_length` word characters."""

    min_length: int = 2


class Matches(NamedTuple):
    """Rule that words are the matches of `expression` (in RE2's syntax), or of its group if it has one."""

    expression: str
    group: int

    def mark(self, texts: pa.LargeStringArray) -> pa.LargeStringArray:
        """Put the byte `MARK` before and after every match. The result is not valid UTF-8; only its bytes are used."""
        return pc.replace_substring_regex(
            texts, pattern=self.expression, replacement=b"%c\\%d%c" % (MARK, self.group, MARK)
        )


def parse_pattern(pattern: str | None) -> WordRuns | Matches:
    r"""Return the rule for finding words: runs if the pattern is equivalent to them, otherwise matches by RE2.

    >>> parse_pattern(None), parse_pattern(r"(?u)\b\w\w\w+\b")
    (WordRuns(min_length=2), WordRuns(min_length=3))
    >>> parse_pattern("#[a-z]+")
    Matches(expression='#[a-z]+', group=0)
    """
    if pattern is None:
        return WordRuns()
    if not isinstance(pattern, str) or not pattern:
        raise InvalidInput(f"pattern must be None or a regular expression that matches words, not {pattern!r}")
    if runs := _RUNS.fullmatch(pattern):
        least = 1 if runs["least"] is None else int(runs["least"])
        return WordRuns(max(1, len(runs["single"]) // 2 + least))
    expression = _in_re2_syntax(pattern.removeprefix("(?u)"), pattern)
    _check(expression, r"\0", pattern)
    if _accepts(expression, r"\2"):
        raise InvalidInput(
            f"the pattern {pattern!r} has more than one group, so it is not clear which is the word; "
            f"write (?:…) for all but one"
        )
    return Matches(expression, 1 if _accepts(expression, r"\1") else 0)


def _in_re2_syntax(pattern: str, as_given: str) -> str:
    r"""Expand ``\w``, ``\d``, ``\s`` and their negations, inside and outside brackets."""
    result: list[str] = []
    in_class = False
    i = 0
    while i < len(pattern):
        character = pattern[i]
        if character == "\\" and i + 1 < len(pattern):
            escaped = pattern[i + 1]
            if escaped in "bB":
                raise InvalidInput(
                    f"the pattern {as_given!r} uses \\{escaped}, which on RE2 supports only ASCII letters "
                    f"and would split "
                    f"words such as 'café'; omit it (a match is as long as possible anyway)"
                )
            if escaped in "wdsWDS":
                ranges = class_ranges(escaped.lower(), negated=escaped.isupper())
                result.append(ranges if in_class else f"[{ranges}]")
            elif escaped == "Q":
                end = pattern.find("\\E", i)
                result.append(pattern[i:] if end < 0 else pattern[i:end])
                i = len(pattern) if end < 0 else end
                continue
            else:
                result.append(pattern[i : i + 2])
            i += 2
            continue
        if not in_class and character == "[":
            in_class = True
            # A bracket at the beginning of a class is one of its members.
            opening = re.match(r"\[\^?\]?", pattern[i:])
            length = opening.end() if opening else 1
            result.append(pattern[i : i + length])
            i += length
            continue
        if in_class and (posix := re.match(r"\[:\^?\w+:\]", pattern[i:])):
            result.append(posix[0])
            i += posix.end()
            continue
        if in_class and character == "]":
            in_class = False
        result.append(character)
        i += 1
    return "".join(result)


def _check(expression: str, replacement: str, pattern: str) -> None:
    try:
        pc.replace_substring_regex(pa.array([""], pa.large_string()), pattern=expression, replacement=replacement)
    except pa.ArrowInvalid as error:
        reason = str(error).removeprefix("Invalid regular expression: ")
        raise InvalidInput(
            f"the pattern {pattern!r} cannot be used: {reason[:200]}. Patterns run on RE2, which has no look-around, "
            f"no back-references and no verbose mode; see https://github.com/google/re2/wiki/Syntax"
        ) from error


def _accepts(expression: str, replacement: str) -> bool:
    try:
        pc.replace_substring_regex(pa.array([""], pa.large_string()), pattern=expression, replacement=replacement)
    except pa.ArrowInvalid:
        return False
    return True
