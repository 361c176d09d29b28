"""Real streams divided into frames, of which a few documents are labelled: for the benchmarks of this family."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp

from benchmarks.measure import real_data
from driftline.streams.frames import frame_bounds
from driftline.text.counts import count_words
from driftline.text.tokenise import Tokenizer

_ADDRESS = re.compile(r"https?://\S+|@\w+")
_COLUMNS = {
    "maillists_2019_2026": ("text",),
    "gitlog_2003_2008": ("subject",),
    "health_tweets": ("text",),
    "20news_bydate": ("subject", "text"),
    "reuters21578": ("title", "text"),
    "spamassassin": ("subject", "text"),
    "tweets_2015_2017": ("text",),
    "news_sites_2017": ("text",),
    "bundestag_speeches": ("text",),
    "polarity2000": ("text",),
    "enron_partial_folders": ("subject", "text"),
}
REUTERS = ("earn", "acq", "crude", "trade", "money-fx", "interest", "money-supply", "ship", "sugar", "coffee")
"""Large topics in order of size."""
CLIENTS = ("Twitter for Android", "Twitter for iPhone", "Twitter Web Client")
PARTIES = ("CDU/CSU", "SPD", "FDP", "GRUENE", "PDS/LINKE")
FOLDERS = ("blair-l: meetings", "blair-l: sent_items", "blair-l: deleted_items", "blair-l: inbox")
"""Large folders of one person."""
AUTHORS = (
    ("Adrian Holovaty", "Malcolm Tredinnick"),
    ("Jacob Kaplan-Moss", "Russell Keith-Magee"),
    ("Bruce Momjian", "Tom Lane"),
    ("Peter Eisentraut", "Neil Conway"),
    ("drh", "danielk1977"),
    ("Alexandre Julliard", "Jacek Caban"),
    ("Mike McCormack", "Francois Gouget"),
)
"""Large authors of one project each, neighbours in order of size."""
PLACES = ("uk", "canada", "japan", "west-germany", "france", "australia")
"""Places in order of size, without the one that most stories are from."""
HEALTH = (
    "goodhealth",
    "nytimeshealth",
    "nprhealth",
    "reuters_health",
    "NBChealth",
    "latimeshealth",
    "cnnhealth",
    "bbchealth",
    "cbchealth",
    "KaiserHealthNews",
    "everydayhealth",
)
"""Large accounts in order of size, each of which wrote in the same months as the next."""


class Texts(NamedTuple):
    """Documents in order of time."""

    texts: list[str]
    labels: np.ndarray
    times: np.ndarray


class FramedStream(NamedTuple):
    """Counted documents of some classes, and the rows of every frame."""

    name: str
    counts: sp.csr_matrix
    codes: np.ndarray
    frames: list[np.ndarray]

    def labelled(self, rows: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `n` documents of a frame (at most half of it) for labelling, at least one of every class it has."""
        n = min(n, len(rows) // 2)
        order = rng.permutation(rows)
        firsts = [order[self.codes[order] == c][0] for c in np.unique(self.codes[rows])]
        others = order[~np.isin(order, firsts)]
        return np.concatenate([np.array(firsts, dtype=np.int64), others])[:n]


def read(source: str, *, addresses: bool = False, label: str = "label", within: str | None = None) -> Texts:
    """Return the dated and labelled texts of a source, without repeated texts and (unless requested) web addresses.

    `label` is the column of the labels; of a list, documents with one entry are taken; the value of the column `within`
    is put before it. Where there are no dates, documents come in the order of their ids, which stand in for times.
    """
    names = pq.read_schema(real_data(source)).names
    label = "topics" if "topics" in names and label == "label" else label
    columns = [name for name in ("time", "id", within) if name in names]
    table = pq.read_table(real_data(source), columns=[*columns, label, *_COLUMNS[source]]).to_pydict()
    if "time" not in names:
        places = np.argsort(np.argsort(table["id"], kind="stable"), kind="stable")
        table["time"] = list(np.datetime64("2000-01-01", "us") + places)
    labels = table[label]
    if label in ("topics", "places"):
        labels = [each[0] if each is not None and len(each) == 1 else None for each in labels]
    if within is not None:
        labels = [f"{group}: {each}" for group, each in zip(table[within], labels)]
    documents, seen = [], set()
    for time, of, *parts in zip(table["time"], labels, *(table[column] for column in _COLUMNS[source])):
        text = " ".join(part or "" for part in parts)
        text = text if addresses else _ADDRESS.sub(" ", text)
        if of is not None and time is not None and (of, text) not in seen:
            seen.add((of, text))
            documents.append((np.datetime64(time, "us"), of, text))
    documents.sort(key=lambda document: document[0])
    return Texts(
        [text for _, _, text in documents],
        np.array([of for _, of, _ in documents], dtype=object),
        np.array([time for time, _, _ in documents]),
    )


def framed(
    texts: Texts, classes: tuple[str, ...], every: Any, *, most: int | None = None, together: bool = True
) -> FramedStream:
    """Count the documents of some classes and cut them into frames.

    `every` is a calendar step, or a number of consecutive documents. With `together`, the frames run from the first to
    the last one in which all classes have documents. `most` is the number of documents drawn evenly from a larger
    frame.
    """
    rows = np.flatnonzero(np.isin(texts.labels, classes))
    if isinstance(every, int):
        bounds = np.append(np.arange(0, max(len(rows) - every // 2, 1), every), len(rows))
    else:
        _, bounds = frame_bounds(texts.times[rows], every)
    frames = [rows[a:b] for a, b in pairwise(bounds)]
    if together:
        whole = [t for t, frame in enumerate(frames) if len(set(texts.labels[frame])) == len(classes)]
        frames = frames[whole[0] : whole[-1] + 1]
    rng = np.random.default_rng(0)
    if most is not None:
        frames = [np.sort(rng.choice(f, most, replace=False)) if len(f) > most else f for f in frames]
    kept = np.concatenate(frames)
    counts, _ = count_words([texts.texts[i] for i in kept], Tokenizer(stop_words="english"), min_df=3)
    edges = np.cumsum([0, *(len(frame) for frame in frames)])
    codes = np.array([classes.index(label) for label in texts.labels[kept]])
    name = " / ".join(classes)
    return FramedStream(name, sp.csr_matrix(counts, dtype=np.float64), codes, [np.arange(*e) for e in pairwise(edges)])


def pairs_of(kind: str, most: int) -> Iterator[FramedStream]:
    """Yield the pairs of one kind of stream, in months or, if dates are clustered, every fixed number of documents."""
    if kind == "mail":
        texts = read("maillists_2019_2026")
        pairs, every = combinations(sorted(set(texts.labels)), 2), "1mo"
    elif kind == "git":
        texts = read("gitlog_2003_2008")
        pairs, every = combinations(sorted(set(texts.labels)), 2), "1mo"
    elif kind in ("health", "health, raw"):
        texts = read("health_tweets", addresses=kind == "health, raw")
        pairs, every = [*pairwise(HEALTH), (HEALTH[0], HEALTH[2]), (HEALTH[1], HEALTH[3])], "1mo"
    elif kind == "20 newsgroups":
        texts = read("20news_bydate")
        names = sorted(set(texts.labels))
        pairs, every = zip(names[::2], names[1::2]), 100
    elif kind == "Reuters":
        texts = read("reuters21578")
        pairs, every = zip(REUTERS[::2], REUTERS[1::2]), 100
    elif kind in ("clients", "clients, raw"):
        texts = read("tweets_2015_2017", addresses=kind == "clients, raw")
        pairs, every = combinations(CLIENTS, 2), "1mo"
    elif kind == "sites":
        texts = read("news_sites_2017")
        names = [name for name, _ in Counter(texts.labels).most_common()]
        pairs, every = [*pairwise(names), (names[0], names[-1])], 50  # in order of size, round in a circle
    elif kind == "parties":
        texts = read("bundestag_speeches")
        pairs, every = combinations(PARTIES, 2), 30
    elif kind == "folders":
        texts, pairs, every = read("enron_partial_folders", within="user"), combinations(FOLDERS, 2), 60
    elif kind == "authors":
        texts, pairs, every = read("gitlog_2003_2008", label="author"), AUTHORS, "1mo"
    elif kind == "places":
        texts, pairs, every = read("reuters21578", label="places"), [*pairwise(PLACES), (PLACES[0], PLACES[-1])], 60
    elif kind == "replies":
        texts = read("maillists_2019_2026", label="is_reply", within="label")
        names = sorted(set(texts.labels))
        pairs, every = zip(names[::2], names[1::2]), "1mo"
    elif kind == "polarity":
        texts, pairs, every = read("polarity2000"), [("neg", "pos")], 100
    else:
        texts, pairs, every = read("spamassassin"), [("ham", "spam")], 100
    for pair in pairs:
        yield framed(texts, tuple(pair), every, most=most)
