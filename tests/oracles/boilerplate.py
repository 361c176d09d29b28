"""Boilerplate and duplicates by their definitions, with Python's strings."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta


def without_boilerplate(texts: list[str], *, least_words: int) -> list[str]:
    """Return texts without the lines that are in at least max(10, 0.5 %) of them, numerals masked."""

    def key(line: str) -> str:
        return re.sub("[0-9]+", "0", line).strip()

    def looked_at(text: str) -> list[str]:
        lines = [line for line in text.split("\n") if line.strip()]
        words = [len(re.findall(r"[^\W\d_]{2,}", line)) for line in lines]
        return [line for line, n in zip(lines, words) if n >= least_words] if len(lines) > 1 else []

    seen = Counter(line for text in texts for line in {key(line) for line in looked_at(text)})
    frequent = {line for line, n in seen.items() if n >= max(10, 0.005 * len(texts))}
    return [
        "\n".join(line for line in text.split("\n") if line not in looked_at(text) or key(line) not in frequent)
        for text in texts
    ]


def duplicates(texts: list[str], times: list[datetime], *, within: timedelta, least_words: int) -> list[bool]:
    """Return which texts repeat one that was counted within the time before."""
    counted: dict[tuple[str, ...], datetime] = {}
    repeated = []
    for text, time in zip(texts, times):
        words = tuple(re.findall(r"[^\W_]+", text.lower()))
        again = len(words) >= least_words and words in counted and time - counted[words] <= within
        repeated.append(again)
        if not again:
            counted[words] = time
    return repeated


def without_passages(texts: list[str], *, width: int, least_documents: int, least_spread: int) -> list[list[str]]:
    """Return the words of each text (two letters or more, no numbers) outside of windows that many texts share."""
    words = [[word for word in re.findall(r"\w\w+", text) if not re.fullmatch("[0-9_]+", word)] for text in texts]
    places: dict[tuple[str, ...], set[int]] = {}
    for number, document in enumerate(words):
        for k in range(len(document) - width + 1):
            places.setdefault(tuple(document[k : k + width]), set()).add(number)
    left = []
    for document in words:
        gone = set()
        for k in range(len(document) - width + 1):
            where = places[tuple(document[k : k + width])]
            if len(where) >= least_documents and max(where) - min(where) >= least_spread:
                gone.update(range(k, k + width))
        left.append([word for k, word in enumerate(document) if k not in gone])
    return left
