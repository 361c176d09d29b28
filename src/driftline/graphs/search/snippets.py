"""Snippets: the part of a text that shows most of a query."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from driftline.core.arrays import Ints
from driftline.text.tokenise import Tokenizer

_WORD = re.compile(r"\w+")
LONGEST_TEXT = 20_000_000
"""Number of characters of a text that are searched for a snippet."""


def snippet(text: str, words: Collection[str], tokenizer: Tokenizer, width: int = 160) -> str:
    """Return at most about `width` characters of a text, with as many distinct words of a query as possible.

    White space becomes single spaces, and an ellipsis marks where the text was cut.

    >>> snippet("a long story about many other things, then gas in a pipeline, and more of it", {"gas", "pipeline"},
    ...         Tokenizer(), width=30)
    '…then gas in a pipeline, and…'
    """
    text = text[:LONGEST_TEXT]
    spans = np.array([match.span() for match in _WORD.finditer(text)], dtype=np.int64).reshape(-1, 2)
    terms = _terms(text, spans, set(words), tokenizer)
    start, stop = _best_window(spans, terms, width)
    room = start - max(width - (stop - start), 0) // 2
    before = spans[(spans[:, 0] >= room) & (spans[:, 0] <= start), 0]
    start = 0 if room <= 0 else int(before[0]) if len(before) else start
    after = spans[(spans[:, 1] > stop) & (spans[:, 1] <= start + width), 1]
    stop = int(after[-1]) if len(after) else stop
    if stop >= len(text) - 1:
        stop = len(text)
    elif stop == start:  # a word that is longer than the snippet
        stop = min(start + width, len(text))
    shown = " ".join(text[start:stop].split())
    return f"{'…' if start else ''}{shown}{'…' if stop < len(text) else ''}"


def _terms(text: str, spans: Ints, wanted: set[str], tokenizer: Tokenizer) -> Ints:
    """Return the number of the query term that each word of a text is; −1 for other words."""
    numbers = {term: number for number, term in enumerate(sorted(wanted))}
    found = [text[a:b] for a, b in spans.tolist()]
    distinct = sorted(set(found))
    term_of = {}
    for word, terms in zip(distinct, tokenizer.tokens(distinct).to_pylist()):
        term_of[word] = next((numbers[term] for term in terms if term in numbers), -1)
    return np.array([term_of[word] for word in found], dtype=np.int64)


def _best_window(spans: Ints, terms: Ints, width: int) -> tuple[int, int]:
    """Return the start and the end of the first window with the most distinct terms; (0, 0) if there is none."""
    places = np.flatnonzero(terms >= 0)
    best, window, first = 0, (0, 0), 0
    inside: dict[int, int] = {}
    for place in places.tolist():
        inside[terms[place]] = inside.get(terms[place], 0) + 1
        while spans[place, 1] - spans[places[first], 0] > width and first < len(places):
            gone = terms[places[first]]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            first += 1
            if places[first - 1] == place:
                break
        if len(inside) > best:
            best, window = len(inside), (int(spans[places[first], 0]), int(spans[place, 1]))
    return window
