"""The topics of the documents, their shares over time, and the trends of these."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from driftline.analysis.examples import examples_of
from driftline.analysis.finding import Finding, nothing
from driftline.analysis.findings.topic_changes import TopicChange, describe_topic_changes
from driftline.analysis.findings.topic_layout import TopicLayout, describe_topic_layout
from driftline.analysis.group_differences import NamedTopics
from driftline.analysis.intensities import IntensityBurst, track_intensities
from driftline.analysis.shown_curves import shown_curve
from driftline.analysis.shown_evidence import Example
from driftline.analysis.stream_time import StreamTime
from driftline.core.arrays import Counts, Datetimes, Floats, Ints
from driftline.core.times import iso
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus
from driftline.text.vocabulary import Vocabulary
from driftline.text.word_columns import columns_of
from driftline.topics import TopicMap, topics_over_time
from driftline.topics.topic_cards import typical_rows
from driftline.topics.topic_states import reading_order

if TYPE_CHECKING:
    from driftline.analysis.context import Context

LEAST_DOCUMENTS = 300
DOCUMENTS_PER_TOPIC = 150
MOST_TOPICS = 30
BLOCK = 100_000
"""Number of documents whose topics are inferred together."""
LARGEST_SHARE = 0.3
"""Largest document frequency of a word used for topics."""
EXAMPLES = 3
"""Number of documents shown for a topic."""
TRIED = 100
"""Number of documents among which those to show are selected, so that they do not repeat each other."""


@dataclass(frozen=True)
class TopicFinding:
    """One topic: its words, its share of all words over time, and documents that are about it.

    Bands and p-values are conditional on these topics: they do not include the error in the topics themselves. `trend`
    is the linear change of the share over the span in which most documents lie, `trend_lower` to `trend_upper` its 95 %
    interval; `movement` is "rises" or "falls" if the change is significant at a false discovery rate of 5 % among the
    topics and the interval does not contain zero. `intensity` is the number of documents per day that are mostly about
    it, and `bursts` are its bursts. `name` is a phrase or a title; `state` is "clear", "mixed" or "junk" (the words
    occur together no more than random ones do); `near` are the places in the list of topics with many of the same
    words.
    """

    words: list[str]
    share: float
    trend: float
    p_value: float
    movement: Literal["rises", "falls", "holds"]
    curve: Curve
    examples: list[Example] = field(default_factory=list)
    intensity: Curve | None = None
    bursts: list[IntensityBurst] = field(default_factory=list)
    trend_lower: float = 0.0
    trend_upper: float = 0.0
    name: str = ""
    state: Literal["clear", "mixed", "junk"] = "clear"
    near: list[int] = field(default_factory=list)


class Topics(NamedTuple):
    """The topics (clear, mixed, junk; largest first), changes between halves of the documents, and their layout.

    `main` is the place of every document's main topic in the list, `fitted` the model for findings that compare groups.
    """

    topics: list[TopicFinding]
    changes: list[TopicChange]
    layout: TopicLayout | None = None
    main: Ints = np.empty(0, dtype=np.int64)
    fitted: NamedTopics | None = None


def describe_topics(
    corpus: Corpus,
    when: Datetimes,
    *,
    unit: str = "auto",
    stream: StreamTime | None = None,
    random_state: int = 0,
    n_words: int = 8,
) -> Topics:
    """Return the topics of a corpus, with their shares, intensities and bursts; none if it is too small.

    There is one topic per 150 documents, at most 30. A document counts for the intensity of its main topic. Trends are
    tested by permuting whole units, by default days.
    """
    if len(corpus) < LEAST_DOCUMENTS or len(when) < 2:
        return Topics([], [])
    counts, words = _topic_words(corpus)
    if counts.nnz == 0:
        return Topics([], [])
    n_topics = int(np.clip(len(corpus) // DOCUMENTS_PER_TOPIC, 4, MOST_TOPICS))
    model = TopicMap(n_topics=n_topics, n_words=n_words, n_jobs=-1, random_state=random_state, vocabulary=words)
    model.fit(counts, texts=corpus.texts)
    cards = model.topics_
    shares = _shares(model, counts)
    curves = topics_over_time(model, counts, times=corpus.times, when=when, unit=unit)
    names = [[str(word) for word in card.words] for card in cards]
    known = Vocabulary.of(words)
    shown = [columns_of(row, known, len(words))[0] for row in names]
    intensities = track_intensities(corpus.times, model.labels_, len(cards), when, stream=stream)
    found = []
    order = reading_order([card.state for card in cards], curves.mean_share)
    place = np.argsort(order, kind="stable")
    for topic in order.tolist():
        trend, trend_lower, trend_upper = (float(each[topic]) for each in (curves.trend, *curves.trend_interval))
        certain = curves.significant[topic] and trend_lower * trend_upper > 0
        movement = "holds" if not certain else "rises" if trend > 0 else "falls"
        found.append(
            TopicFinding(
                words=names[topic],
                share=float(curves.mean_share[topic]),
                trend=_finite(trend),
                p_value=float(curves.p_value[topic]),
                movement=movement,  # type: ignore[arg-type]
                curve=shown_curve(curves.curve(topic)),
                examples=examples_of(corpus, typical_rows(shares[:, topic], counts, shown[topic])[:TRIED], n=EXAMPLES),
                intensity=intensities[topic].curve,
                bursts=intensities[topic].bursts,
                trend_lower=_finite(trend_lower),
                trend_upper=_finite(trend_upper),
                name=cards[topic].name,
                state=cards[topic].state,
                near=sorted(place[cards[topic].near].tolist()),
            )
        )
    middle = iso(corpus.times[len(corpus) // 2])
    n_placed = sum(topic.state != "junk" for topic in found)
    return Topics(
        found,
        describe_topic_changes(counts, model.components_, shares, names, when=middle),
        describe_topic_layout(model.components_[order], curves.mean_share[order], words, n_placed=n_placed),
        np.where(model.labels_ >= 0, place[model.labels_], -1),
        NamedTopics(model, counts, [card.name for card in cards], names),
    )


def _finite(value: float) -> float:
    """Return a change that JSON can represent: a share changes by one at most."""
    return float(f"{min(max(value, -1.0), 1.0):.6g}")


def _shares(model: TopicMap, counts: Counts) -> Floats:
    """Return documents × topics in single precision: the largest array of a report on many documents."""
    shares = np.empty((counts.shape[0], len(model.components_)), dtype=np.float32)
    for first in range(0, len(shares), BLOCK):
        rows = slice(first, first + BLOCK)
        shares[rows] = model.transform(counts[rows])
    return shares


def _topic_words(corpus: Corpus) -> tuple[Counts, list[str]]:
    """Return the counts and the names of words in at least three documents and at most a share of them."""
    in_documents = np.asarray((corpus.counts > 0).sum(axis=0)).ravel()
    columns = np.flatnonzero((in_documents >= 3) & (in_documents <= LARGEST_SHARE * len(corpus)))
    return corpus.counts[:, columns], [str(word) for word in np.asarray(corpus.vocabulary.words)[columns]]


def find_both(context: Context) -> Topics:
    """Describe the topics and their changes, from one model."""
    return describe_topics(
        context.corpus,
        context.when,
        unit=context.unit,
        stream=context.stream_time,
        random_state=context.options.random_state,
    )


def find(context: Context) -> list[TopicFinding]:
    """Return the topics of the stream."""
    return context.once(find_both).topics


def find_changes(context: Context) -> list[TopicChange]:
    """Return the changes of the topics."""
    return context.once(find_both).changes


def find_layout(context: Context) -> TopicLayout | None:
    """Return the layout of similar topics."""
    return context.once(find_both).layout


TOPICS = Finding("topics", find, empty=list[TopicFinding], position=110, since=4)
TOPIC_CHANGES = Finding("topic_changes", find_changes, empty=list[TopicChange], position=120, since=5)
TOPIC_LAYOUT = Finding("topic_layout", find_layout, empty=nothing, since=13)
