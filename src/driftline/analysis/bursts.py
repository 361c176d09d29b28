"""Which words burst, when and how strongly; and how intense each label was."""

from __future__ import annotations

import numpy as np

from driftline.analysis.findings import LabelIntensity, WordBurst
from driftline.analysis.intensities import track_intensities
from driftline.analysis.timeline import iso
from driftline.core.arrays import Datetimes
from driftline.intensity import WordBursts
from driftline.streams.corpus import Corpus

N_WORDS = 25
MOST_LABELS = 12
LEAST_DOCUMENTS = 50


def describe_bursts(corpus: Corpus, *, n_words: int = N_WORDS, every: str = "auto") -> list[WordBurst]:
    """Return all bursts, nested ones too, of the `n_words` words with the weightiest burst; weightiest word first.

    >>> corpus = Corpus.from_texts(
    ...     ["storm tonight" if 40 <= i < 50 else "calm tonight" for i in range(100)],
    ...     np.datetime64("2024-01-01", "us") + np.arange(100) * np.timedelta64(1, "D"),
    ... )
    >>> [(burst.word, burst.start[:10], burst.end[:10]) for burst in describe_bursts(corpus)][:1]
    [('storm', '2024-02-10', '2024-02-20')]
    """
    table = WordBursts(every=every, vocabulary=corpus.vocabulary).fit(corpus.counts, times=corpus.times).bursts_
    rank: dict[str, int] = {}
    for word in table["word"].to_pylist():  # the table has the weightiest burst first
        if word not in rank and len(rank) < n_words:
            rank[word] = len(rank)
    rows = [row for row in table.to_pylist() if row["word"] in rank]
    rows.sort(key=lambda row: (rank[row["word"]], row["level"], row["start"]))
    return [
        WordBurst(
            word=row["word"],
            start=iso(row["start"]),
            end=iso(row["end"]),
            level=int(row["level"]),
            weight=float(f"{row['weight']:.6g}"),
            n_documents=int(row["n_documents"]),
        )
        for row in rows
    ]


def describe_intensities(corpus: Corpus, when: Datetimes) -> list[LabelIntensity]:
    """Return the documents a day of each frequent label, as a rate that moves between levels, with band and bursts."""
    if corpus.labels is None:
        return []
    sizes = np.bincount(corpus.labels[corpus.labels >= 0], minlength=len(corpus.label_names))
    frequent = [code for code in np.argsort(-sizes, kind="stable")[:MOST_LABELS] if sizes[code] >= LEAST_DOCUMENTS]
    if len(frequent) < 2 or len(when) < 2:
        return []
    rows = np.flatnonzero(np.isin(corpus.labels, frequent))
    codes = np.searchsorted(np.sort(frequent), corpus.labels[rows])
    tracked = track_intensities(corpus.times[rows], codes, len(frequent), when)
    return [
        LabelIntensity(corpus.label_names[code], each.curve, each.bursts)
        for code, each in zip(np.sort(frequent), tracked)
    ]
