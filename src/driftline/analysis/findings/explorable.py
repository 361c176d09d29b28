"""Data for the reader to explore: the documents with each counted word, and their times, labels, authors and sources.

This is data for the page, not a claim: it is part of the findings in memory, and not of their JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from driftline.analysis.examples import LONGEST_TEXT
from driftline.analysis.finding import Finding, nothing
from driftline.core.arrays import Bools, Datetimes, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.times import TimeAxis
from driftline.local.reading.word_cycles import Cycles
from driftline.streams.corpus import Corpus
from driftline.streams.document_groups import DocumentGroups, document_groups
from driftline.streams.document_sources import document_sources
from driftline.streams.unit_counts import counting_units
from driftline.text.headline_words import is_listed_last

if TYPE_CHECKING:
    from driftline.analysis.context import Context

MOST_POSTINGS = 20_000_000
"""Largest number of pairs of a word and a document; the rarest words beyond it are left out and counted."""
MOST_GROUPS = 500
"""Largest number of labels, authors or sources to choose from; the documents of the others have none."""


class Groups(NamedTuple):
    """The label, author or source of every document: a code of `names`, −1 if it has none."""

    codes: Ints
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Explorable:
    """All counted words of the documents, for curves and comparisons that the reader chooses.

    `items` is CSC, items × words, one where an item (document or passage) has a word; `document` is the document of
    every item, `unit` the unit of time that curves sum over, with the mean times `unit_times` in days since 1970, and
    `exchanged` the unit of exchange of comparisons. Curves are evaluated at `when` (days since 1970), at the
    `bandwidth` (None: selected for every word), without the `cycles` of words, and with a narrow bandwidth for
    `events`. The words `last` (numbers, days and months) come last in lists. `texts` are shortened. `n_left_out` words,
    each in at most `left_out_documents` documents, are not in it.
    """

    words: tuple[str, ...]
    items: sp.csc_array
    document: Ints
    unit: Ints
    unit_times: Floats
    unit_kind: str
    exchanged: Ints
    exchanged_kind: str
    when: Floats
    bandwidth: float | None
    cycles: tuple[Cycles, ...]
    events: Ints
    last: Ints
    times: Datetimes
    ids: pa.ChunkedArray
    texts: pa.ChunkedArray
    labels: Groups | None
    authors: Groups | None
    sources: Groups | None
    noun: str
    n_left_out: int = 0
    left_out_documents: int = 0


def find(context: Context) -> Explorable | None:
    """Collect the counted words of the stream and the documents they are in."""
    if context.with_phrases.texts is None or not len(context.with_phrases):
        return None
    return collected(context, cycles=context.cycles, events=_events(context))


def collected(context: Context, *, cycles: Sequence[Cycles] = (), events: Ints | None = None) -> Explorable:
    """Collect words and documents; `cycles` and `events` (columns of words) come from the tests of the stream."""
    corpus, items = context.with_phrases, context.items
    axis = TimeAxis.of(items.times)
    units = counting_units(axis, axis.values(items.times), context.unit)
    have = sp.csc_array(items.counts)
    have.sort_indices()
    kept, least = _within(np.diff(have.indptr), MOST_POSTINGS)
    words = np.asarray(corpus.vocabulary.words)[kept]
    labels = _labels(corpus)
    authors = _most_frequent(document_groups(context.part.documents, "author"))
    place = np.full(len(kept), -1)
    place[np.flatnonzero(kept)] = np.arange(int(kept.sum()))
    return Explorable(
        words=tuple(str(word) for word in words),
        items=have if kept.all() else have[:, np.flatnonzero(kept)],
        document=items.document,
        unit=units.index,
        unit_times=units.middle,
        unit_kind=units.kind,
        exchanged=context.item_units.index,
        exchanged_kind=context.item_units.kind,
        when=axis.values(context.when),
        bandwidth=_given(context, axis),
        cycles=tuple(_among(found, place) for found in cycles),
        events=_kept(np.zeros(0, dtype=np.int64) if events is None else events, place),
        last=np.flatnonzero(is_listed_last(words, context.prepared.language.codes)),
        times=corpus.times.astype("datetime64[s]"),
        ids=pa.chunked_array([pa.array([str(each) for each in corpus.ids], pa.string())]),
        texts=_shortened(corpus.texts),
        labels=labels,
        authors=None if _are_same(labels, authors) else authors,
        sources=_most_frequent(document_sources(context.part.documents)),
        noun=items.noun,
        n_left_out=int((~kept).sum()),
        left_out_documents=max(least - 1, 0),
    )


def _within(documents: Ints, most: int) -> tuple[Bools, int]:
    """Return the words to keep so that there are at most `most` pairs, and the fewest documents of a kept word.

    >>> _within(np.array([5, 1, 2, 1]), 7)
    (array([ True, False,  True, False]), 2)
    """
    if documents.sum() <= most:
        return np.ones(len(documents), dtype=np.bool_), 0
    sizes, words = np.unique(documents, return_counts=True)
    pairs = np.cumsum((sizes * words)[::-1])[::-1]
    fits = np.flatnonzero(pairs <= most)
    least = int(sizes[fits[0]]) if len(fits) else int(sizes[-1]) + 1
    return documents >= least, least


def _given(context: Context, axis: TimeAxis) -> float | None:
    bandwidth = context.options.bandwidth
    if isinstance(bandwidth, str) and bandwidth == "auto":
        return None
    length = axis.span(bandwidth)
    if not length > 0:
        raise InvalidInput(f"a bandwidth must be positive, not {bandwidth!r}; pass 'auto' to select it")
    return length


def _among(found: Cycles, place: Ints) -> Cycles:
    """Return the cycles of the kept words, with their new numbers."""
    rows = np.flatnonzero(place[found.columns] >= 0)
    columns = place[found.columns[rows]]
    return found._replace(columns=columns, profile=found.profile[rows])


def _events(context: Context) -> Ints:
    """Return the words whose headlines are events of a few days; their curves have a narrow bandwidth."""
    ranked, changes = context.tests.ranking(), context.measured.changes
    events = [i for i, each in enumerate(changes) if each is not None and each.headline and each.kind == "event"]
    found: Ints = context.tests.columns[ranked[events]]
    return found


def _kept(columns: Ints, place: Ints) -> Ints:
    numbers = place[columns]
    found: Ints = np.unique(numbers[numbers >= 0])
    return found


def _labels(corpus: Corpus) -> Groups | None:
    if corpus.labels is None or not corpus.label_names:
        return None
    codes = np.asarray(corpus.labels, dtype=np.int64)
    return _most_frequent(DocumentGroups(codes, tuple(map(str, corpus.label_names)), "label"))


def _are_same(some: Groups | None, others: Groups | None) -> bool:
    """Return whether every document has the same name in both, as when the label is the author."""
    if some is None or others is None or set(some.names) != set(others.names):
        return False
    names, other_names = np.array([*some.names, ""]), np.array([*others.names, ""])
    return bool((names[some.codes] == other_names[others.codes]).all())


def _most_frequent(found: DocumentGroups | None) -> Groups | None:
    """Return the groups, without the rarest if there are too many; None if there is nothing to choose between."""
    if found is None or len(found.names) < 2:
        return None
    codes, names = found.codes, found.names
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    kept = np.sort(np.argsort(-sizes, kind="stable")[:MOST_GROUPS])
    place = np.full(len(names) + 1, -1)
    place[kept] = np.arange(len(kept))
    return Groups(place[codes], tuple(names[i] for i in kept))


def _shortened(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the texts on one line, cut after a word if they are long."""
    first = pc.utf8_slice_codeunits(texts, 0, 4 * LONGEST_TEXT)
    line = pc.utf8_trim_whitespace(pc.replace_substring_regex(first, r"\s+", " "))
    cut = pc.replace_substring_regex(pc.utf8_slice_codeunits(line, 0, LONGEST_TEXT), r"\s\S*$", " …")
    found: pa.ChunkedArray = pc.if_else(pc.greater(pc.utf8_length(line), LONGEST_TEXT), cut, line)
    return found


EXPLORABLE = Finding("explorable", find, empty=nothing, stored=False, since=13)
