"""An index of dated documents, in memory or in a folder, that can be searched while it grows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from driftline.core.arrays import Floats, Ints
from driftline.core.days_of_dates import MICROSECONDS_PER_DAY
from driftline.core.errors import InvalidInput
from driftline.core.pictures import Bars, Picture
from driftline.core.results import Columns, Result, columns_of, counted
from driftline.graphs.search.date_periods import period_of
from driftline.graphs.search.index_folder import (
    LIST,
    appending,
    read_index,
    read_list,
    remove_unlisted,
    write_list,
    write_segment,
)
from driftline.graphs.search.index_segments import Segment, merged
from driftline.graphs.search.queries import Query, parse_query
from driftline.graphs.search.snippets import snippet
from driftline.graphs.search.term_dependence import TermDependenceRanker
from driftline.graphs.search.time_feedback import Spread
from driftline.streams.reorder import times_of
from driftline.streams.stream import Stream
from driftline.text.tokenise import Tokenizer

BATCH_CHARACTERS = 64_000_000
"""Bytes of text per segment before merging, which bound the memory while a stream is indexed."""


class Hit(NamedTuple):
    """A document that was found: its number in the index, id, time, score, and a snippet that contains the query."""

    document: int
    id: str
    time: np.datetime64
    score: float
    snippet: str


class _SearchResultFields(NamedTuple):
    """The fields of `SearchResult`."""

    hits: tuple[Hit, ...]
    n_matching: int
    used_time: bool
    notes: tuple[str, ...]


class SearchResult(Result, _SearchResultFields):
    """The best documents for a query, the number of all that match, and notes for the user."""

    __slots__ = ()

    def _columns(self) -> Columns:
        return columns_of(self.hits, Hit)

    def _summary(self) -> str:
        return f"{counted(len(self.hits), 'document')} shown of {self.n_matching:,} that match"

    def _picture(self) -> Picture:
        return Bars([hit.id for hit in self.hits], np.array([hit.score for hit in self.hits]), "score")

    def _preview(self) -> Columns:
        return self._columns()


class SearchIndex:
    """A positional index of dated documents.

    Parameters
    ----------
    documents : Stream, or an iterable of (time, text) or (id, time, text, …)
        The documents to index first; see `append`.
    path : path, optional
        Folder of a new index on disk. Without one, the index is in memory.
    tokenizer : Tokenizer, optional
        Converts texts to terms. By default, English stop words are left out but keep their positions, so that words are
        neighbours only if they are neighbours in the text. A stemmer needs the extra `stem`.

    >>> index = SearchIndex([("2001-10-03", "pipeline of gas ends"), ("2001-10-02", "a gas pipeline burst"),
    ...                      ("2001-11-09", "football results")])
    >>> [hit.snippet for hit in index.search("gas pipeline").hits]
    ['a gas pipeline burst', 'pipeline of gas ends']
    """

    def __init__(
        self,
        documents: Stream | Iterable[Sequence[object]] = (),
        *,
        path: str | Path | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.tokenizer = Tokenizer(stop_words="english") if tokenizer is None else tokenizer
        if self.tokenizer.ngram_range != (1, 1):
            raise InvalidInput(f"an index contains single words, not n-grams of {self.tokenizer.ngram_range}")
        self.path = None if path is None else Path(path)
        self.segments: list[Segment] = []
        """The parts of the index."""
        self._files: list[str] = []
        if self.path is not None:
            if (self.path / LIST).exists():
                raise InvalidInput(f"{self.path} is already an index; open it with SearchIndex.open, and append to it")
            with appending(self.path):
                write_list(self.path, self.tokenizer, [])
        self._lengths: Ints | None = None
        self._days: Floats | None = None
        self._length_scores: dict[float, Floats] = {}
        self._spreads: dict[float, Spread] = {}
        self.append(documents)

    @classmethod
    def open(cls, path: str | Path) -> SearchIndex:
        """Open an index on disk; a damaged one, or one of another version, is an error."""
        index = cls()
        index.path = Path(path)
        index.tokenizer, index.segments, index._files = read_index(index.path)
        return index

    def append(self, documents: Stream | Iterable[Sequence[object]]) -> int:
        """Index further documents and return their number; on disk, all of them or, if interrupted, none."""
        stream = documents if isinstance(documents, Stream) else Stream.from_documents(documents, on_error="raise")
        if self.path is None:
            n_before = len(self)
            self.segments = _compacted(self.segments + list(self._built(stream)))
            self._forget()
            return len(self) - n_before
        with appending(self.path):
            self.tokenizer, self.segments, self._files = read_index(self.path)
            self._forget()
            n_before = len(self)
            listed = {one["file"]: one for one in read_list(self.path).segments}
            known = {id(segment): listed[name] for segment, name in zip(self.segments, self._files)}
            segments = _compacted(self.segments + list(self._built(stream)))
            entries = [known.get(id(segment)) or write_segment(self.path, segment) for segment in segments]
            if [entry["file"] for entry in entries] != self._files:
                write_list(self.path, self.tokenizer, entries)
            remove_unlisted(self.path, entries)
            self.segments, self._files = segments, [entry["file"] for entry in entries]
            self._forget()
        return len(self) - n_before

    def __len__(self) -> int:
        return sum(map(len, self.segments))

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else f"at {self.path}"
        return f"<SearchIndex {where}: {len(self):,} documents, {self.n_tokens:,} terms>"

    @property
    def n_tokens(self) -> int:
        """The number of terms in all documents."""
        return sum(segment.n_tokens for segment in self.segments)

    @property
    def lengths(self) -> Ints:
        """The number of terms of every document."""
        if self._lengths is None:
            parts = [np.empty(0, dtype=np.int64), *(segment.lengths for segment in self.segments)]
            self._lengths = np.concatenate(parts)
        return self._lengths

    @property
    def days(self) -> Floats:
        """The time of every document, in days since 1970."""
        if self._days is None:
            times = [np.empty(0, dtype=np.int64), *(segment.times for segment in self.segments)]
            self._days = np.concatenate(times) / MICROSECONDS_PER_DAY
        return self._days

    def length_scores(self, smoothing: float) -> Floats:
        """Return ln(µ / (length + µ)) of every document."""
        if smoothing not in self._length_scores:
            self._length_scores[smoothing] = -np.log1p(self.lengths / smoothing)
        return self._length_scores[smoothing]

    def spread(self, span: float) -> Spread:
        """Return the moments of the closeness in time of two random documents."""
        if span not in self._spreads:
            self._spreads[span] = Spread.of(self.days, span)
        return self._spreads[span]

    def ids(self) -> Iterator[str]:
        """Yield the ids of all documents, in order."""
        for segment in self.segments:
            yield from segment.ids.to_pylist()

    def text(self, document: int) -> str:
        """Return the text of a document."""
        segment, number = self._place(document)
        return segment.text(number)

    def parse(self, text: str) -> Query:
        """Return the terms of a query, as this index spells them."""
        return parse_query(text, self.tokenizer)

    def search(
        self,
        query: str,
        *,
        n: int = 10,
        ranker: TermDependenceRanker | None = None,
        around: str | None = None,
        width: int = 160,
    ) -> SearchResult:
        """Return the best documents for a query.

        Parameters
        ----------
        query : str
            Words; a part in quotation marks is a phrase that every document must contain.
        n : int
            Number of documents.
        ranker : TermDependenceRanker, optional
            How documents are ranked; by default, by terms and neighbouring pairs, and by times if they cluster.
        around : str, optional
            A period such as ``"2001-10"``, near which documents rank higher.
        width : int
            Number of characters of a snippet.
        """
        if n < 1 or width < 1:
            raise InvalidInput(f"n and width must be at least 1, not {n} and {width}")
        parsed = self.parse(query)
        ranker = TermDependenceRanker() if ranker is None else ranker
        ranking = ranker.rank(self, parsed, None if around is None else period_of(around))
        words = set(parsed.words)
        hits = []
        for document, score in zip(ranking.docs[:n].tolist(), ranking.scores[:n].tolist()):
            segment, number = self._place(document)
            time = np.datetime64(int(segment.times[number]), "us")
            shown = snippet(segment.text(number), words, self.tokenizer, width)
            hits.append(Hit(document, str(segment.ids[number].as_py()), time, score, shown))
        missing = sorted(word for word in words if all(segment.number(word) < 0 for segment in self.segments))
        notes = (f"no document contains: {', '.join(missing)}",) if missing else ()
        return SearchResult(tuple(hits), len(ranking.docs), ranking.used_time, ranking.notes + notes)

    def _place(self, document: int) -> tuple[Segment, int]:
        """Return the segment of a document and its number there."""
        if not 0 <= document < len(self):
            raise InvalidInput(f"there is no document {document}; the index has {len(self):,}")
        for segment in self.segments:
            if document < len(segment):
                return segment, document
            document -= len(segment)
        raise AssertionError("unreachable")

    def _built(self, stream: Stream) -> Iterator[Segment]:
        """Yield a segment for about every `BATCH_CHARACTERS` of text."""
        waiting: list[pa.RecordBatch] = []
        for batch in stream.batches():
            waiting.append(batch)
            if sum(part["text"].nbytes for part in waiting) >= BATCH_CHARACTERS:
                yield self._segment(pa.Table.from_batches(waiting))
                waiting = []
        if waiting:
            yield self._segment(pa.Table.from_batches(waiting))

    def _segment(self, table: pa.Table) -> Segment:
        ids, texts = (table[name].cast(pa.large_string()).combine_chunks() for name in ("id", "text"))
        return Segment.of(ids, times_of(table), texts, self.tokenizer)

    def _forget(self) -> None:
        """Drop values derived from the segments."""
        self._lengths = self._days = None
        self._length_scores, self._spreads = {}, {}


def _compacted(segments: list[Segment]) -> list[Segment]:
    """Merge segments until each is at least twice as large as the next, so that there are never many."""
    kept: list[Segment] = []
    for segment in segments:
        while kept and kept[-1].n_tokens < 2 * segment.n_tokens:
            segment = merged(kept.pop(), segment)
        kept.append(segment)
    return kept
