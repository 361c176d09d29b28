"""Shared input of all findings: documents, counts, units and tests of a stream, each computed once on demand."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from driftline.analysis.changed_items import changed_items
from driftline.analysis.curve_times import grid
from driftline.analysis.finding import Finding
from driftline.analysis.findings.cycles import words_with_cycles
from driftline.analysis.findings.dates import DateFindings, DateOptions, set_aside, used_times
from driftline.analysis.findings.small_stream import FEWEST_DOCUMENTS, too_small
from driftline.analysis.headlines.measured_headlines import author_groups, describe_headlines
from driftline.analysis.headlines.rules import DEFAULT_RULES, HeadlineRules
from driftline.analysis.headlines.story_headlines import Found
from driftline.analysis.items import Items, items_of
from driftline.analysis.reported_words import is_reported, without_other_words
from driftline.analysis.stream_time import StreamTime
from driftline.analysis.texts import texts_of
from driftline.core.arrays import Bools, Datetimes, Ints
from driftline.core.days_of_dates import unchangeable
from driftline.core.errors import NoWords
from driftline.core.freed_memory import release_memory
from driftline.core.progress import announce
from driftline.core.times import Duration
from driftline.datasets.newswire import SimulatedNewswire
from driftline.guidance import Guide
from driftline.local.changed_words.discovery import ChangedWords
from driftline.local.reading.word_cycles import Cycles
from driftline.streams.corpus import Corpus
from driftline.streams.counted_documents import CountedDocuments
from driftline.streams.document_groups import document_groups, exchanged_groups
from driftline.streams.exchange import FEWEST_FOR_LASTING, exchange_units
from driftline.streams.preparation import Prepared, prepare
from driftline.streams.stream import Stream
from driftline.streams.unit_counts import UnitCounts, unit_counts
from driftline.streams.units import Units
from driftline.text.stopwords import StopWordChoice
from driftline.text.tokenise import Tokenizer

T = TypeVar("T")

UNITS_TO_CHOOSE = ("author", "thread")
"""Columns whose groups may be the default unit, the coarser first."""
N_POINTS = 160
"""Number of times at which curves are evaluated."""
N_POINTS_OF_SMALL = 60
"""Number of times at which the volume of a small stream is evaluated."""


class Options(NamedTuple):
    """The options of `analyse`, under the names of its parameters."""

    title: str | None = None
    source_kind: str = "auto"
    keep: Collection[str] | str = ()
    stop_words: StopWordChoice = "auto"
    tokenizer: Tokenizer | None = None
    bandwidth: Duration = "auto"
    every: str | None = None
    n_words: int = 60
    unit: str = "auto"
    false_discovery_rate: float = 0.05
    max_vocabulary: int = 30_000
    dates: DateOptions = DateOptions()
    fewest_documents: int = FEWEST_DOCUMENTS
    rules: HeadlineRules = DEFAULT_RULES
    truth: SimulatedNewswire | None = None
    random_state: int = 0
    guide: Guide | None = None
    numbers: bool = True


class Context:
    """A stream under analysis; ``context[DRIFT]`` is the value of a finding that another one builds on.

    Streams that are too small for claims (`is_small`) may have no `counted` words, and empty ones (`is_empty`) have no
    prepared documents either; findings of small streams must check this first.
    """

    def __init__(self, stream: Stream, options: Options | None = None) -> None:
        self.stream = stream
        self.options = Options() if options is None else options
        self._values: dict[Callable[[Context], Any], Any] = {}

    def __getitem__(self, finding: Finding[T]) -> T:
        """Return the value of a finding, computed once."""
        return self.once(finding.value)

    def once(self, step: Callable[[Context], T]) -> T:
        """Return the result of a step for this context, computed once for all findings."""
        if step not in self._values:
            self._values[step] = step(self)
            release_memory()
        value: T = self._values[step]
        return value

    @property
    def is_empty(self) -> bool:
        """Whether the stream has no documents."""
        return not len(self.stream.table())

    @cached_property
    def is_small(self) -> bool:
        """Whether the stream is too small for claims about change."""
        return self.counted is None or too_small(self.counted.corpus, self.options.fewest_documents)

    @cached_property
    def prepared(self) -> Prepared:
        """All documents, with their counted text."""
        options = self.options
        found = prepare(self.stream, source_kind=options.source_kind, keep=options.keep, stop_words=options.stop_words)
        release_memory()
        return found

    @cached_property
    def parted(self) -> tuple[Bools, DateFindings]:
        """The prepared documents that are included, and a record of the others."""
        return set_aside(self.prepared.documents, self.prepared.document_times, self.options.dates)

    @cached_property
    def part(self) -> Prepared:
        """The documents that are included."""
        return self.prepared.select(self.parted[0])

    @cached_property
    def times(self) -> Datetimes:
        """The times of the included documents, with duplicates."""
        if self.is_empty:
            return np.empty(0, dtype="datetime64[us]")
        return unchangeable(used_times(self.prepared.times, self.prepared.document_times, self.parted[0]))

    @cached_property
    def counted(self) -> CountedDocuments | None:
        """The words, phrases and stop words of the documents; None if there is nothing to count."""
        if self.is_empty:
            return None
        options = self.options
        min_df = 2 if len(self.part) >= options.fewest_documents else 1
        try:
            found = self.part.count(options.tokenizer, min_df=min_df, max_features=options.max_vocabulary)
        except NoWords:
            return None
        release_memory()
        return found

    @cached_property
    def corpus(self) -> Corpus:
        """The words of the included documents."""
        if self.counted is None:
            raise NoWords(f"there is no word to count in {self.stream.name}; check for counted words first")
        return self.counted.corpus

    @cached_property
    def with_phrases(self) -> Corpus:
        """The words, then phrases and stop words, of the same documents."""
        if self.counted is None:
            raise NoWords(f"there is no word to count in {self.stream.name}; check for counted words first")
        return self.counted.with_phrases()

    @cached_property
    def is_reported(self) -> Bools:
        """A mask of the words, phrases and stop words of findings: numbers only if the options include them."""
        return is_reported(self.with_phrases.vocabulary.words, numbers=self.options.numbers)

    @cached_property
    def reported(self) -> Corpus:
        """The corpus of single words, with empty columns for those that are not reported."""
        return replace(self.corpus, counts=without_other_words(self.corpus.counts, self.is_reported))

    @cached_property
    def reported_items(self) -> Items:
        """The items, with empty columns for the words that are not reported."""
        return self.items._replace(counts=without_other_words(self.items.counts, self.is_reported))

    @cached_property
    def when(self) -> Datetimes:
        """The times at which curves are evaluated."""
        if self.is_small:
            return unchangeable(grid(self.times, N_POINTS_OF_SMALL))
        return unchangeable(grid(self.corpus.times, N_POINTS))

    @cached_property
    def items(self) -> Items:
        """The items that word curves count: documents, or passages of long documents."""
        return items_of(self.with_phrases, texts=self.part.counted)

    @cached_property
    def groups(self) -> dict[str, Ints]:
        """The authors and threads of the items, or the groups that are the requested unit; one number per item."""
        documents, unit = self.part.documents, self.options.unit
        named = exchanged_groups(documents, unit)
        if named is not None:
            return {unit: named[self.items.document]}
        if unit != "auto":
            return {}
        found = {column: document_groups(documents, column) for column in UNITS_TO_CHOOSE}
        enough = {column: each for column, each in found.items() if each and len(each.names) >= FEWEST_FOR_LASTING}
        return {column: each.alone_where_unknown()[self.items.document] for column, each in enough.items()}

    @property
    def unit(self) -> str:
        """The unit of time that is permuted; groups are permuted within the default one."""
        return "auto" if self.options.unit in self.groups else self.options.unit

    @cached_property
    def units(self) -> Units:
        """The unit of exchange of every document."""
        return exchange_units(self.corpus.times, unit=self.unit)

    @cached_property
    def stream_time(self) -> StreamTime:
        """The time in which rates are measured."""
        return StreamTime.of(self.corpus.times, self.units.kind)

    @cached_property
    def item_units(self) -> Units:
        """The unit of exchange of every item."""
        return self.units if self._items_are_documents else exchange_units(self.items.times, unit=self.unit)

    @cached_property
    def texts(self) -> Ints:
        """The text number of each item; near-copies share one."""
        return texts_of(self.items, self.with_phrases, unit=self.units if self._items_are_documents else self.unit)

    @property
    def _items_are_documents(self) -> bool:
        return np.array_equal(self.items.times, self.corpus.times)

    @cached_property
    def tests(self) -> ChangedWords:
        """The test of every word and phrase for change."""
        corpus, options = self.corpus, self.options
        announce(f"{len(corpus):,} documents, {corpus.counts.shape[1]:,} words; testing which words changed ...")
        return changed_items(
            self.reported_items,
            texts=self.texts,
            unit=self.options.unit if self.groups else self.item_units,
            groups=self.groups,
            false_discovery_rate=options.false_discovery_rate,
            random_state=options.random_state,
        )

    @cached_property
    def word_tests(self) -> ChangedWords:
        """The tests of single words, without those of phrases and stop words."""
        return self.tests.among(self.corpus.counts.shape[1])

    @cached_property
    def by_unit(self) -> UnitCounts:
        """The number of items of each unit that contain each word and phrase."""
        return unit_counts(self.items.counts, times=self.items.times, unit=self.unit)

    @cached_property
    def cycles(self) -> list[Cycles]:
        """The words with a yearly or a weekly cycle."""
        return words_with_cycles(self.by_unit, random_state=self.options.random_state)

    @cached_property
    def measured(self) -> Found:
        """The measured changes of the significant words, and the headlines among them."""
        wrote, columns = document_groups(self.part.documents, "author"), self.stream.columns
        authors = None if wrote is None else author_groups(wrote.codes, wrote.names, columns.get("author") or "author")
        return describe_headlines(
            self.with_phrases,
            self.items,
            self.tests,
            label_name=columns.get("label") or "label",
            authors=authors,
            languages=self.prepared.language.codes,
            cycles=self.cycles,
            texts=self.texts,
            rules=self.options.rules,
        )
