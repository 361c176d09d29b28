"""A stream prepared for counting: text that is not prose is left out, and recorded."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypedDict, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Bools, Ints
from driftline.core.days_of_dates import unchangeable
from driftline.core.errors import InvalidInput
from driftline.core.progress import announce
from driftline.streams.corpus import Corpus
from driftline.streams.counted_documents import CountedDocuments, count_documents
from driftline.streams.duplicates import find_duplicates
from driftline.streams.stream import Stream
from driftline.streams.unusual_dates import unusual_dates
from driftline.text.boilerplate import drop_boilerplate
from driftline.text.cleaning import clean_batch
from driftline.text.frequency import WordLimits
from driftline.text.languages import Language, find_language
from driftline.text.left_out import LeftOut, Tally, checked_keep
from driftline.text.passages import drop_passages
from driftline.text.rows import batches
from driftline.text.source_kinds import SourceKind, checked_kind, find_source_kind
from driftline.text.stopwords import StopWordChoice, stop_words_for
from driftline.text.tokenise import Tokenizer


@dataclass(frozen=True, eq=False)
class Prepared:
    """Documents in time order, with their texts as written and the counted part of each.

    `documents` is a table of `driftline.streams.schema.SCHEMA` without duplicates; `counted` has one text per row of
    it. `times` are those of all documents that were read, with duplicates: the basis of the volume. `n_empty` is the
    number of documents without any text left to count; they are kept.

    >>> texts = ["A storm hits the coast http://t.co/x", "A storm hits the coast http://t.co/y"]
    >>> stream = Stream.from_documents(zip(["2015-03-01", "2015-03-02"], texts))
    >>> prepared = prepare(stream)
    >>> len(prepared), [(left.kind, left.n) for left in prepared.left_out]
    (1, [('urls', 2), ('duplicates', 1)])
    >>> prepared.corpus().texts.to_pylist()
    ['A storm hits the coast http://t.co/x']
    """

    documents: pa.Table
    counted: pa.ChunkedArray
    times: np.ndarray
    source_kind: SourceKind
    language: Language
    stop_words: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    n_empty: int

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def document_times(self) -> np.ndarray:
        """The times of the counted documents: datetime64[us] in UTC, read-only."""
        return unchangeable(pc.local_timestamp(self.documents["time"]).to_numpy())

    def summary(self) -> str:
        """Return one sentence on the kind of the documents, and what was left out of them.

        >>> stream = Stream.from_documents([("2015-03-01", "a storm hits the coast, see http://example.org")])
        >>> print(prepare(stream, source_kind="posts").summary())
        1 document read as posts (en); not counted: 1 urls.
        """
        left_out = ", ".join(f"{left.n:,} {left.kind}" for left in self.left_out)
        languages = " and ".join(self.language.codes) or self.language.unspaced or "language not recognised"
        return (
            f"{len(self.times):,} document{'s' * (len(self.times) != 1)} read as {self.source_kind.kind} ({languages})"
            f"{'; not counted: ' * bool(left_out)}{left_out}."
        )

    def select(self, rows: Ints | Bools) -> Prepared:
        """Return some of the documents, by a mask or row numbers; the record remains that of all."""
        chosen = np.flatnonzero(rows) if np.asarray(rows).dtype == np.bool_ else np.asarray(rows)
        if len(chosen) == len(self) and (chosen == np.arange(len(self))).all():
            return self
        index = pa.array(chosen)
        return replace(self, documents=self.documents.take(index), counted=self.counted.take(index))

    def count(self, tokenizer: Tokenizer | None = None, **limits: Unpack[WordLimits]) -> CountedDocuments:
        """Count words, phrases and stop words; the corpus keeps the full texts.

        Without a tokenizer, words are those of `Tokenizer` without the selected stop words. `limits` are `min_df`,
        `max_df` and `max_features`, for the words of the corpus.
        """
        tokenizer = Tokenizer(stop_words=self.stop_words) if tokenizer is None else tokenizer
        return count_documents(self.documents, self.counted, tokenizer, **limits)

    def corpus(self, tokenizer: Tokenizer | None = None, **limits: Unpack[WordLimits]) -> Corpus:
        """Return the corpus of `count` alone."""
        return self.count(tokenizer, **limits).corpus


class Preparation(TypedDict, total=False):
    """The options of `prepare`."""

    source_kind: str
    keep: Collection[str] | str
    stop_words: StopWordChoice


def prepare(
    stream: Stream,
    *,
    source_kind: str = "auto",
    keep: Collection[str] | str = (),
    stop_words: StopWordChoice = "auto",
) -> Prepared:
    """Read a stream and leave out text that should not be counted.

    Parameters
    ----------
    stream : Stream
        The documents, from `driftline.read`.
    source_kind : {"auto", "posts", "mail", "commits", "headlines", "prose", "logs"}
        Kind of documents; ``"auto"`` is that of the stream's source, such as a git log, or is detected from at most
        2,000 documents.
    keep : collection of str
        Kinds of text to count that are left out by default, such as ``["urls", "duplicates"]``, or ``"all"``; the names
        are those of `driftline.text.left_out.DESCRIPTIONS`.
    stop_words : "auto", None, a language such as "de", or a collection of words
        Words that are not counted; ``"auto"`` uses those of the detected language.
    """
    kept = checked_keep(keep)
    checked_kind(source_kind)
    stop_words_for(stop_words, ())  # an unknown option is an error before anything is read
    everything = stream.table()
    if not len(everything):
        raise InvalidInput(f"there is no document in {stream!r}")
    columns = {"column": stream.columns.get("text", ""), "id_column": stream.columns.get("id", "")}
    kind = find_source_kind(everything["text"], ids=everything["id"], **columns)
    known = stream.source_kind if source_kind == "auto" else source_kind
    if known is not None:
        kind = kind._replace(kind=known)
    tally = Tally()
    cleaned = [clean_batch(batch, kind.kind, kept, tally) for batch in batches(everything["text"])]
    documents, counted = everything, pa.chunked_array(cleaned, pa.large_string())
    if kind.kind == "logs":  # a program writes the same line again because the same thing has happened again
        kept |= {"duplicates", "boilerplate", "passages"}
    if "duplicates" not in kept:
        documents, counted = _without_duplicates(documents, counted, tally)
    if "boilerplate" not in kept:
        counted = drop_boilerplate(counted, kind.kind, tally)
    if "passages" not in kept:
        counted = drop_passages(counted, tally)
    language = find_language(counted)
    prepared = Prepared(
        documents=documents,
        counted=counted,
        times=pc.local_timestamp(everything["time"]).to_numpy(),
        source_kind=kind,
        language=language,
        stop_words=stop_words_for(stop_words, language.codes),
        left_out=tally.finish(),
        n_empty=pc.sum(pc.equal(pc.binary_length(pc.utf8_trim_whitespace(counted)), 0), min_count=0).as_py(),
    )
    announce(prepared.summary())
    return prepared


def _without_duplicates(
    documents: pa.Table, counted: pa.ChunkedArray, tally: Tally
) -> tuple[pa.Table, pa.ChunkedArray]:
    times = pc.local_timestamp(documents["time"]).to_numpy()
    repeated = np.zeros(len(times), dtype=np.bool_)
    imported = unusual_dates(times).imported
    for part in (~imported, imported):  # a copy dated by an import must not displace one with a real date
        repeated[part] = find_duplicates(counted.filter(pa.array(part)), times[part])
    if not repeated.any():
        return documents, counted
    where = np.flatnonzero(repeated)
    tally.add(
        "duplicates", "document", len(where), len(where), documents["text"].take(pa.array(where[:20])).to_pylist()
    )
    kept = pa.array(~repeated)
    return documents.filter(kept), counted.filter(kept)
