"""Addresses within the page: words, and a period, in the section in which any word can be searched."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.explorable import EXPLORABLE

MOST_WORDS = 5
"""Most words of one address."""


def can_explore(findings: Findings) -> bool:
    """Return whether the page has the section in which words are searched."""
    found = EXPLORABLE.of(findings)
    return found is not None and bool(found.words)


def explore_address(words: Sequence[str], start: str = "", end: str = "") -> str:
    """Return the fragment that shows the documents with some words, between two days if they are given.

    >>> explore_address(["war & peace"], "2003-03-20T00:00:00", "2003-04-02T00:00:00")
    '#explore?w=war+%26+peace&from=2003-03-20&to=2003-04-02'
    """
    given = [("w", word) for word in words[:MOST_WORDS]]
    given += [(name, moment[:10]) for name, moment in (("from", start), ("to", end)) if moment]
    return f"#explore?{urlencode(given, errors='replace')}"
