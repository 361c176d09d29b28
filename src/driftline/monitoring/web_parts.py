"""Words that are parts of addresses, HTML tags or entities, such as “co” of https://t.co/… and “nbsp”."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from driftline.core.arrays import Bools
from driftline.text.counts import count_words
from driftline.text.entities import decode_entities
from driftline.text.inline_patterns import ADDRESSES, TAGS, URLS
from driftline.text.left_out import Tally
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary

SCHEMES = ("http", "https", "www", "mailto")
"""Words with which addresses begin."""

MOST_OUTSIDE = 0.5
"""Largest share of the documents with a word that contain it elsewhere, too, if it is such a part."""


def web_parts(texts: Sequence[object], contains: sp.csr_matrix, words: Vocabulary, tokenizer: Tokenizer) -> Bools:
    """Return a mask of the words that are mostly parts of addresses, tags or entities in the texts (`contains`: texts ×
    words).

    Words that are in none of the texts are not, except those with which addresses begin.

    >>> words = Vocabulary(["rain", "https", "co", "www"])
    >>> web_parts(["rain https://t.co/x"], sp.csr_matrix([[1, 1, 1, 0]]), words, Tokenizer())
    array([False,  True,  True,  True])
    """
    outside, _ = count_words(without_web_parts(texts), tokenizer, vocabulary=words)
    n_outside = np.bincount(outside.indices, minlength=len(words))
    n_documents = np.bincount(contains.indices, minlength=len(words))
    scheme = np.isin(words.words.astype(str), SCHEMES)
    return np.where(n_documents > 0, n_outside < MOST_OUTSIDE * n_documents, scheme)


def without_web_parts(texts: Sequence[object]) -> pa.LargeStringArray:
    """Return texts without web and mail addresses, HTML tags and entities.

    >>> without_web_parts(["See https://t.co/pxvSL8cs3B now", "rain<br>&amp; sun"]).to_pylist()
    ['See   now', 'rain & sun']
    """
    cleaned = pa.array(["" if text is None else str(text) for text in texts], pa.large_string())
    cleaned = decode_entities(cleaned, Tally())
    for pattern in (TAGS, URLS, ADDRESSES):
        cleaned = pattern.remove(cleaned, Tally())
    return cleaned
