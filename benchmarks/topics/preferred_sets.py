"""The sets of documents of `benchmarks/topics/preferred.py`: one vocabulary and held-out documents for all systems.

The constants of `TopicMap` were chosen on `CHOSEN_ON` alone; `REPORTED` are the sets on which nothing was chosen.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq

from benchmarks.measure import real_data
from benchmarks.topics.elsewhere import advisories, film_plots, fortunes, guardian_headlines, package_titles
from driftline.streams.corpus import Corpus
from driftline.text.cleaning import clean
from driftline.text.tokenise import Tokenizer

CHOSEN_ON = ("20news subjects", "Reuters bodies", "health tweets", "git")
REPORTED = (
    "Reuters titles",
    "20news bodies",
    "headlines",
    "mail",
    "news sites",
    "tweets",
    "speeches (de)",
    "reviews",
    "headlines 2020",
    "film plots",
    "package titles",
    "fortunes",
    "advisories",
)
LEAST_CLASS = 30
"""Least number of documents of a class of Reuters; documents of several classes, or of smaller ones, are left out."""


class Documents(NamedTuple):
    """One set: counts and texts of the fitted documents, their labels (None if not topics), held-out counts."""

    name: str
    counts: Any
    texts: list[str]
    labels: Any
    held: Any
    words: list[str]
    times: Any


def _table(name, *columns):
    table = pq.read_table(real_data(name), columns=list(columns))
    return [table[column].to_pylist() for column in columns]


def _plain_subject(text):
    return re.sub(r"^\s*((re|fwd?|aw)\s*(\[\d+\])?\s*:\s*)+", "", text or "", flags=re.IGNORECASE)


def _newsgroups(column):
    def read():
        texts, labels = _table("20news_bydate", column, "label")
        return [_plain_subject(text) if column == "subject" else text for text in texts], labels

    return read


def _reuters(column):
    def read():
        texts, topics = _table("reuters21578", column, "topics")
        single = [topic[0] if topic is not None and len(topic) == 1 else None for topic in topics]
        sizes = {name: single.count(name) for name in set(single) if name}
        rows = [i for i, name in enumerate(single) if name and sizes[name] >= LEAST_CLASS and texts[i]]
        return [texts[i] for i in rows], [single[i] for i in rows]

    return read


def _plain(name, column="text", label=None):
    def read():
        if label is None:
            return _table(name, column)[0], None
        texts, labels = _table(name, column, label)
        return texts, labels

    return read


def _cleaned(read):
    """Read a set as `driftline topics` does: without web addresses and other additions of the source."""

    def read_cleaned():
        texts, labels = read()
        return [" ".join(text.split()) for text in clean(texts).texts.to_pylist()], labels

    return read_cleaned


SETS = {
    "20news subjects": (_newsgroups("subject"), 5000, "english"),
    "Reuters bodies": (_reuters("text"), 3000, "english"),
    "health tweets": (_plain("health_tweets"), 5000, "english"),
    "git": (_plain("gitlog_2003_2008"), 5000, "english"),
    "Reuters titles": (_reuters("title"), 5000, "english"),
    "20news bodies": (_newsgroups("text"), 3000, "english"),
    "headlines": (_plain("abc_headlines_2003"), 6000, "english"),
    "mail": (_plain("maillists_2019_2026", label="label"), 3000, "english"),
    "news sites": (_plain("news_sites_2017"), 2500, "english"),
    "tweets": (_plain("tweets_2015_2017"), 5000, "english"),
    "speeches (de)": (_plain("bundestag_speeches"), 700, "de"),
    "reviews": (_plain("laptop_reviews"), 1000, "english"),
    "headlines 2020": (guardian_headlines, 3500, "english"),
    "film plots": (film_plots, 5000, "english"),
    "package titles": (package_titles, 5000, "english"),
    "fortunes": (fortunes, 5000, "english"),
    "advisories": (advisories, 5000, "english"),
    "health tweets, cleaned": (_cleaned(_plain("health_tweets")), 5000, "english"),
    "git, cleaned": (_cleaned(_plain("gitlog_2003_2008")), 5000, "english"),
}
"""Reader, number of fitted documents, language of the stop words. The labels of mail are lists, each on one program.
The cleaned sets are for blind reading only (`preferred_reading.py`)."""
MOST_HELD = 5000
LONGEST = 4000
"""Characters of a document that are read."""


def documents(name: str, *, n: int | None = None) -> Documents:
    """Return a set: documents drawn at random, once for all systems and seeds; words in 3 documents, at most half."""
    read, size, language = SETS[name]
    texts, labels = read()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(texts))[: (n or size) + MOST_HELD]
    texts = [(texts[i] or "")[:LONGEST] for i in order]
    known = None if labels is None else np.array([labels[i] for i in order])
    n_fit = min(n or size, len(texts) * 3 // 4)
    tokenizer = Tokenizer(stop_words=language, pattern=r"\p{L}{2,}")
    corpus = Corpus.from_texts(texts[:n_fit], range(n_fit), tokenizer=tokenizer, min_df=3, max_df=0.5)
    held = Corpus.from_texts(
        texts[n_fit:], range(len(texts) - n_fit), tokenizer=tokenizer, vocabulary=corpus.vocabulary
    )
    used = np.flatnonzero(np.asarray(corpus.counts.sum(axis=1)).ravel() > 0)
    return Documents(
        name,
        corpus.counts[used],
        [texts[i] for i in used],
        None if known is None else np.unique(known[:n_fit][used], return_inverse=True)[1],
        held.counts,
        [str(word) for word in corpus.vocabulary.words],
        np.arange(len(used)),
    )
