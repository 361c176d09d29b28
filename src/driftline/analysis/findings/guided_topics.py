"""Topics that a guide names: their words, shares and trends, and which wishes were not heeded."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from driftline.analysis.examples import examples_of
from driftline.analysis.finding import Finding, nothing
from driftline.analysis.shown_curves import shown_curve
from driftline.analysis.shown_evidence import Example
from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput
from driftline.guidance import WishReport
from driftline.guidance.heeded import UnheededWishWarning
from driftline.guidance.word_wishes import UnknownWordsWarning
from driftline.smoothing.curve import Curve
from driftline.topics import LDA, TopicsOverTime, show_words, topics_over_time

if TYPE_CHECKING:
    from driftline.analysis.context import Context

N_WORDS, EXAMPLES, TRIED = 8, 2, 50
LARGEST_SHARE = 0.5
"""Largest document frequency of a word used for topics."""
LEAST_TOPICS = 20
"""Number of topics, or twice the number of named topics if that is more: the other words need topics, too."""


@dataclass(frozen=True)
class GuidedTopic:
    """A topic of the guide: its name, words, share of all words over time, trend with its 95 % interval, documents."""

    name: str
    words: list[str]
    share: float
    trend: float
    trend_lower: float
    trend_upper: float
    movement: Literal["rises", "falls", "holds"]
    curve: Curve
    examples: list[Example] = field(default_factory=list)


@dataclass(frozen=True)
class WishOutcome:
    """The outcome of a wish: whether it was heeded, by which measure, its value (None: no measure), and notes."""

    name: str
    heeded: bool
    measure: str
    value: float | None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class GuidedTopics:
    """The topics that the guide names, in its order, and all its wishes."""

    topics: list[GuidedTopic]
    wishes: list[WishOutcome]
    n_topics: int


def find(context: Context) -> GuidedTopics | None:
    """Fit LDA under the guide of the options; None without one."""
    guide = context.options.guide
    if guide is None:
        return None
    corpus = context.corpus
    in_documents = np.asarray((corpus.counts > 0).sum(axis=0)).ravel()
    columns = np.flatnonzero((in_documents >= 3) & (in_documents <= LARGEST_SHARE * len(corpus)))
    if not len(columns):
        raise InvalidInput("no word is in enough documents for the topics of the guide; supply more documents")
    counts, words = corpus.counts[:, columns], [str(word) for word in np.asarray(corpus.vocabulary.words)[columns]]
    guide = guide.for_documents(ids=corpus.ids.to_pylist(), times=corpus.times)
    n_topics = max(LEAST_TOPICS, 2 * guide.n_named)
    model = LDA(n_topics, guide=guide, n_jobs=-1, random_state=context.options.random_state, vocabulary=words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnheededWishWarning)
        warnings.simplefilter("ignore", UnknownWordsWarning)
        model.fit(counts)
    curves = topics_over_time(model, counts, times=corpus.times, when=context.when, unit=context.unit)
    shown = show_words(model, counts, N_WORDS)
    shares = model.transform(counts)
    named = [k for k, name in enumerate(getattr(model, "topic_names_", [])) if name != str(k)]
    topics = [_topic(context, model, curves, [str(word) for word in shown[k]], shares, k) for k in named]
    return GuidedTopics(topics, [_outcome(report) for report in model.guide_report_], n_topics)


def _topic(
    context: Context, model: LDA, curves: TopicsOverTime, words: list[str], shares: Floats, k: int
) -> GuidedTopic:
    trend, low, high = (float(np.clip(each[k], -1, 1)) for each in (curves.trend, *curves.trend_interval))
    certain = curves.significant[k] and low * high > 0
    movement = "holds" if not certain else "rises" if trend > 0 else "falls"
    return GuidedTopic(
        model.topic_names_[k],
        words,
        float(curves.mean_share[k]),
        trend,
        low,
        high,
        movement,  # type: ignore[arg-type]
        shown_curve(curves.curve(k)),
        examples_of(context.corpus, np.argsort(-shares[:, k], kind="stable")[:TRIED], n=EXAMPLES),
    )


def _outcome(report: WishReport) -> WishOutcome:
    value = None if math.isnan(report.with_guide) else report.with_guide
    return WishOutcome(report.name, report.heeded, report.measure, value, list(report.notes))


GUIDED_TOPICS = Finding("guided_topics", find, empty=nothing, since=18)
