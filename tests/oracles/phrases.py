"""Phrases by their definition: look at every pair of words in every text."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter


def phrases(texts: list[str], stop_words: set[str], *, least_documents: int = 8) -> dict[str, list[int]]:
    """Return each phrase with its number of uses in every text."""
    uses: dict[tuple[str, str], list[int]] = {}
    documents_with: Counter[str] = Counter()
    for number, text in enumerate(texts):
        words = [(match[0].lower(), match.start(), match.end()) for match in re.finditer(r"\b\w\w+\b", text)]
        documents_with.update({word for word, _, _ in words})
        for (first, _, end), (second, start, _) in itertools.pairwise(words):
            between = text[end:start]
            if len(between) <= 2 and set(between) <= set(" -\n\t") and not {first, second} & stop_words:
                uses.setdefault((first, second), [0] * len(texts))[number] += 1
    found = {}
    for (first, second), counts in uses.items():
        n = sum(count > 0 for count in counts)
        a, b = documents_with[first], documents_with[second]
        if n < least_documents or n == len(texts) or n < min(a, b) / 2:
            continue
        if math.log(n * len(texts) / (a * b)) / math.log(len(texts) / n) >= 0.5:
            found[f"{first} {second}"] = counts
    return dict(sorted(found.items()))
