"""In which language texts are written: the one whose stop words are used most."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from driftline.text.rows import text_array
from driftline.text.stopwords import STOP_WORDS
from driftline.text.tokenise import Tokenizer

LOOKED_AT = 2000
LEAST_SHARE = 0.05
"""A language whose stop words are a smaller share of the words is not recognised."""


class Language(NamedTuple):
    """The languages found, most used first, as ISO 639-1 codes; none where no language was recognised."""

    codes: tuple[str, ...]
    shares: tuple[float, ...]


def find_language(texts: Any) -> Language:
    """Return the language of texts, by a look at no more than 2,000 of them.

    >>> find_language(["the war in the east is over", "what is to be done about it"]).codes
    ('en',)
    """
    column = text_array(texts)
    rows = np.unique(np.linspace(0, len(column) - 1, min(LOOKED_AT, len(column))).round().astype(np.int64))
    words = Tokenizer(pattern=r"\w+").tokens(column.take(pa.array(rows))).flatten().to_pylist()
    shares = {code: sum(word in listed for word in words) / max(len(words), 1) for code, listed in STOP_WORDS.items()}
    best = max(shares, key=lambda code: shares[code])
    return Language((best,), (shares[best],)) if shares[best] >= LEAST_SHARE else Language((), ())
