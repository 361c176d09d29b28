"""The items that a curve counts: documents that contain a word, or passages if documents are long.

"In 12 of 1,000 headlines" is easy to read, and a document that repeats a word forty times counts once. Long documents
contain nearly every frequent word, so they are divided into passages.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from driftline.core.arrays import Counts, Ints
from driftline.core.days_of_dates import unchangeable
from driftline.core.errors import InvalidInput
from driftline.streams.corpus import Corpus

LONG_DOCUMENTS = 400
"""Median length of documents, in words, above which passages are counted."""
PASSAGE = 200
"""Length of a passage in words."""
PER = 1_000.0
"""Denominator of the shares shown: items per 1,000."""
_SAMPLE = 1_000

Measure = Literal["auto", "documents", "passages"]


class Items(NamedTuple):
    """The counted items: items × words, the time of each item, and its document.

    `noun` is the kind of items: ``"documents"`` or ``"passages"``.
    """

    counts: Counts
    times: np.ndarray
    document: Ints
    noun: str

    def of_documents(self, rows: Ints) -> Items:
        """Return the items of some documents, renumbered in this order."""
        place = np.full(int(self.document.max(initial=-1)) + 1, -1)
        place[rows] = np.arange(len(rows))
        kept = np.flatnonzero(place[self.document] >= 0)
        return Items(self.counts[kept], unchangeable(self.times[kept]), place[self.document[kept]], self.noun)


def items_of(corpus: Corpus, *, measure: Measure = "auto", texts: pa.ChunkedArray | None = None) -> Items:
    """Return the documents, or their passages of 200 words if the median length is above 400.

    The last passage of a document includes the remainder, so that none is shorter than half of the others. Documents
    whose texts were not kept are counted whole. `texts` are the texts to divide if only a part of the corpus texts was
    counted, in the order of its documents.

    >>> corpus = Corpus.from_texts(["war " * 300 + "and peace " * 300, "peace"], ["1805-01-01", "1820-01-01"])
    >>> items = items_of(corpus, measure="passages")
    >>> items.document, items.counts.toarray().tolist()
    (array([0, 0, 0, 0, 1]), [[0, 200], [50, 100], [100, 0], [150, 0], [1, 0]])
    """
    if measure not in ("auto", "documents", "passages"):
        raise InvalidInput(f"measure must be 'auto', 'documents' or 'passages', not {measure!r}")
    texts = corpus.texts if texts is None else texts
    if measure == "passages" and texts is None:
        raise InvalidInput("passages are cut from texts, which this corpus did not keep; pass keep_texts=True")
    if texts is None or measure == "documents" or (measure == "auto" and _median_length(texts) <= LONG_DOCUMENTS):
        return Items(corpus.counts, corpus.times, np.arange(len(corpus)), "documents")
    passages, document = [], []
    for row, text in enumerate(texts.to_pylist()):
        parts = _passages(text)
        passages += parts
        document += [row] * len(parts)
    of = np.array(document, dtype=np.int64)
    return Items(corpus.count(passages), corpus.times[of], of, "passages")


def present(counts: Counts) -> sp.csr_array:
    """Return one for every word that an item contains, regardless of the number of uses.

    >>> present(sp.csr_array([[0, 3], [1, 0]])).toarray()
    array([[0., 1.], [1., 0.]])
    """
    counts = sp.csr_array(counts)
    return sp.csr_array(((counts.data > 0).astype(np.float64), counts.indices, counts.indptr), shape=counts.shape)


def _median_length(texts: pa.ChunkedArray) -> float:
    if not len(texts):
        return 0.0
    rows = np.unique(np.linspace(0, len(texts) - 1, _SAMPLE).round().astype(int))
    return float(np.median([len(text.split()) for text in texts.take(pa.array(rows)).to_pylist()]))


def _passages(text: str) -> list[str]:
    words = text.split()
    n = max(1, round(len(words) / PASSAGE))
    ends = [PASSAGE * (part + 1) for part in range(n - 1)] + [len(words)]
    return [" ".join(words[start:end]) for start, end in zip([0, *ends], ends)]
