"""From a stream to its findings: the main job."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

import driftline
from driftline.analysis.bursts import describe_bursts, describe_intensities
from driftline.analysis.classifier_comparison import compare_classifiers
from driftline.analysis.curve_times import grid, iso, series
from driftline.analysis.cycles import describe_cycles, words_with_cycles
from driftline.analysis.dates import DateOptions, set_aside, used_times
from driftline.analysis.demanded_groups import demanded_groups
from driftline.analysis.drift import describe_drift
from driftline.analysis.few_labels import describe_few_labels
from driftline.analysis.findings import Findings, RejectedRecord, SourceSummary
from driftline.analysis.headlines.describe import author_groups, describe_headlines
from driftline.analysis.headlines.rules import DEFAULT_RULES, HeadlineRules
from driftline.analysis.items import items_of
from driftline.analysis.labels import describe_labels
from driftline.analysis.long_documents import describe_long_documents
from driftline.analysis.periods import characteristic_periods
from driftline.analysis.small_stream import FEWEST_DOCUMENTS, small_findings, too_small
from driftline.analysis.text_record import describe_preparation
from driftline.analysis.texts import texts_of
from driftline.analysis.topics import describe_topics
from driftline.analysis.truth import compare_with_truth
from driftline.analysis.volume import documents_per_day
from driftline.analysis.word_changes import changed_items, lasting_among_groups
from driftline.analysis.word_tests import WordTests
from driftline.analysis.words import describe_changed_words
from driftline.compute.compilation_notice import announce_compilation
from driftline.core.arrays import Datetimes
from driftline.core.errors import NoWords
from driftline.core.progress import announce
from driftline.datasets.newswire import SimulatedNewswire
from driftline.streams.corpus import Corpus
from driftline.streams.counted_documents import CountedDocuments
from driftline.streams.document_groups import document_groups, exchanged_groups
from driftline.streams.preparation import Prepared, prepare
from driftline.streams.stream import Stream
from driftline.streams.unit_counts import unit_counts
from driftline.text.tokenise import Tokenizer

N_POINTS = 160
"""Number of times at which curves are evaluated."""


def analyse(
    stream: Stream,
    *,
    title: str | None = None,
    source_kind: str = "auto",
    keep: Collection[str] | str = (),
    stop_words: Any = "auto",
    tokenizer: Tokenizer | None = None,
    bandwidth: Any = "auto",
    every: str | None = None,
    n_words: int = 60,
    unit: str = "auto",
    false_discovery_rate: float = 0.05,
    max_vocabulary: int = 30_000,
    keep_dates: Collection[str] | str = (),
    since: Any = None,
    until: Any = None,
    fewest_documents: int = FEWEST_DOCUMENTS,
    rules: HeadlineRules = DEFAULT_RULES,
    truth: SimulatedNewswire | None = None,
    random_state: int = 0,
) -> Findings:
    """Say what changed in a stream of dated documents, when, and how sure that is.

    Parameters
    ----------
    stream : Stream
        The documents, from `driftline.read`.
    title : str, optional
        What the report is called; by default the stream's name.
    source_kind : {"auto", "posts", "mail", "commits", "headlines", "prose"}
        What the documents are, which decides what of their text is not counted; ``"auto"`` finds out.
    keep : collection of str
        Kinds of things to count that would be left out (`driftline.streams.preparation.prepare`), or ``"all"``.
    stop_words : "auto", None, a language such as "de", or a collection of words
        Words that are not counted; ``"auto"`` takes those of the language that was found.
    tokenizer : Tokenizer, optional
        How text becomes words; by default lower-case words of two letters or more without the stop words. A tokenizer
        of your own brings its own stop words.
    bandwidth : number of days, duration such as "2w", or "auto"
        How wide a stretch of time a curve averages over; ``"auto"`` lets days that are left out choose, for every word.
    every : str, optional
        The calendar step of the periods, such as ``"1mo"``; by default about a dozen or fewer.
    n_words : int
        How many changed words are described; all are counted.
    unit : "auto", "day", "hour", "document", a duration such as "6h", "author", "source", "thread" or "label"
        What is exchanged in the tests and left out when bandwidths of curves are chosen: documents of one unit may
        share events. By default the day; where days are not independent given who writes
        (`driftline.analysis.demanded_groups`), the findings say besides how many lasting changes are more than the
        coming and going of authors or threads. With "author", "source", "thread" or "label" only those are lasting.
    false_discovery_rate : float
        The share of the words called lastingly changed that may be wrong.
    max_vocabulary : int
        Only the most frequent words are looked at.
    keep_dates : collection of "strays", "imports" and "future", or "all"
        Kinds of unusual dates that take part in curves and tests; by default such documents are set aside and listed.
    since, until : dates, optional
        The first and the last date that take part.
    fewest_documents : int
        Below this many documents nothing is claimed about change; volume, words and documents are shown.
    rules : HeadlineRules
        What makes a change a headline, how many stories are kept, and when a change is one of composition.
    truth : SimulatedNewswire, optional
        The truth of a simulated stream, to be laid beside what was found.
    random_state : int
        The seed of the permutations in the significance test.

    >>> weather = [
    ...     (f"2024-01-{day:02}", text)
    ...     for day in range(1, 29)
    ...     for text in ("rain again", "snow" if day < 15 else "sun")
    ... ]
    >>> findings = analyse(Stream.from_documents(weather), fewest_documents=50)
    >>> findings.source.n_documents, sorted(word.word for word in findings.changed_words)
    (56, ['snow', 'sun'])
    """
    announce_compilation()
    announce(f"Reading {stream.name} ...")
    title = title if title is not None else stream.name
    if not len(stream.table()):
        return small_findings(title, _summarise(stream), None, 0, fewest=fewest_documents)
    prepared = prepare(stream, source_kind=source_kind, keep=keep, stop_words=stop_words)
    used, dates = set_aside(prepared.documents, prepared.document_times, DateOptions(keep_dates, since, until))
    part = prepared.select(used)
    times = used_times(prepared.times, prepared.document_times, used)
    text = describe_preparation(prepared, kind_given=source_kind != "auto")
    counted = _count(part, tokenizer, max_vocabulary, min_df=2 if len(part) >= fewest_documents else 1)
    corpus = None if counted is None else counted.corpus
    source = _summarise(stream, times, corpus)
    if counted is None or corpus is None or too_small(corpus, fewest_documents):
        return small_findings(
            title, source, corpus, len(part), fewest=fewest_documents, times=times, dates=dates, text=text
        )
    announce(f"{len(corpus):,} documents, {corpus.counts.shape[1]:,} words; testing which words changed ...")
    told = counted.with_phrases()
    items = items_of(told, texts=part.counted)
    named = exchanged_groups(part.documents, unit)
    groups = None if named is None else named[items.document]
    group_name, unit = (None, unit) if groups is None else (unit, "auto")
    texts = texts_of(items, told, unit=unit)
    tests = changed_items(
        items,
        texts=texts,
        unit=unit,
        groups=groups,
        false_discovery_rate=false_discovery_rate,
        random_state=random_state,
    )
    beyond = None if groups is None else tests.lasting
    if groups is None and unit == "auto":
        demanded = demanded_groups(items, part.documents, random_state=random_state)
        if demanded is not None:
            group_name, codes = demanded
            beyond = lasting_among_groups(
                items, codes[items.document], false_discovery_rate=false_discovery_rate, random_state=random_state
            )
    announce("Following the words that did ...")
    when = grid(corpus.times, N_POINTS)
    by_unit = unit_counts(items.counts, times=items.times, unit=unit)
    cycles = words_with_cycles(by_unit, random_state=random_state)
    wrote = document_groups(part.documents, "author")
    measured = describe_headlines(
        told,
        items,
        tests,
        label_name=stream.columns.get("label") or "label",
        authors=None
        if wrote is None
        else author_groups(wrote.codes, wrote.names, stream.columns.get("author") or "author"),
        languages=prepared.language.codes,
        cycles=cycles,
        texts=texts,
        rules=rules,
    )
    shown = describe_changed_words(
        told,
        items,
        tests,
        when,
        bandwidth=bandwidth,
        unit=unit,
        n_words=n_words,
        n_examples=4,
        cycles=cycles,
        measured=measured,
    )
    of_words = tests.among(corpus.counts.shape[1])
    drift = describe_drift(told, items, of_words, when, bandwidth=bandwidth, unit=unit)
    announce("Describing topics, bursts, periods and labels ...")
    about = describe_topics(corpus, when, unit=unit, random_state=random_state)
    all_words = np.asarray(told.vocabulary.words)
    claimed = [str(word) for word in all_words[tests.columns[tests.ranking()]]]
    return Findings(
        title=title,
        source=source,
        volume=series(documents_per_day(times, when)),
        changed_words=shown,
        n_words_tested=len(tests.columns),
        n_words_changed=int(tests.changed.sum()),
        word_tests=WordTests.of(tests, groups=group_name, beyond=beyond),
        false_discovery_rate=false_discovery_rate,
        bandwidth_days=float(np.median([word.bandwidth_days for word in shown])) if shown else drift.bandwidth_days,
        drift=drift,
        periods=characteristic_periods(corpus, every=every, unit=unit),
        labels=describe_labels(
            corpus,
            items,
            texts,
            when,
            groups=groups,
            bandwidth=bandwidth,
            unit=unit,
            false_discovery_rate=false_discovery_rate,
            random_state=random_state,
        ),
        topics=about.topics,
        topic_changes=about.changes,
        bursts=describe_bursts(corpus, tests=of_words),
        intensities=describe_intensities(corpus, when, unit=unit),
        classifier=compare_classifiers(corpus, unit=unit),
        few_labels=describe_few_labels(corpus, unit=unit, random_state=random_state),
        long_documents=describe_long_documents(corpus, when, random_state=random_state),
        text=text,
        dates=dates,
        cycles=describe_cycles(cycles, by_unit, all_words, prepared.language.codes),
        truth=None if truth is None else compare_with_truth(truth, corpus, shown, claimed, when),
        headlines=measured.headlines,
        counted=items.noun,
        version=driftline.__version__,
    )


def _count(part: Prepared, tokenizer: Tokenizer | None, max_vocabulary: int, *, min_df: int) -> CountedDocuments | None:
    """Count the words; None if there is none that could be counted."""
    try:
        return part.count(tokenizer, min_df=min_df, max_features=max_vocabulary)
    except NoWords:
        return None


def _summarise(stream: Stream, times: Datetimes | None = None, corpus: Corpus | None = None) -> SourceSummary:
    """Say what was read; first and last are those of the `times` that take part."""
    named = stream.table()["label"].value_counts()
    sizes = dict(zip(named.field("values").to_pylist(), named.field("counts").to_pylist()))
    rejections = stream.rejections
    return SourceSummary(
        name=stream.name,
        n_documents=len(stream.table()),
        n_rejected=rejections.count,
        rejected_reasons={str(reason): int(count) for reason, count in rejections.reasons.items()},
        rejected_examples=[RejectedRecord(r.source, r.place, r.reason) for r in rejections.examples],
        first=iso(times.min()) if times is not None else "",
        last=iso(times.max()) if times is not None else "",
        n_words=0 if corpus is None else int(corpus.counts.sum()),
        vocabulary_size=0 if corpus is None else corpus.counts.shape[1],
        labels={name: int(sizes[name]) for name in (() if corpus is None else corpus.label_names)},
    )
