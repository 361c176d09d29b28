"""What the documents are about: topics, their share over time, and which rise or fall."""

from __future__ import annotations

import numpy as np

from driftline.analysis.examples import examples_of
from driftline.analysis.findings import TopicFinding
from driftline.analysis.timeline import series
from driftline.core.arrays import Counts, Datetimes
from driftline.streams.corpus import Corpus
from driftline.topics import LDA, topics_over_time

LEAST_DOCUMENTS = 300
DOCUMENTS_PER_TOPIC = 150
MOST_TOPICS = 30
LARGEST_SHARE = 0.3
"""Words in more than this share of the documents say little about what one is about."""


def describe_topics(corpus: Corpus, when: Datetimes, *, random_state: int = 0, n_words: int = 8) -> list[TopicFinding]:
    """Return the topics of a corpus, largest first; none if it is too small to tell.

    There are as many topics as 150 documents each would make, at most 30.
    """
    if len(corpus) < LEAST_DOCUMENTS or len(when) < 2:
        return []
    counts, words = _telling_words(corpus)
    if counts.nnz == 0:
        return []
    n_topics = int(np.clip(len(corpus) // DOCUMENTS_PER_TOPIC, 4, MOST_TOPICS))
    model = LDA(n_topics=n_topics, random_state=random_state, vocabulary=words).fit(counts)
    shares = model.transform(counts)
    curves = topics_over_time(shares, None, times=corpus.times, when=when)
    names = model.top_words(n_words)
    found = []
    for topic in np.argsort(-curves.mean_share, kind="stable").tolist():
        movement = "holds" if not curves.significant[topic] else "rises" if curves.trend[topic] > 0 else "falls"
        found.append(
            TopicFinding(
                words=[str(word) for word in names[topic]],
                share=float(curves.mean_share[topic]),
                trend=float(curves.trend[topic]),
                p_value=float(curves.p_value[topic]),
                movement=movement,  # type: ignore[arg-type]
                curve=series(curves.curve(topic)),
                examples=examples_of(corpus, np.argsort(-shares[:, topic], kind="stable")[:20], n=2),
            )
        )
    return found


def _telling_words(corpus: Corpus) -> tuple[Counts, list[str]]:
    """Return the counts and the names of words in at least three documents and at most a share of them."""
    in_documents = np.asarray((corpus.counts > 0).sum(axis=0)).ravel()
    columns = np.flatnonzero((in_documents >= 3) & (in_documents <= LARGEST_SHARE * len(corpus)))
    return corpus.counts[:, columns], [str(word) for word in np.asarray(corpus.vocabulary.words)[columns]]
