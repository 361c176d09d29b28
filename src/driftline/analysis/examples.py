"""Selection of documents to show as evidence."""

from __future__ import annotations

import re

import numpy as np

from driftline.analysis.shown_evidence import Example
from driftline.core.arrays import Ints
from driftline.core.times import isos
from driftline.streams.corpus import Corpus

LONGEST_TEXT = 400
REPEATED = 0.6
"""Share of common words from which one of two documents counts as repeating the other."""
_WORDS = re.compile(r"\w+")


def examples_of(corpus: Corpus, rows: Ints, *, n: int) -> list[Example]:
    """Return the first `n` of the documents `rows` whose texts do not repeat each other, in the order given."""
    if corpus.texts is None:
        return []
    texts: dict[str, int] = {}
    shown: list[frozenset[str]] = []
    for row in rows:
        text = shortened(corpus.texts[int(row)].as_py())
        words = frozenset(_WORDS.findall(text.lower()))
        if any(len(words & other) >= REPEATED * len(words | other) for other in shown):
            continue
        shown.append(words)
        texts[text] = int(row)
        if len(texts) == n:
            break
    when = isos(corpus.times[list(texts.values())])
    return [
        Example(str(corpus.ids[row]), time, text, _label(corpus, row)) for time, (text, row) in zip(when, texts.items())
    ]


def _label(corpus: Corpus, row: int) -> str | None:
    code = -1 if corpus.labels is None else int(corpus.labels[row])
    return corpus.label_names[code] if code >= 0 else None


def rows_near(corpus: Corpus, rows: Ints, time: np.datetime64) -> Ints:
    """Return the rows ordered by their distance in time."""
    return rows[np.argsort(np.abs(corpus.times[rows] - time), kind="stable")]


def shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    """Return a text on one line; if it is too long, it is cut between words and ends in ….

    >>> shortened("rain\\nand snow", 8), shortened("a   storm", 8)
    ('rain …', 'a storm')
    """
    text = " ".join(text.split())
    return text if len(text) <= longest else text[:longest].rsplit(" ", 1)[0] + " …"
