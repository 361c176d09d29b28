"""What was found in a stream, as plain data: the one thing that report, service and command line show.

Every class is a frozen data class of plain values, so that `to_json` and `from_json` (in `analysis.serialise`) are
lossless. Times are ISO 8601 strings in UTC; curves are lists.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from driftline.analysis.burst_kinds import BurstKind
from driftline.analysis.cycle_findings import Cycle
from driftline.analysis.dates import DateFindings
from driftline.analysis.headline_findings import Headlines, Story, WordChange
from driftline.analysis.long_document_findings import LongDocuments
from driftline.analysis.shown_evidence import Example, Series
from driftline.analysis.small_stream_findings import SmallStream
from driftline.analysis.text_record import TextRecord
from driftline.analysis.word_tests import WordTests


@dataclass(frozen=True)
class RejectedRecord:
    """A record that could not be read: where it stands and why it was kept out."""

    source: str
    place: str
    reason: str


@dataclass(frozen=True)
class SourceSummary:
    """What was read, and what was not: `n_documents` + `n_rejected` is what was present."""

    name: str
    n_documents: int
    n_rejected: int
    rejected_reasons: dict[str, int]
    rejected_examples: list[RejectedRecord]
    first: str
    last: str
    n_words: int
    vocabulary_size: int
    labels: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ChangedWord:
    """A word whose use changed over time, beyond what chance and clumping explain.

    The curve and the rates are in documents (or passages, see `Findings.counted`) with the word per 1,000; the curve
    averages over `bandwidth_days` either side, and the word's `cycle` is taken out of it where there is one.
    `information` (nats) says how much of the stream the change explains and ranks the words; `q_value` is the
    false-discovery rate at which the word would still be found. `kind` is "lasting" (changed for longer than a unit,
    tested by exchanging whole units) or "event" (bunched in single units, most about `event_time`; tested as if
    documents were independent).
    """

    word: str
    pattern: Literal["rose", "fell", "peaked", "dipped", "varied"]
    information: float
    p_value: float
    q_value: float
    n_uses: int
    n_documents: int
    peak: str
    peak_rate: float
    mean_rate: float
    curve: Series
    examples: list[Example] = field(default_factory=list)
    kind: Literal["lasting", "event"] = "lasting"
    longer_than_a_week: bool | None = None
    event_time: str | None = None
    bandwidth_days: float = 0.0
    cycle: Literal["year", "week"] | None = None
    change: WordChange | None = None


@dataclass(frozen=True)
class FastPeriod:
    """A stretch in which the language as a whole moved fast, and the words that moved most in it.

    `times_noise_floor` is how far above chance it moved, 20 at most.
    """

    start: str
    end: str
    peak: str
    speed: float
    times_noise_floor: float
    rising: list[str]
    falling: list[str]


@dataclass(frozen=True)
class DriftSpeed:
    """How fast the shares of documents that hold the changed words moved, against its noise floor.

    The speed is the norm of the derivative of the shares, a day. There is none with fewer than 40 units.
    """

    curve: Series
    noise_floor: list[float | None]
    bandwidth_days: float
    fastest: list[FastPeriod]


@dataclass(frozen=True)
class CharacteristicWord:
    """A word used more in one period than elsewhere: uses per 10,000 words inside and outside, and a z-score."""

    word: str
    rate_inside: float
    rate_outside: float
    score: float


@dataclass(frozen=True)
class Period:
    """What one stretch of time was about, in its own words.

    The words are more frequent in it than whole `unit`s in random order explain; the unit is "document" where there are
    too few days, and then nothing is allowed for that documents of one day share.
    """

    start: str
    end: str
    n_documents: int
    words: list[CharacteristicWord]
    examples: list[Example] = field(default_factory=list)
    unit: str = "day"


@dataclass(frozen=True)
class LabelFindings:
    """The same questions asked of the documents of one label."""

    label: str
    n_documents: int
    volume: Series
    changed_words: list[ChangedWord]
    periods: list[Period]


@dataclass(frozen=True)
class IntensityBurst:
    """A stretch in which a label or a topic brought far more documents than it usually does.

    `level` counts steps above the usual rate, each of a factor of two; a burst inside a milder one has the higher
    level. `weight` is how much likelier (in nats) the burst makes what was seen, `probability` how sure it is, on
    average over its documents, that the rate was so high: a lower bound, if documents come independently of each other.
    `kind` does not rest on that: "event" is a burst of a single day, "lasting" one of several days that outlasts what
    the same days in random order would show, "unconfirmed" one of several days that does not.
    """

    start: str
    end: str
    level: int
    weight: float
    probability: float
    n_documents: int
    kind: BurstKind | None = None


@dataclass(frozen=True)
class TopicFinding:
    """One topic: its words, the share of all words that it wrote over time, and documents that are about it.

    Bands and p-values hold given these topics: the error in the topics themselves is not in them.
    `trend` is how much the share changed over the whole span along a straight line; `movement` is "rises" or "falls"
    where that is significant at a false-discovery rate of 5 % among the topics. `intensity` is how many documents a day
    were mostly about it, and `bursts` are when those were many.
    """

    words: list[str]
    share: float
    trend: float
    p_value: float
    movement: Literal["rises", "falls", "holds"]
    curve: Series
    examples: list[Example] = field(default_factory=list)
    intensity: Series | None = None
    bursts: list[IntensityBurst] = field(default_factory=list)


@dataclass(frozen=True)
class TopicChange:
    """A topic that came or went, split or merged, from the first half of the documents to the second.

    `earlier` and `later` are the words of the topics concerned, `overlap` how much their words agree (1: wholly), and
    `when` parts the halves. By convention, not by test: see `topic_lineage`.
    """

    kind: Literal["born", "died", "split", "merged"]
    earlier: list[list[str]]
    later: list[list[str]]
    overlap: float
    when: str


@dataclass(frozen=True)
class WordBurst:
    """A stretch in which a word was used far more than usual.

    `level` is how intense: at level i the word is in 2ⁱ times its usual share of the documents. A burst inside a
    milder one of the same word has the higher level. `weight` is how much likelier (in nats) the burst makes what was
    seen, if documents are independent. `kind` is "event" for a burst of a single day, "lasting" for one of several days
    of a word that changed for longer than a day, "unconfirmed" for the others, and None where words were not tested.
    """

    word: str
    start: str
    end: str
    level: int
    weight: float
    n_documents: int
    kind: BurstKind | None = None


@dataclass(frozen=True)
class LabelIntensity:
    """How many documents a day a label brings, as a rate that jumps between levels, with its band, and its bursts."""

    label: str
    curve: Series
    bursts: list[IntensityBurst] = field(default_factory=list)


@dataclass(frozen=True)
class MovedWord:
    """A word whose meaning for a label moved: the classifier's coefficient over time, in favour of `label`."""

    word: str
    label: str
    movement: float
    curve: Series


@dataclass(frozen=True)
class ClassifierFindings:
    """Does a classifier that follows the drift beat one that ignores it?

    Both are logistic regressions, fitted to the same documents and asked about the same `n_tested` others, spread
    over the whole span; every setting is chosen without looking at those. `p_value` exchanges the errors of
    the two day by day (McNemar's test, if documents of one day were independent). `bandwidth_days` is
    None when the choice fell on ignoring the drift.
    """

    labels: list[str]
    n_fitted: int
    n_tested: int
    error_ignoring_drift: float
    error_following_drift: float
    p_value: float
    bandwidth_days: float | None
    words: list[MovedWord]


@dataclass(frozen=True)
class ForeseenFrame:
    """One time step of a classifier that lives on few labels; None is what cannot be known.

    `accuracy`, with a 95 % band, is the share of `n_tested` labels that it got right without having seen them;
    `most_frequent` is what the most frequent label so far would have got right.
    """

    start: str
    end: str
    n_documents: int
    n_learned: int
    n_tested: int
    accuracy: float | None
    lower: float | None
    upper: float | None
    most_frequent: float | None


@dataclass(frozen=True)
class Suggestion:
    """A document worth labelling, with the label it would be given so far."""

    example: Example
    label: str
    probability: float


@dataclass(frozen=True)
class FewLabelsFindings:
    """What can be done with few labels: how right a classifier is that goes along with the stream, what to label next.

    `labels_per_frame` is None where few documents have a label: then each label is foreseen from the frames before, and
    learned afterwards. Where most have one, only so many a frame are learned, and the others asked for. The `words` are
    judged by the labelled documents alone, with one in twenty called wrongly.
    """

    labels: list[str]
    n_documents: int
    n_labelled: int
    n_learned: int
    labels_per_frame: int | None
    every: str
    frames: list[ForeseenFrame]
    words: list[MovedWord]
    suggestions: list[Suggestion]


@dataclass(frozen=True)
class Truth:
    """What a simulated stream really did, drawn beside what was found."""

    curves: dict[str, Series]
    changed: list[str]
    bursts: list[tuple[str, str, str]]
    found: list[str]
    missed: list[str]
    false_alarms: list[str]
    band_coverage: float | None = None


@dataclass(frozen=True)
class Findings:
    """Everything that was found in one stream.

    `volume` counts documents a day. `changed_words` are the significant ones, lasting changes first, the most
    informative first; `n_words_tested` were put to the test, `n_words_changed` are lasting or events, and `word_tests`
    says which of them the `false_discovery_rate` holds for. Word curves count what `counted` names, ``"documents"`` or
    ``"passages"``, and average over about `bandwidth_days` either side. `dates` says which documents took no part
    because of their dates; `small` is there when the stream is too small for any claim.
    """

    title: str
    source: SourceSummary
    volume: Series
    changed_words: list[ChangedWord]
    n_words_tested: int
    n_words_changed: int
    false_discovery_rate: float
    bandwidth_days: float
    drift: DriftSpeed
    periods: list[Period]
    labels: list[LabelFindings] = field(default_factory=list)
    topics: list[TopicFinding] = field(default_factory=list)
    topic_changes: list[TopicChange] = field(default_factory=list)
    bursts: list[WordBurst] = field(default_factory=list)
    intensities: list[LabelIntensity] = field(default_factory=list)
    classifier: ClassifierFindings | None = None
    few_labels: FewLabelsFindings | None = None
    long_documents: LongDocuments | None = None
    text: TextRecord | None = None
    truth: Truth | None = None
    headlines: Headlines = field(default_factory=Headlines)
    word_tests: WordTests | None = None
    counted: str = "documents"
    dates: DateFindings | None = None
    cycles: list[Cycle] = field(default_factory=list)
    small: SmallStream | None = None
    version: str = ""

    @property
    def stories(self) -> list[Story]:
        """The large changes, most important first; words that changed together in the same documents are one story."""
        return self.headlines.stories
