"""From a stream to its findings: the main job."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from driftline.analysis.all_findings import Findings, find_all
from driftline.analysis.context import Context, Options
from driftline.analysis.findings.dates import DateOptions
from driftline.analysis.findings.small_stream import FEWEST_DOCUMENTS
from driftline.analysis.headlines.rules import DEFAULT_RULES, HeadlineRules
from driftline.compute.compilation_notice import announce_compilation
from driftline.core.progress import announce
from driftline.datasets.newswire import SimulatedNewswire
from driftline.streams.stream import Stream
from driftline.text.tokenise import Tokenizer


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
        Only the most frequent words are analysed.
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
    options = Options(
        title=title,
        source_kind=source_kind,
        keep=keep,
        stop_words=stop_words,
        tokenizer=tokenizer,
        bandwidth=bandwidth,
        every=every,
        n_words=n_words,
        unit=unit,
        false_discovery_rate=false_discovery_rate,
        max_vocabulary=max_vocabulary,
        dates=DateOptions(keep_dates, since, until),
        fewest_documents=fewest_documents,
        rules=rules,
        truth=truth,
        random_state=random_state,
    )
    return find_all(Context(stream, options))
