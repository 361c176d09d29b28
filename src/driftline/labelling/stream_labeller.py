"""Every document of a stream labelled although few were, frame by frame, from where the last file ended."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.base.estimator import DriftEstimator
from driftline.base.state_layout import Array, Layout, Number, Part, Table
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.progress import track
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
"""The answer for a document: the start of the frame it was learned in, its label, the probability of it, and whether
the label was given. Label and probability are null as long as no document at all has a label."""
LONG_AGO = -(2**63)


@dataclass(frozen=True)
class LabelledFrame:
    """One frame in numbers; None is what cannot be known.

    `foreseen` is the share of its labels that were foreseen before they were used, `expected` the share of the other
    documents that should be right by their probabilities, `right` the share that is, of the `n_tested` of them whose
    true label is known.
    """

    start: np.datetime64
    n_documents: int
    n_labelled: int
    foreseen: float | None
    expected: float | None
    right: float | None = None
    n_tested: int = 0


@dataclass(frozen=True)
class SuggestedDocument:
    """A document worth labelling, with the label it has so far."""

    id: str
    time: Any
    text: str
    label: str | None
    probability: float | None


@dataclass(frozen=True)
class Labelling:
    """What was said about some more documents.

    `answers` (of the schema `ANSWERS`) has every document of the frames that were learned: the new ones, and the one
    left open before. `late_labels` are labels of documents whose frames had been closed: learned with the frame that
    was open.
    """

    answers: pa.Table
    frames: list[LabelledFrame]
    suggestions: list[SuggestedDocument]
    labels: list[str]
    since: np.datetime64 | None
    """Where the first open frame began; what was said about earlier frames stands. None: nothing was said before."""
    n_before: int
    """Number of documents in those earlier frames."""
    n_new: int
    n_repeated: int
    n_late: int
    n_new_labels: int
    late_labels: dict[str, str] = field(default_factory=dict)


class StreamLabeller(DriftEstimator):
    """Label every document of a stream, of which only a few have a label, and say which to label next.

    Documents come in files, in any number; what is learned from one goes on with the next. The last frame of a file
    stays open: documents and labels of the next file may still belong to it, and it is then learned anew, so that two
    files one after the other give what one file with both would have given. Documents are known by their ids: one that
    comes again is not counted twice, but its label is used.

    A document that belongs to a frame already closed is labelled with the open one. Documents before the first label
    are labelled when it has come, and until then their frames stay open.

    Parameters
    ----------
    every : str
        The length of a frame: a calendar step such as ``"1mo"`` or ``"1w"``; see `driftline.streams.frames`.
    tokenizer : Tokenizer, optional
        How text becomes words; by default lower-case words of two letters or more without English stop words.
    min_df : int
        In how many documents a word must have been to count.
    n_jobs : int or None
        Threads of the neighbour search; the answer does not depend on it.

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
        """Learn more documents (a table of `driftline.streams.schema.SCHEMA`) and answer for every one.

        `truth` has the true labels of some documents by id; they are compared with the answers, and never learned.
        """
        if not hasattr(self, "learner_"):
            self._begin()
        since, n_before = self.closed_until_, self.n_closed_
        gathered = gather(self.open_, self._closed, documents, since)
        rows = sort_by_time(gathered.table)
        if not len(rows):
            raise InvalidInput("there is no document to label")
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
            frames=frames,
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
        """Frames before `until` will not be learned again: remember only that their documents were there."""
        self.closed_keys_, self.closed_label_keys_ = self._closed.add(rows)
        self.n_closed_ = len(self.closed_keys_)
        self.closed_until_ = until


class _Run:
    """One way through the open frames and the new ones."""

    def __init__(self, learner: FrameLearner, rows: pa.Table, starts: np.ndarray, bounds: Ints) -> None:
        self.learner = learner
        self.rows = rows
        self.starts = starts
        self.bounds = bounds
        self.answers: list[pa.Table] = []
        self.frames: list[LabelledFrame] = []
        self.kept_from = 0
        """The frame from which the next run goes on: the last, or the first if nothing was known before the last."""
        self._unanswered: list[int] = []

    def learn(self, number: int) -> None:
        """Learn one frame, and answer for its documents, as soon as there are labels also for those before it."""
        rows, start = self._frame(number), self.starts[number]
        known_before = bool(self.learner.labels)
        if number == 0 or (known_before and number == len(self.starts) - 1):
            self.kept, self.kept_from = copy.deepcopy(self.learner), number
        foreseen = self._foreseen(rows) if known_before else np.nan
        self.learner.learn(rows["text"], rows["label"].to_pylist(), start)
        self.answers.append(_answers(rows, start, self.learner.classifier_.label_distributions_, self.learner.labels))
        self.frames.append(self._summary(number, foreseen))
        if not self.learner.labels:
            self._unanswered.append(number)
            return
        for early in self._unanswered:
            rows, start = self._frame(early), self.starts[early]
            chances = self.learner.probabilities(rows["text"])
            self.answers[early] = _answers(rows, start, chances, self.learner.labels)
            self.frames[early] = self._summary(early, np.nan)
        self._unanswered = []

    def suggestions(self, n: int) -> list[SuggestedDocument]:
        """Return the documents of the last frame most worth labelling, the most useful first."""
        rows, answers = self._frame(len(self.starts) - 1), self.answers[-1]
        picked = self.learner.classifier_.suggest(n).tolist()
        return [
            SuggestedDocument(
                id=rows["id"][row].as_py(),
                time=rows["time"][row].as_py(),
                text=rows["text"][row].as_py(),
                label=answers["label"][row].as_py(),
                probability=answers["probability"][row].as_py(),
            )
            for row in picked
        ]

    def _frame(self, number: int) -> pa.Table:
        return self.rows[self.bounds[number] : self.bounds[number + 1]]

    def _foreseen(self, rows: pa.Table) -> float:
        """Return the share of the labels that what was learned so far gets right; NaN if there are none."""
        labelled = rows.filter(pc.and_not(rows["label"].is_valid(), rows["late_answer"]))
        if not len(labelled):
            return np.nan
        best = np.argmax(self.learner.probabilities(labelled["text"]), axis=1)
        return float(
            np.mean([self.learner.labels[code] == label for code, label in zip(best, labelled["label"].to_pylist())])
        )

    def _summary(self, number: int, foreseen: float) -> LabelledFrame:
        own = self.answers[number].filter(pc.invert(self._frame(number)["late_answer"]))
        given = own["given"].to_numpy()
        chances = own["probability"].to_numpy()[~given]
        expected = float(chances.mean()) if len(chances) else np.nan
        return LabelledFrame(
            start=self.starts[number],
            n_documents=len(own),
            n_labelled=int(given.sum()),
            foreseen=None if np.isnan(foreseen) else foreseen,
            expected=None if np.isnan(expected) else expected,
        )


def _filled_frames(moments: Ints, every: str) -> tuple[np.ndarray, Ints]:
    """Return the starts of the frames that have documents, and the rows at which they begin, and the number of rows."""
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
    """Lay the truth beside the answers of a frame for documents whose label was not given."""
    inside = pc.equal(answers["frame"], pa.scalar(frame.start.item(), ANSWERS.field("frame").type))
    own = answers.filter(pc.and_(inside, pc.invert(answers["given"])))
    found = zip(own["id"].to_pylist(), own["label"].to_pylist())
    pairs = [(label, truth[name]) for name, label in found if name in truth]
    if not pairs:
        return frame
    return replace(frame, right=float(np.mean([label == true for label, true in pairs])), n_tested=len(pairs))
