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
"""Minimum share of common words for one of two documents to count as a repetition of the other."""
_CUT = " …"
_GAP = r"\W+"
_WORDS = re.compile(r"\w+")


def examples_of(corpus: Corpus, rows: Ints, *, n: int, about: str = "") -> list[Example]:
    """Return the first `n` of the documents `rows` whose texts do not repeat each other, in the given order.

    Of a long text, the part with the word or phrase `about` is shown.
    """
    if corpus.texts is None:
        return []
    texts: dict[str, int] = {}
    shown: list[frozenset[str]] = []
    for row in rows:
        text = shortened(corpus.texts[int(row)].as_py(), about=about)
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


def shortened(text: str, longest: int = LONGEST_TEXT, *, about: str = "") -> str:
    r"""Return a text on one line; if it is too long, it is cut between words and ends in ….

    If the word or phrase `about` is beyond the cut, the text begins a little before it.

    >>> shortened("rain\nand snow", 8), shortened("a   storm", 8)
    ('rain …', 'a storm')
    >>> shortened("rain and wind and fog and snow at last", 16, about="snow")
    '… snow at last'
    """
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    if about:
        phrase = re.compile(rf"(?<!\w){_GAP.join(map(re.escape, about.split()))}(?!\w)", re.IGNORECASE)
        found = phrase.search(text)
        if found is not None and found.end() > longest - len(_CUT):
            start = text.find(" ", max(found.start() - longest // 4, 0), found.start()) + 1 or found.start()
            return "… " + shortened(text[start:], longest)
    return text[:longest].rsplit(" ", 1)[0] + _CUT
