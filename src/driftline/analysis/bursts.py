"""Which words burst, when and how strongly; and how intense each label was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftline.analysis.burst_kinds import BurstKind, kinds_of_word_bursts
from driftline.analysis.curve_times import iso
from driftline.analysis.findings import LabelIntensity, WordBurst
from driftline.analysis.intensities import track_intensities
from driftline.core.arrays import Datetimes
from driftline.core.times import TimeAxis
from driftline.intensity import WordBursts
from driftline.local.changed_words.discovery import ChangedWords
from driftline.streams.corpus import Corpus

N_WORDS = 25
MOST_LABELS = 12
LEAST_DOCUMENTS = 50


def describe_bursts(
    corpus: Corpus, *, n_words: int = N_WORDS, every: str = "auto", tests: ChangedWords | None = None
) -> list[WordBurst]:
    """Return all bursts, nested ones too, of the `n_words` words with the weightiest burst; weightiest word first.

    With the `tests` of changed words, each burst has a kind: of one day, lasting, or unconfirmed.

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
    kinds = _kinds(corpus, rows, tests)
    return [
        WordBurst(
            word=row["word"],
            start=iso(row["start"]),
            end=iso(row["end"]),
            level=int(row["level"]),
            weight=float(f"{row['weight']:.6g}"),
            n_documents=int(row["n_documents"]),
            kind=kind,
        )
        for row, kind in zip(rows, kinds)
    ]


def _kinds(corpus: Corpus, rows: list[dict[str, Any]], tests: ChangedWords | None) -> Sequence[BurstKind | None]:
    if tests is None:
        return [None] * len(rows)
    words = np.asarray(corpus.vocabulary.words)
    lasting = {str(word) for word in words[tests.columns[tests.lasting]]}
    axis = TimeAxis("datetime")
    days = np.floor(axis.values(corpus.times))
    ends = [axis.values(np.array([row["start"], row["end"]], dtype="datetime64[us]")) for row in rows]
    return kinds_of_word_bursts(
        [(float(np.floor(start)), float(np.ceil(end))) for start, end in ends],
        [row["word"] in lasting for row in rows],
        days,
    )


def describe_intensities(corpus: Corpus, when: Datetimes, *, unit: str = "auto") -> list[LabelIntensity]:
    """Return the documents a day of each frequent label, as a rate that moves between levels, with band and bursts."""
    if corpus.labels is None:
        return []
    sizes = np.bincount(corpus.labels[corpus.labels >= 0], minlength=len(corpus.label_names))
    frequent = [code for code in np.argsort(-sizes, kind="stable")[:MOST_LABELS] if sizes[code] >= LEAST_DOCUMENTS]
    if len(frequent) < 2 or len(when) < 2:
        return []
    rows = np.flatnonzero(np.isin(corpus.labels, frequent))
    codes = np.searchsorted(np.sort(frequent), corpus.labels[rows])
    tracked = track_intensities(corpus.times[rows], codes, len(frequent), when, unit=unit)
    return [
        LabelIntensity(corpus.label_names[code], each.curve, each.bursts)
        for code, each in zip(np.sort(frequent), tracked)
    ]
