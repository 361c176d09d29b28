"""Pairs of classes from real dated texts, for the benchmarks of the local classifiers."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from benchmarks.measure import real_data
from driftline.text.counts import count_words
from driftline.text.vocabulary import Vocabulary

_ADDRESS = re.compile(r"https?://\S+|@\w+")


class Pair(NamedTuple):
    """Documents of two classes in order of time; times are days."""

    X: sp.csr_matrix
    labels: np.ndarray
    times: np.ndarray
    vocabulary: Vocabulary

    def rows(self, chosen: Any) -> Pair:
        """Return some of the documents."""
        return Pair(self.X[chosen], self.labels[chosen], self.times[chosen], self.vocabulary)


def read_pair(source: str, first: str, second: str, n: int, *, seed: int = 0) -> Pair:
    """Return at most `n` documents of two classes: words in at least three, log counts, rows of length one.

    Texts that occur again are left out; so are web addresses and account names, which reveal a tweet's account.
    """
    columns = pq.read_schema(real_data(source)).names
    wanted = [name for name in ("time", "label", "topics", "subject", "title", "text") if name in columns]
    table = pq.read_table(real_data(source), columns=wanted).to_pydict()
    if "topics" in table:
        labels = [only[0] if only is not None and len(only) == 1 else None for only in table["topics"]]
    else:
        labels = table["label"]
    heads = table.get("subject") or table.get("title") or [""] * len(labels)
    documents, seen = [], set()
    for time, label, head, body in zip(table["time"], labels, heads, table["text"]):
        text = _ADDRESS.sub(" ", f"{head or ''} {body or ''}")
        if label in (first, second) and time is not None and text not in seen:
            seen.add(text)
            documents.append((np.datetime64(time, "us"), label == second, text))
    documents.sort(key=lambda document: document[0])
    rng = np.random.default_rng(seed)
    if len(documents) > n:
        documents = [documents[i] for i in np.sort(rng.choice(len(documents), n, replace=False))]
    return pair_of(documents)


def pair_of(documents: list[tuple[np.datetime64, bool, str]]) -> Pair:
    """Count documents of two classes, given in order of time as (time, is of the second class, text)."""
    counts, vocabulary = count_words([text for _, _, text in documents], min_df=3)
    X = sp.csr_matrix(counts, dtype=np.float64)
    X.data = np.log1p(X.data)
    times = np.array([time for time, _, _ in documents]).astype(np.int64) / 86_400e6
    return Pair(normalize(X), np.array([label for _, label, _ in documents], dtype=np.int64), times, vocabulary)
