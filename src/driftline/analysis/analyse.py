"""From a stream to its findings: the main analysis."""

from __future__ import annotations

from collections.abc import Collection

from driftline.analysis.all_findings import Findings, find_all
from driftline.analysis.context import Context, Options
from driftline.analysis.findings.dates import DateOptions
from driftline.analysis.findings.small_stream import FEWEST_DOCUMENTS
from driftline.analysis.headlines.rules import DEFAULT_RULES, HeadlineRules
from driftline.compute.compilation_notice import announce_compilation
from driftline.core.display import one_line
from driftline.core.progress import announce
from driftline.core.times import Duration, Moment
from driftline.datasets.newswire import SimulatedNewswire
from driftline.guidance import Guide
from driftline.streams.any_source import stream_of
from driftline.streams.stream import Stream
from driftline.text.stopwords import StopWordChoice
from driftline.text.tokenise import Tokenizer

_ROLES = ("time", "text", "label")
_LONGEST_NAME = 60


def analyse(
    stream: object,
    *,
    title: str | None = None,
    source_kind: str = "auto",
    keep: Collection[str] | str = (),
    stop_words: StopWordChoice = "auto",
    tokenizer: Tokenizer | None = None,
    bandwidth: Duration = "auto",
    every: str | None = None,
    n_words: int = 60,
    unit: str = "auto",
    false_discovery_rate: float = 0.05,
    max_vocabulary: int = 30_000,
    keep_dates: Collection[str] | str = (),
    since: Moment | None = None,
    until: Moment | None = None,
    fewest_documents: int = FEWEST_DOCUMENTS,
    rules: HeadlineRules = DEFAULT_RULES,
    truth: SimulatedNewswire | None = None,
    random_state: int = 0,
    guide: Guide | None = None,
    numbers: bool = True,
) -> Findings:
    """Find what changed in a stream of dated documents, when, and how certain that is.

    Parameters
    ----------
    stream : Stream, Corpus, path, data frame or list of records
        The documents: a stream, a corpus that kept its texts, or anything that `driftline.read` reads.
    title : str, optional
        Title of the report; by default the stream's name.
    source_kind : {"auto", "posts", "mail", "commits", "headlines", "prose", "logs"}
        Kind of documents, which determines the text that is not counted; ``"auto"`` detects it.
    keep : collection of str
        Kinds of text to count that are left out by default (`driftline.streams.preparation.prepare`), or ``"all"``.
    stop_words : "auto", None, a language such as "de", or a collection of words
        Words that are not counted; ``"auto"`` uses those of the detected language.
    tokenizer : Tokenizer, optional
        How text becomes words; by default lower-case words of two letters or more without the stop words. A custom
        tokenizer has its own stop words.
    bandwidth : number of days, duration such as "2w", or "auto"
        Time span over which a curve averages; ``"auto"`` selects it for every word by cross-validation over days.
    every : str, optional
        Calendar step of the periods, such as ``"1mo"``; by default about a dozen periods or fewer.
    n_words : int
        Number of changed words to describe; all are counted.
    unit : "auto", "day", "hour", "document", a duration such as "6h", "author", "source", "thread" or "label"
        Unit permuted in the tests and held out when the bandwidths of curves are selected: documents of one unit may
        share events. With "author", "source", "thread" or "label", whole groups of these are permuted as well as days,
        and only changes among both are lasting; the others are marked as possibly due to groups that joined or left.
        The default is the coarsest unit that the documents require: days, and also authors or threads if days are not
        independent given these (`driftline.local.changed_words.demanded_groups`).
    false_discovery_rate : float
        False discovery rate of the lastingly changed words.
    max_vocabulary : int
        Number of most frequent words to analyse.
    keep_dates : collection of "strays", "imports" and "future", or "all"
        Kinds of unusual dates to include in curves and tests; by default such documents are excluded and listed.
    since, until : dates, optional
        The first and the last date to include.
    fewest_documents : int
        Minimum number of documents for claims about change; with fewer, only volume, words and documents are shown.
    rules : HeadlineRules
        Criteria for headlines, the number of stories, and criteria for changes of composition.
    truth : SimulatedNewswire, optional
        The truth of a simulated stream, to be compared with the findings.
    random_state : int
        The seed of the permutations in the significance test.
    guide : Guide, optional
        Wishes about topics; its topics are reported by name, and a wish that was not heeded is a finding.
    numbers : bool
        Whether findings may be about numbers, such as 2003 or 21st; they are never headlines, and lists have words
        first. Without them they are counted, and can be looked up in the page, but are not tested.

    >>> from driftline import Stream
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
    opened = stream_of(stream)
    announce(f"Reading {_described(opened)} ...")
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
        guide=guide,
        numbers=numbers,
    )
    return find_all(Context(opened, options))


def _described(stream: Stream) -> str:
    """Return the name of the stream, with the columns in which its time, text and label were found.

    >>> from driftline import Stream
    >>> _described(Stream.from_documents([("2024-01-01", "snow")])), _described(
    ...     Stream(list, name="a.csv", columns={"time": "sent", "text": "body", "id": "no"})
    ... )
    ('documents', 'a.csv (time: sent; text: body)')
    """
    found = [f"{role}: {one_line(column, _LONGEST_NAME)}" for role, column in stream.columns.items() if role in _ROLES]
    return f"{stream.name} ({'; '.join(found)})" if found else stream.name
