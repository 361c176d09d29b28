"""Addresses within the page: words, a label and a period, in the section in which any word can be searched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from urllib.parse import parse_qsl, urlencode

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.explorable import EXPLORABLE

MOST_WORDS = 5
"""Maximum number of words in one address."""
_LINK = re.compile(r'href="#explore\?([^"]*)"')


def can_explore(findings: Findings) -> bool:
    """Return whether the page has the section in which words are searched."""
    found = EXPLORABLE.of(findings)
    return found is not None and bool(found.words)


def explore_address(words: Sequence[str], start: str = "", end: str = "", *, label: str = "") -> str:
    """Return the fragment that shows the documents with some words, between two days and under a label if given.

    Documents are listed in the order of time; with several words, those with most of the rare words come first.

    >>> explore_address(["war & peace"], "2003-03-20T00:00:00", "2003-04-02T00:00:00")
    '#explore?w=war+%26+peace&from=2003-03-20&to=2003-04-02'
    >>> explore_address(["war", "iraq"])
    '#explore?w=war&w=iraq&order=best'
    """
    given = [("w", word) for word in words[:MOST_WORDS]]
    given += [(name, moment[:10]) for name, moment in (("from", start), ("to", end)) if moment]
    given += [("label", label)] if label else []
    given += [("order", "best")] if len(words) > 1 else []
    return f"#explore?{urlencode(given, errors='replace')}"


def linked_words(markup: str) -> set[str]:
    """Return the words of all addresses of this kind that a page links to.

    >>> sorted(linked_words('<a href="#explore?w=war+%26+peace&amp;w=iraq&amp;order=best">search</a>'))
    ['iraq', 'war & peace']
    """
    addresses = (unescape(each) for each in _LINK.findall(markup))
    return {word for address in addresses for name, word in parse_qsl(address) if name == "w"}


def counted_parts(text: str, counted: frozenset[str]) -> list[str]:
    """Return the searchable part of a name: all of it if it was counted, otherwise those of its words that were.

    >>> counted_parts("Bank of England", frozenset({"bank", "england", "war"}))
    ['bank', 'england']
    """
    whole = text.lower()
    return [whole] if whole in counted else [word for word in whole.split() if word in counted]


def counted_words(findings: Findings) -> frozenset[str]:
    """Return the words and phrases that can be searched in the page; none without the section."""
    found = EXPLORABLE.of(findings)
    return frozenset() if found is None else frozenset(found.words)
