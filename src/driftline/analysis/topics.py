"""What the documents are about: topics, their share over time, and which rise or fall."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.analysis.curve_times import iso, series
from driftline.analysis.examples import examples_of
from driftline.analysis.findings import TopicChange, TopicFinding
from driftline.analysis.intensities import track_intensities
from driftline.analysis.topic_changes import describe_topic_changes
from driftline.core.arrays import Counts, Datetimes
from driftline.streams.corpus import Corpus
from driftline.topics import LDA, topics_over_time

LEAST_DOCUMENTS = 300
DOCUMENTS_PER_TOPIC = 150
MOST_TOPICS = 30
LARGEST_SHARE = 0.3
"""Largest document frequency of a word used for topics."""


class Topics(NamedTuple):
    """The topics, largest first, and what became of them from the first half of the documents to the second."""

    topics: list[TopicFinding]
    changes: list[TopicChange]


def describe_topics(
    corpus: Corpus, when: Datetimes, *, unit: str = "auto", random_state: int = 0, n_words: int = 8
) -> Topics:
    """Return the topics of a corpus, with their shares, intensities and bursts; none if it is too small to tell.

    There are as many topics as 150 documents each would make, at most 30. A document counts for the intensity of the
    topic that it is mostly about. Trends are tested by exchanging whole units, by default days.
    """
    if len(corpus) < LEAST_DOCUMENTS or len(when) < 2:
        return Topics([], [])
    counts, words = _telling_words(corpus)
    if counts.nnz == 0:
        return Topics([], [])
    n_topics = int(np.clip(len(corpus) // DOCUMENTS_PER_TOPIC, 4, MOST_TOPICS))
    model = LDA(n_topics=n_topics, n_jobs=-1, random_state=random_state, vocabulary=words).fit(counts)
    shares = model.transform(counts)
    curves = topics_over_time(model, counts, times=corpus.times, when=when, unit=unit)
    names = [[str(word) for word in words] for words in model.top_words(n_words)]
    intensities = track_intensities(corpus.times, shares.argmax(axis=1), n_topics, when, unit=unit)
    found = []
    for topic in np.argsort(-curves.mean_share, kind="stable").tolist():
        movement = "holds" if not curves.significant[topic] else "rises" if curves.trend[topic] > 0 else "falls"
        found.append(
            TopicFinding(
                words=names[topic],
                share=float(curves.mean_share[topic]),
                trend=float(curves.trend[topic]),
                p_value=float(curves.p_value[topic]),
                movement=movement,  # type: ignore[arg-type]
                curve=series(curves.curve(topic)),
                examples=examples_of(corpus, np.argsort(-shares[:, topic], kind="stable")[:20], n=2),
                intensity=intensities[topic].curve,
                bursts=intensities[topic].bursts,
            )
        )
    middle = iso(corpus.times[len(corpus) // 2])
    return Topics(found, describe_topic_changes(counts, model.components_, shares, names, when=middle))


def _telling_words(corpus: Corpus) -> tuple[Counts, list[str]]:
    """Return the counts and the names of words in at least three documents and at most a share of them."""
    in_documents = np.asarray((corpus.counts > 0).sum(axis=0)).ravel()
    columns = np.flatnonzero((in_documents >= 3) & (in_documents <= LARGEST_SHARE * len(corpus)))
    return corpus.counts[:, columns], [str(word) for word in np.asarray(corpus.vocabulary.words)[columns]]
