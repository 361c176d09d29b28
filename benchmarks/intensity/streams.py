"""Labelled real streams for the benchmarks of the intensity classifier: those on which things were chosen, and others.

The first quarter of each stream is for training. A stream is left out if a class has fewer than five documents there.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.evolving.streams import AUTHORS, PLACES
from benchmarks.evolving.streams import read as read_labelled
from benchmarks.measure import real_data

MOST_COMMITS = 5000
PARTIES = ("CDU/CSU", "SPD", "FDP", "GRUENE", "PDS/LINKE")
CLIENTS = ("Twitter for Android", "Twitter for iPhone", "Twitter Web Client")
ONE_TOPIC = ("acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade")
"""The eight topics of Reuters that are usually taken when every story is to have one."""

SHARES: dict[str, Callable[[Any], Any]] = {
    "even": lambda position: np.full(len(position), 0.5),
    "uneven": lambda position: np.full(len(position), 0.35),
    "waves": lambda position: 0.5 + 0.25 * np.sin(6 * np.pi * position),
    "fall": lambda position: 0.6 - 0.2 * position,
}
"""Courses of the share of a class over a simulated stream."""

_ADDRESS = re.compile(r"https?://\S+|@\w+")


class Split(NamedTuple):
    """One stream of some classes, in time order: vectors of the training part and of the rest."""

    name: str
    train: Any
    test: Any
    y_train: Any
    y_test: Any
    times_train: Any
    times_test: Any


class Texts(NamedTuple):
    """The documents of a collection."""

    texts: Any
    labels: Any
    times: Any

    def among(self, *classes: str) -> Any:
        """Return the rows of some classes."""
        return np.flatnonzero(np.isin(self.labels, classes))


def split_of(name: str, documents: Texts, rows: Any) -> Iterator[Split]:
    """Give the stream of some rows, if its first quarter has enough of each class."""
    rows = rows[np.argsort(documents.times[rows], kind="stable")]
    n = len(rows) // 4
    y, times = documents.labels[rows], documents.times[rows]
    names = np.unique(y)
    if len(names) < 2 or min((y[:n] == label).sum() for label in names) < 5:
        return
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english")
    train = vectorizer.fit_transform(documents.texts[rows[:n]])
    test = vectorizer.transform(documents.texts[rows[n:]])
    yield Split(name, train, test, y[:n], y[n:], times[:n], times[n:])


def splits_of(documents: Texts, groups: Any) -> Iterator[Split]:
    """Give the streams of several groups of classes."""
    for group in groups:
        yield from split_of("/".join(group), documents, documents.among(*group))


def read(name: str, *columns: str) -> Texts:
    """Read a collection; the text is that of the columns together."""
    table = pq.read_table(real_data(name), columns=["time", "label", *columns])
    parts = [table[column].to_pylist() for column in columns]
    texts = np.array([" ".join(part or "" for part in row) for row in zip(*parts)], dtype=object)
    return Texts(texts, np.array([label or "" for label in table["label"].to_pylist()]), table["time"].to_numpy())


def news_pairs() -> Iterator[Split]:
    """Pairs of newsgroups of one hierarchy."""
    documents = read("20news_bydate", "subject", "text")
    for group in ("comp.", "rec.", "sci.", "talk."):
        inside = [label for label in np.unique(documents.labels) if label.startswith(group)]
        yield from splits_of(documents, itertools.combinations(inside, 2))


def distant_news() -> Iterator[Split]:
    """Twelve pairs of newsgroups of two hierarchies."""
    documents = read("20news_bydate", "subject", "text")
    pairs = itertools.combinations(np.unique(documents.labels), 2)
    apart = [pair for pair in pairs if pair[0].split(".")[0] != pair[1].split(".")[0]]
    chosen = np.random.default_rng(5).choice(len(apart), 12, replace=False)
    yield from splits_of(documents, [apart[i] for i in chosen])


def git() -> Iterator[Split]:
    """Pairs of projects, thirds of their common history."""
    documents = read("gitlog_2003_2008", "text")
    for pair in itertools.combinations(np.unique(documents.labels), 2):
        rows = documents.among(*pair)
        rows = rows[np.argsort(documents.times[rows], kind="stable")]
        for part, third in enumerate(np.array_split(rows, 3)):
            yield from split_of(f"{'/'.join(pair)} {part}", documents, third[:MOST_COMMITS])


def mail() -> Iterator[Split]:
    """Pairs of mailing lists, by year."""
    documents = read("maillists_2019_2026", "subject", "text")
    year = documents.times.astype("datetime64[Y]").astype(int) + 1970
    for pair, one in itertools.product(itertools.combinations(np.unique(documents.labels), 2), range(2020, 2026)):
        rows = documents.among(*pair)
        yield from split_of(f"{'/'.join(pair)} {one}", documents, rows[year[rows] == one])


def reuters() -> Iterator[Split]:
    """Stories that have one of eight topics and no other: pairs, and all eight."""
    table = pq.read_table(real_data("reuters21578"), columns=["time", "title", "text", "topics"])
    given = [tuple(names or ()) for names in table["topics"].to_pylist()]
    labels = np.array([names[0] if len(names) == 1 else "" for names in given])
    parts = zip(table["title"].to_pylist(), table["text"].to_pylist())
    texts = np.array([f"{title or ''} {text or ''}" for title, text in parts], dtype=object)
    documents = Texts(texts, labels, table["time"].to_numpy())
    yield from splits_of(documents, [*itertools.combinations(ONE_TOPIC, 2), ONE_TOPIC])


def clients() -> Iterator[Split]:
    """One person's posts by the client they were sent from."""
    yield from splits_of(read("tweets_2015_2017", "text"), [*itertools.combinations(CLIENTS, 2), CLIENTS])


def sites() -> Iterator[Split]:
    """Articles by news site: pairs, and all nine."""
    documents = read("news_sites_2017", "text")
    names = np.unique(documents.labels)
    yield from splits_of(documents, [*itertools.combinations(names, 2), tuple(names)])


def spam() -> Iterator[Split]:
    """Ham and spam."""
    yield from splits_of(read("spamassassin", "subject", "text"), [("ham", "spam")])


def health() -> Iterator[Split]:
    """Neighbouring accounts in alphabetical order, in the time in which both post; addresses and handles left out."""
    documents = read("health_tweets", "text")
    documents = documents._replace(texts=np.array([_ADDRESS.sub(" ", text) for text in documents.texts], dtype=object))
    names = np.unique(documents.labels)
    for pair in zip(names, np.roll(names, -1)):
        when = [documents.times[documents.among(name)] for name in pair]
        rows = documents.among(*pair)
        both = documents.times[rows]
        both = (both >= max(part.min() for part in when)) & (both <= min(part.max() for part in when))
        if both.sum() >= 200:
            yield from split_of("/".join(pair), documents, rows[both])


def folders() -> Iterator[Split]:
    """Pairs of the six largest folders of one person's mail."""
    table = pq.read_table(real_data("enron_partial_folders"), columns=["user", "duplicate"])
    documents = read("enron_partial_folders", "subject", "text")
    users = np.array(table["user"].to_pylist())
    first = ~np.array(table["duplicate"].to_pylist(), dtype=bool)
    for user in np.unique(users):
        own = first & (users == user)
        names, counts = np.unique(documents.labels[own], return_counts=True)
        for pair in itertools.combinations(names[np.argsort(-counts)[:6]], 2):
            rows = documents.among(*pair)
            rows = rows[own[rows]]
            if len(rows) >= 200:
                yield from split_of(f"{user}: {'/'.join(pair)}", documents, rows)


def parties() -> Iterator[Split]:
    """Speeches in a parliament by party: pairs, and all five."""
    yield from splits_of(read("bundestag_speeches", "text"), [*itertools.combinations(PARTIES, 2), PARTIES])


def authors() -> Iterator[Split]:
    """Commit subjects by author, pairs of one project."""
    yield from splits_of(_labelled("gitlog_2003_2008", label="author"), AUTHORS)


def places() -> Iterator[Split]:
    """Reuters stories by the one place that they are about: pairs, and all six."""
    documents = _labelled("reuters21578", label="places")
    yield from splits_of(documents, [*itertools.combinations(PLACES, 2), PLACES])


def replies() -> Iterator[Split]:
    """Messages of one mailing list that are replies, and those that are not."""
    documents = _labelled("maillists_2019_2026", label="is_reply", within="label")
    names = np.unique(documents.labels)
    yield from splits_of(documents, zip(names[::2], names[1::2]))


def _labelled(source: str, **options: Any) -> Texts:
    texts, labels, times = read_labelled(source, **options)
    return Texts(np.array(texts, dtype=object), labels.astype(str), times)


def faint(first_seed: int = 0) -> Iterator[Split]:
    """Simulated documents with hardly any information about their class, half of the streams in runs of a class."""
    kinds = itertools.product((600, 1600, 4000), SHARES.values())
    for seed, (n, course) in enumerate(kinds, start=first_seed):
        for runs in (0.0, 0.3):
            rng = np.random.default_rng([seed, int(10 * runs)])
            position = np.linspace(0, 1, n)
            y = (rng.random(n) < course(position)).astype(int)
            for i in np.flatnonzero(rng.random(n) < runs)[1:]:
                y[i] = y[i - 1]
            direction = 0.12 * rng.normal(size=300) * (rng.random(300) < 0.2)
            strength = np.where(seed % 2, 1 - 0.7 * position, 0.6)
            X = (rng.normal(size=(n, 300)) + np.outer(strength * (2 * y - 1), direction)) / np.sqrt(300)
            times, q = np.arange(n, dtype=float), n // 4
            yield Split(f"faint {seed} {runs}", X[:q], X[q:], y[:q], y[q:], times[:q], times[q:])


Streams = dict[str, Callable[[], Iterator[Split]]]

CHOSEN_ON: Streams = {"newsgroups": news_pairs, "distant newsgroups": distant_news, "git logs": git}
FAINT: Streams = {"hardly any signal, simulated": faint}
SPEECHES: Streams = {"speeches by party": parties}
FRESH: Streams = {
    "commits by author": authors,
    "stories by place": places,
    "replies on a mailing list": replies,
    "hardly any signal, simulated again": lambda: faint(100),
}
"""Streams on which nothing at all was chosen."""
REPORTED_ON: Streams = {
    "mailing lists": mail,
    "Reuters topics": reuters,
    "posts by client": clients,
    "news sites": sites,
    "ham and spam": spam,
    "health accounts": health,
    "mail folders": folders,
}
