"""Accuracy of a classifier with few labels over the course of a stream, and the documents to label next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driftline.analysis.curve_times import readable_step
from driftline.analysis.examples import examples_of
from driftline.analysis.finding import Finding, nothing
from driftline.analysis.reported_words import without_other_words
from driftline.analysis.shown_evidence import Example
from driftline.analysis.word_meaning import WordShift, shifted_words
from driftline.core.arrays import Bools, Ints
from driftline.core.progress import announce, track
from driftline.core.randomness import generator
from driftline.core.times import isos
from driftline.evaluation.accuracy_interval import accuracy_interval
from driftline.evolving import EvolutionaryClassifier
from driftline.streams.corpus import Corpus
from driftline.streams.exchange import exchange_units
from driftline.streams.frames import Frame

if TYPE_CHECKING:
    from driftline.analysis.context import Context

MOST_LABELS = 8
LEAST_LABELLED = 20
MOST_DOCUMENTS = 6000
MOST_FRAMES = 40
FEW = 10
"""Number of labels used per frame when most documents are labelled."""
MOST_LEARNED = 50
"""Largest number of labels learned per frame."""
N_SUGGESTIONS = 10
LEAST_IN_LAST = 50
"""Minimum number of documents in the last frame for suggestions to be taken from it."""


@dataclass(frozen=True)
class PredictedFrame:
    """One time step of a classifier with few labels; None means unknown.

    `accuracy`, with a 95 % band, is the share of `n_tested` labels that it predicted correctly without having seen
    them; `most_frequent` is that share if the most frequent label so far is always predicted.
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
    """A document worth labelling, with the label predicted at present."""

    example: Example
    label: str
    probability: float


@dataclass(frozen=True)
class FewLabelsFindings:
    """Results with few labels: accuracy of a classifier updated as the stream advances, and documents to label next.

    `labels_per_frame` is None if few documents have a label: then each label is predicted from the frames before, and
    learned afterwards. If most have one, that many per frame are learned, and the others are used for evaluation. Words
    are tested on the labelled documents alone, at a false discovery rate of 5 %.
    """

    labels: list[str]
    n_documents: int
    n_labelled: int
    n_learned: int
    labels_per_frame: int | None
    every: str
    frames: list[PredictedFrame]
    words: list[WordShift]
    suggestions: list[Suggestion]


def describe_few_labels(
    corpus: Corpus, *, unit: str = "auto", reported: Bools | None = None, random_state: int = 0
) -> FewLabelsFindings | None:
    """Process the stream in time order, learning from few labels; None if there are fewer than 20 labels or one class.

    If most documents have a label, ten per frame are learned and the other labels are held out to measure accuracy. If
    few have one, each label is predicted from the frames before its own, and then learned. The eight most frequent
    labels and at most 6,000 documents, evenly spread over time, are used. Only `reported` words may have moved.
    """
    rows = _rows_to_use(corpus)
    if rows is None or corpus.labels is None:
        return None
    announce("Classifying from few labels ...")
    mostly = bool((corpus.labels >= 0).mean() > 0.5)
    part = corpus[rows]
    codes = corpus.labels[rows]
    step = readable_step(part.times, at_most=MOST_FRAMES)
    random = generator(random_state)
    model = EvolutionaryClassifier(n_jobs=-1)
    frames: list[PredictedFrame] = []
    seen = np.zeros(len(part.label_names))
    time_steps = _time_steps(part, step)
    units = exchange_units(part.times, unit=unit).index
    starts, ends = (isos([getattr(frame, end) for frame in time_steps]) for end in ("start", "end"))
    for frame, *span in track(list(zip(time_steps, starts, ends)), "frames"):
        own = codes[frame.index]
        learned = _few(own >= 0, FEW if mostly else MOST_LEARNED, random)
        tested = (own >= 0) & ~learned if mostly else own >= 0
        can_foresee = not mostly and seen.any() and tested.any()
        before = model.predict(frame.counts[tested]) if can_foresee else None
        common = int(np.argmax(seen + mostly * np.bincount(own[learned], minlength=len(seen))))
        model.partial_fit(frame.counts, np.where(learned, own, -1))
        seen += np.bincount(own[learned], minlength=len(seen))
        answers = model.transduction_[tested] if mostly and seen.any() else before
        frames.append(_frame(span, units[frame.index], own, learned, tested, answers, common))
    known = codes >= 0
    return FewLabelsFindings(
        labels=[part.label_names[code] for code in np.unique(codes[known])],
        n_documents=len(part),
        n_labelled=int(known.sum()),
        n_learned=sum(frame.n_learned for frame in frames),
        labels_per_frame=FEW if mostly else None,
        every=step,
        frames=frames,
        words=shifted_words(
            part.counts[known] if reported is None else without_other_words(part.counts[known], reported),
            codes[known],
            part.times[known],
            names=part.label_names,
            words=[str(word) for word in part.vocabulary.words],
            units=units[known],
        ),
        suggestions=[] if mostly else _suggestions(part, time_steps[-1], model),
    )


def _rows_to_use(corpus: Corpus) -> Ints | None:
    """Return the documents to use, thinned evenly: those without a label, and those of the frequent labels."""
    if corpus.labels is None:
        return None
    sizes = np.bincount(corpus.labels[corpus.labels >= 0], minlength=len(corpus.label_names))
    frequent = [code for code in np.argsort(-sizes, kind="stable")[:MOST_LABELS] if sizes[code] > 1]
    if len(frequent) < 2 or sizes[frequent].sum() < LEAST_LABELLED:
        return None
    others = np.flatnonzero(corpus.labels < 0)
    room = MOST_DOCUMENTS // 2 if 2 * len(others) > len(corpus) else 0
    labelled = _thinned(np.flatnonzero(np.isin(corpus.labels, frequent)), MOST_DOCUMENTS - room)
    room = MOST_DOCUMENTS - len(labelled)
    # Suggestions come from the newest documents, so half of the sample is reserved for them.
    older = others[: len(others) - room // 2] if len(others) > room else others[:0]
    return np.sort(np.concatenate([labelled, _thinned(older, room - room // 2), others[len(older) :]]))


def _time_steps(corpus: Corpus, step: str) -> list[Frame]:
    """Return the frames that have documents; a last frame with few documents is merged with the one before."""
    frames = [frame for frame in corpus.frames(step) if len(frame)]
    while len(frames) > 1 and len(frames[-1]) < LEAST_IN_LAST:
        last, before = frames.pop(), frames.pop()
        frames.append(Frame(before.start, last.end, slice(before.index.start, last.index.stop), corpus))
    return frames


def _thinned(rows: Ints, most: int) -> Ints:
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def _few(labelled: Bools, most: int, random: np.random.Generator) -> Bools:
    """Select at most a given number of the labelled documents."""
    rows = np.flatnonzero(labelled)
    if len(rows) > most:
        rows = random.choice(rows, most, replace=False)
    chosen = np.zeros(len(labelled), dtype=np.bool_)
    chosen[rows] = True
    return chosen


def _frame(
    span: list[str], units: Ints, codes: Ints, learned: Bools, tested: Bools, answers: Ints | None, common: int
) -> PredictedFrame:
    """Compare the predictions in a span of time with the truth; `common` is the most frequent label so far."""
    n_tested = int(tested.sum()) if answers is not None else 0
    accuracy = lower = upper = baseline = None
    if answers is not None and n_tested:
        right = answers == codes[tested]
        accuracy = float(right.mean())
        lower, upper = accuracy_interval(right, units[tested])
        baseline = float((codes[tested] == common).mean())
    return PredictedFrame(
        start=span[0],
        end=span[1],
        n_documents=len(codes),
        n_learned=int(learned.sum()),
        n_tested=n_tested,
        accuracy=accuracy,
        lower=lower,
        upper=upper,
        most_frequent=baseline,
    )


def _suggestions(corpus: Corpus, last: Frame, model: EvolutionaryClassifier) -> list[Suggestion]:
    found = []
    for row in model.suggest(N_SUGGESTIONS).tolist():
        for example in examples_of(corpus, np.array([last.index.start + row]), n=1):
            label = corpus.label_names[int(model.transduction_[row])]
            found.append(Suggestion(example, label, float(f"{model.label_distributions_[row].max():.4g}")))
    return found


def find(context: Context) -> FewLabelsFindings | None:
    """Describe classification with few labels on the stream."""
    return describe_few_labels(
        context.corpus,
        unit=context.unit,
        reported=context.is_reported,
        random_state=context.options.random_state,
    )


FEW_LABELS = Finding("few_labels", find, empty=nothing, position=160, since=7)
