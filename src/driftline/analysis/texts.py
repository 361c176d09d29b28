"""Items that form one text: the passages of a document, and its near-copies of the same day.

Passages of one document and copies of it are not independent. Statistics that assume independence, such as an event of
one day, count texts. If little of a document is counted, because the rest is quoted, repeated or common, its full text
decides whether it is a copy.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from driftline.analysis.items import Items
from driftline.core.arrays import Ints
from driftline.core.errors import NoWords
from driftline.streams.corpus import Corpus
from driftline.streams.exchange import given_or_exchange_units
from driftline.streams.near_copies import FEWEST_WORDS, distinct_texts
from driftline.streams.units import Units
from driftline.text import count_words
from driftline.text.tokenise import Tokenizer

_WORDS = re.compile(r"\w+")


def texts_of(items: Items, corpus: Corpus, *, unit: object = "auto") -> Ints:
    """Return the number of each item's text; documents of one unit that share most of their words are one text.

    The items are those of the corpus, whose counts determine which documents are similar; units come from the items'
    times.

    >>> from driftline.analysis.items import items_of
    >>> texts = ["storm hits the whole coast", "storm hits the whole coast again", "a calm day on the coast"]
    >>> corpus = Corpus.from_texts(texts, ["2024-01-01"] * 3)
    >>> texts_of(items_of(corpus), corpus, unit="day")
    array([0, 0, 1])
    """
    documents, first, place = np.unique(items.document, return_index=True, return_inverse=True)
    units = given_or_exchange_units(items.times[first], unit=unit, n=len(documents))
    single = np.array([" " not in str(word) for word in corpus.vocabulary.words], dtype=np.bool_)
    words = sp.csr_array(corpus.counts)
    if len(documents) < len(corpus):
        words = words[documents]
    if not single.all():
        words = words[:, np.flatnonzero(single)]
    found = distinct_texts(words, units.index)
    short = np.flatnonzero(np.diff(words.indptr) < FEWEST_WORDS)
    if corpus.texts is not None and len(short):
        found[short] = len(found) + _by_what_was_written(corpus.texts.take(pa.array(documents[short])), units, short)
    return np.unique(found, return_inverse=True)[1][place]


def _by_what_was_written(texts: pa.ChunkedArray, units: Units, rows: Ints) -> Ints:
    """Return the text number of some rows, by all their words; for texts of a few words, by the first two.

    Many people write "thank you", but on one day that counts as one text: it is not evidence of an event.
    """
    try:
        written = count_words(texts, Tokenizer())[0]
    except NoWords:
        return np.arange(len(rows))
    found = distinct_texts(written, units.index[rows])
    n_words = np.diff(written.indptr)
    first: dict[tuple[int, str], int] = {}
    for row in np.flatnonzero((n_words > 0) & (n_words < FEWEST_WORDS)):
        beginning = " ".join(_WORDS.findall(texts[int(row)].as_py().lower())[:2])
        found[row] = first.setdefault((int(units.index[rows[row]]), beginning), int(found[row]))
    return found
