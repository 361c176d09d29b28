"""Labels for every document of a stream from a few labels, frame by frame, continuing where the last file ended."""

from __future__ import annotations

import copy
import datetime
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.base.estimator import DriftEstimator
from driftline.base.state_layout import Array, Layout, Number, Part, Table
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.pictures import Bars, Picture
from driftline.core.progress import track
from driftline.core.results import Columns, Result, Results, counted
from driftline.labelling.growing_vocabulary import FrameLearner
from driftline.labelling.known_documents import OPEN_SCHEMA, ClosedDocuments, gather
from driftline.streams.frames import frame_bounds
from driftline.streams.reorder import sort_by_time, times_of
from driftline.streams.schema import SCHEMA
from driftline.text.tokenise import Tokenizer

ANSWERS = pa.schema(
    [
        ("id", pa.string()),
        ("time", SCHEMA.field("time").type),
        ("frame", SCHEMA.field("time").type),
        ("label", pa.string()),
        ("probability", pa.float64()),
        ("given", pa.bool_()),
    ]
)
"""Schema of the answers: the start of a document's frame, its label, the label's probability, and whether it was given.

Label and probability are null as long as no document has a label.
"""
LONG_AGO = -(2**63)
MOST_LABELS = 1000
"""Largest number of distinct labels."""


@dataclass(frozen=True)
class LabelledFrame:
    """One frame in numbers; None means unknown.

    `predicted` is the share of its labels that were predicted correctly before they were learned, `expected` the mean
    probability of the labels of the other documents, and `right` the share of them that is correct, among the
    `n_tested` whose true label is known.
    """

    start: np.datetime64
    n_documents: int
    n_labelled: int
    predicted: float | None
    expected: float | None
    right: float | None = None
    n_tested: int = 0

    @property
    def foreseen(self) -> float | None:
        """The former name of `predicted`."""
        warnings.warn("LabelledFrame.foreseen is now called predicted", FutureWarning, stacklevel=2)
        return self.predicted


@dataclass(frozen=True)
class SuggestedDocument:
    """A document worth labelling, with its current label, and the probability of each of `Labelling.labels`."""

    id: str
    time: datetime.datetime
    text: str
    label: str | None
    probability: float | None
    probabilities: tuple[float, ...] = ()


@dataclass(frozen=True, repr=False)
class Labelling(Result):
    """The results for a further set of documents.

    `answers` (of the schema `ANSWERS`) has every document of the learned frames: the new frames, and the one that was
    left open before. `late_labels` are labels of documents in closed frames; they are learned with the open frame.
    """

    answers: pa.Table
    frames: Results[LabelledFrame]
    suggestions: Results[SuggestedDocument]
    labels: list[str]
    since: np.datetime64 | None
    """Start of the first open frame, None if there is none; answers for earlier frames are final."""
    n_before: int
    """Number of documents in earlier frames."""
    n_new: int
    n_repeated: int
    n_late: int
    n_new_labels: int
    late_labels: dict[str, str] = field(default_factory=dict)

    def _columns(self) -> Columns:
        return {name: self.answers[name] for name in self.answers.column_names}

    def _summary(self) -> str:
        frames, labels = counted(len(self.frames), "frame"), counted(len(self.labels), "label")
        return f"{counted(len(self.answers), 'document')} in {frames}, {labels}, {len(self.suggestions)} suggestions"

    def _picture(self) -> Picture:
        numbers = Counter(self.answers["label"].to_pylist())
        known = [(label, n) for label, n in numbers.most_common() if label is not None]
        return Bars([label for label, _ in known], np.array([float(n) for _, n in known]), "documents")


class StreamLabeller(DriftEstimator):
    """Label every document of a stream from a few labels, and suggest which to label next.

    Documents arrive in any number of files; learning continues from one to the next. The last frame of a file stays
    open: documents and labels of the next file may still belong to it, and it is then learned again, so that two
    consecutive files give the same result as one file with both. Documents are identified by their ids: a repeated one
    is not counted twice, but its label is used.

    A new document of a closed frame is labelled with the open frame. Documents before the first label are labelled once
    it arrives; until then their frames stay open.

    Parameters
    ----------
    every : str
        The length of a frame: a calendar step such as ``"1mo"`` or ``"1w"``; see `driftline.streams.frames`.
    tokenizer : Tokenizer, optional
        The rules for splitting text into words; by default lower-case words of at least two letters without English
        stop words.
    min_df : int
        Minimum number of documents with a word for it to count.
    n_jobs : int or None
        Number of threads of the neighbour search; the result does not depend on it.

    >>> from driftline.streams.stream import Stream
    >>> labeller = StreamLabeller(every="1mo")
    >>> january = [("1", "2024-01-03", "rain and wind", "weather"), ("2", "2024-01-05", "goal and match", "sport"),
    ...            ("3", "2024-01-07", "wind again", None), ("4", "2024-01-08", "match again", None)]
    >>> run = labeller.label(Stream.from_documents(january).table())
    >>> run.answers["label"].to_pylist()
    ['weather', 'sport', 'weather', 'sport']
    >>> february = [("5", "2024-02-03", "wind and rain and snow", None), ("6", "2024-02-04", "snow and hail", None)]
    >>> run = labeller.label(Stream.from_documents(february).table(), n_suggestions=1)
    >>> run.answers["label"].to_pylist()[-2:], run.suggestions[0].text
    (['weather', 'weather'], 'snow and hail')
    """

    closed_until_: int
    learner_: FrameLearner
    """State of the learner at the start of the first open frame."""
    n_closed_: int
    open_: pa.Table

    _state_layout: ClassVar[Layout | None] = {
        "learner_": Part(FrameLearner),
        "open_": Table(OPEN_SCHEMA.names),
        "closed_until_": Number(),
        "n_closed_": Number("closed", least=0),
        "closed_keys_": Array("closed", kind="i", ordered=True),
        "closed_label_keys_": Array("closed", kind="i"),
    }

    def __init__(
        self, every: str = "1mo", *, tokenizer: Tokenizer | None = None, min_df: int = 2, n_jobs: int | None = None
    ) -> None:
        self.every = every
        self.tokenizer = tokenizer
        self.min_df = min_df
        self.n_jobs = n_jobs

    def label(
        self, documents: pa.Table, *, n_suggestions: int = 10, truth: Mapping[str, str] | None = None
    ) -> Labelling:
        """Learn from more documents (a table of `driftline.streams.schema.SCHEMA`) and label each.

        `truth` has the true labels of some documents by id; they are compared with the answers, but never learned.
        """
        if not hasattr(self, "learner_"):
            self._begin()
        since, n_before = self.closed_until_, self.n_closed_
        gathered = gather(self.open_, self._closed, documents, since)
        rows = sort_by_time(gathered.table)
        if not len(rows):
            raise InvalidInput("there is no document to label")
        self._check_number_of_labels(rows)
        run = _Run(copy.deepcopy(self.learner_), rows, *_filled_frames(np.maximum(times_of(rows), since), self.every))
        for number in track(range(len(run.starts)), "learning frames"):
            run.learn(number)
        suggestions = run.suggestions(n_suggestions)
        if run.kept_from:
            self._close(rows[: run.bounds[run.kept_from]], int(run.starts[run.kept_from].astype(np.int64)))
        self.learner_, self.open_ = run.kept, rows[run.bounds[run.kept_from] :]
        answers = pa.concat_tables(run.answers)
        frames = run.frames if truth is None else [_compared(frame, answers, truth) for frame in run.frames]
        return Labelling(
            answers=answers.filter(pa.array(~rows["late_answer"].to_numpy())),
            frames=Results(LabelledFrame, frames, name="start", quantity="n_documents"),
            suggestions=suggestions,
            labels=run.learner.labels,
            since=None if since == LONG_AGO else np.datetime64(since, "us"),
            n_before=n_before,
            n_new=gathered.n_new,
            n_repeated=gathered.n_repeated,
            n_late=gathered.n_late,
            n_new_labels=gathered.n_new_labels,
            late_labels=gathered.late_labels,
        )

    def _check_number_of_labels(self, rows: pa.Table) -> None:
        """Refuse a column that cannot be the label: time and memory are proportional to labels × documents."""
        n_labels = len({*self.learner_.labels, *pc.unique(rows["label"].drop_null()).to_pylist()})
        if n_labels > MOST_LABELS:
            raise InvalidInput(
                f"the documents have {n_labels:,} distinct labels, and at most {MOST_LABELS:,} can be learned; "
                f"name another column with label="
            )

    def _begin(self) -> None:
        self.learner_ = FrameLearner(tokenizer=self.tokenizer, min_df=self.min_df, n_jobs=self.n_jobs).begin()
        self.open_ = OPEN_SCHEMA.empty_table()
        self.closed_until_ = LONG_AGO
        self.n_closed_ = 0
        self.closed_keys_, self.closed_label_keys_ = ClosedDocuments.none()

    @property
    def _closed(self) -> ClosedDocuments:
        return ClosedDocuments(self.closed_keys_, self.closed_label_keys_)

    def _close(self, rows: pa.Table, until: int) -> None:
        """Close the frames before `until`: they are not learned again, and only ids and labels are kept."""
        self.closed_keys_, self.closed_label_keys_ = self._closed.add(rows)
        self.n_closed_ = len(self.closed_keys_)
        self.closed_until_ = until


class _Run:
    """One pass through the open and the new frames."""

    def __init__(self, learner: FrameLearner, rows: pa.Table, starts: np.ndarray, bounds: Ints) -> None:
        self.learner = learner
        self.rows = rows
        self.starts = starts
        self.bounds = bounds
        self.answers: list[pa.Table] = []
        self.frames: list[LabelledFrame] = []
        self.kept_from = 0
        """Frame at which the next run continues: the last, or the first if there were no labels before the last."""
        self._unanswered: list[int] = []

    def learn(self, number: int) -> None:
        """Learn one frame, and label its documents, once there are labels for it and the frames before it."""
        rows, start = self._frame(number), self.starts[number]
        known_before = bool(self.learner.labels)
        if number == 0 or (known_before and number == len(self.starts) - 1):
            self.kept, self.kept_from = copy.deepcopy(self.learner), number
        predicted = self._predicted(rows) if known_before else np.nan
        self.learner.learn(rows["text"], rows["label"].to_pylist(), start)
        self.answers.append(_answers(rows, start, self.learner.classifier_.label_distributions_, self.learner.labels))
        self.frames.append(self._summary(number, predicted))
        if not self.learner.labels:
            self._unanswered.append(number)
            return
        for early in self._unanswered:
            rows, start = self._frame(early), self.starts[early]
            chances = self.learner.probabilities(rows["text"])
            self.answers[early] = _answers(rows, start, chances, self.learner.labels)
            self.frames[early] = self._summary(early, np.nan)
        self._unanswered = []

    def suggestions(self, n: int) -> Results[SuggestedDocument]:
        """Return the documents of the last frame that are most worth labelling, in order."""
        rows, answers = self._frame(len(self.starts) - 1), self.answers[-1]
        picked = self.learner.classifier_.suggest(n).tolist()
        chances = np.round(self.learner.classifier_.label_distributions_, 6) if self.learner.labels else None
        chosen = (
            SuggestedDocument(
                id=rows["id"][row].as_py(),
                time=rows["time"][row].as_py(),
                text=rows["text"][row].as_py(),
                label=answers["label"][row].as_py(),
                probability=answers["probability"][row].as_py(),
                probabilities=() if chances is None else tuple(chances[row].tolist()),
            )
            for row in picked
        )
        return Results(SuggestedDocument, chosen, name="id", quantity="probability")

    def _frame(self, number: int) -> pa.Table:
        return self.rows[self.bounds[number] : self.bounds[number + 1]]

    def _predicted(self, rows: pa.Table) -> float:
        """Return the share of labels that the current model predicts correctly; NaN if there are none."""
        labelled = rows.filter(pc.and_not(rows["label"].is_valid(), rows["late_answer"]))
        if not len(labelled):
            return np.nan
        best = np.argmax(self.learner.probabilities(labelled["text"]), axis=1)
        return float(
            np.mean([self.learner.labels[code] == label for code, label in zip(best, labelled["label"].to_pylist())])
        )

    def _summary(self, number: int, predicted: float) -> LabelledFrame:
        own = self.answers[number].filter(pc.invert(self._frame(number)["late_answer"]))
        given = own["given"].to_numpy()
        chances = own["probability"].to_numpy()[~given]
        expected = float(chances.mean()) if len(chances) else np.nan
        return LabelledFrame(
            start=self.starts[number],
            n_documents=len(own),
            n_labelled=int(given.sum()),
            predicted=None if np.isnan(predicted) else predicted,
            expected=None if np.isnan(expected) else expected,
        )


def _filled_frames(moments: Ints, every: str) -> tuple[np.ndarray, Ints]:
    """Return the starts of the frames that have documents, and their first rows, followed by the number of rows."""
    edges, bounds = frame_bounds(moments.astype("datetime64[us]"), every)
    filled = np.flatnonzero(np.diff(bounds) > 0)
    return edges[filled], np.append(bounds[filled], len(moments))


def _answers(rows: pa.Table, start: np.datetime64, probabilities: Floats, labels: list[str]) -> pa.Table:
    given = rows["label"].is_valid().to_numpy()
    found: list[str | None] = [None] * len(rows)
    chances = pa.nulls(len(rows), pa.float64())
    if labels:
        best = np.argmax(probabilities, axis=1)
        found = [labels[code] for code in best]
        chances = pa.array(np.round(probabilities[np.arange(len(rows)), best], 6))
    frame = pa.array(np.full(len(rows), start)).cast(ANSWERS.field("frame").type)
    columns = [rows["id"], rows["time"], frame, pa.array(found, pa.string()), chances, pa.array(given)]
    return pa.table(columns, schema=ANSWERS)


def _compared(frame: LabelledFrame, answers: pa.Table, truth: Mapping[str, str]) -> LabelledFrame:
    """Compare the truth with the answers of a frame for documents without a given label."""
    inside = pc.equal(answers["frame"], pa.scalar(frame.start.item(), ANSWERS.field("frame").type))
    own = answers.filter(pc.and_(inside, pc.invert(answers["given"])))
    found = zip(own["id"].to_pylist(), own["label"].to_pylist())
    pairs = [(label, truth[name]) for name, label in found if name in truth]
    if not pairs:
        return frame
    return replace(frame, right=float(np.mean([label == true for label, true in pairs])), n_tested=len(pairs))
