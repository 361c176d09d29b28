"""The words that burst, when, and how strongly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driftline.analysis.burst_kinds import BurstKind, kinds_of_word_bursts, steps_for
from driftline.analysis.finding import Finding
from driftline.core.times import TimeAxis, iso
from driftline.intensity import WordBursts
from driftline.local.changed_words.discovery import ChangedWords
from driftline.streams.corpus import Corpus
from driftline.text.headline_words import is_calendar_word

if TYPE_CHECKING:
    from driftline.analysis.context import Context

N_WORDS = 25
ROUNDING = 1e-6
"""Part of a unit by which a time may be before the boundary that it means."""


@dataclass(frozen=True)
class WordBurst:
    """An interval in which a word was used far more than usual.

    `level` is the intensity: at level i the word is in 2ⁱ times its usual share of the documents. A burst inside a
    weaker one of the same word has the higher level. `weight` is the gain in log-likelihood (in nats) from the burst,
    if documents are independent. `kind` is "event" for a burst of a single day, "lasting" for one of several days of a
    word that changed for longer than a day, "unconfirmed" for the others, and None if words were not tested. In a
    stream of a few days or hours, the unit of the tests takes the place of a day.
    """

    word: str
    start: str
    end: str
    level: int
    weight: float
    n_documents: int
    kind: BurstKind | None = None


def describe_bursts(
    corpus: Corpus, *, n_words: int = N_WORDS, every: str = "auto", tests: ChangedWords | None = None
) -> list[WordBurst]:
    """Return all bursts, also nested ones, of the `n_words` words whose bursts have the highest weights, in that order.

    Numbers come after all words: in texts that contain their dates, those of every year or month burst. With the
    `tests` of changed words, each burst has a kind: of one day, lasting, or unconfirmed.

    >>> corpus = Corpus.from_texts(
    ...     ["storm tonight" if 40 <= i < 50 else "calm tonight" for i in range(100)],
    ...     np.datetime64("2024-01-01", "us") + np.arange(100) * np.timedelta64(1, "D"),
    ... )
    >>> [(burst.word, burst.start[:10], burst.end[:10]) for burst in describe_bursts(corpus)][:1]
    [('storm', '2024-02-10', '2024-02-20')]
    """
    table = WordBursts(every=every, vocabulary=corpus.vocabulary).fit(corpus.counts, times=corpus.times).bursts_
    found = list(dict.fromkeys(table["word"].to_pylist()))  # the table is sorted by weight
    order = np.argsort(is_calendar_word(found, ()), kind="stable").tolist()
    rank = {found[place]: number for number, place in enumerate(order[:n_words])}
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


def _kinds(corpus: Corpus, rows: list[dict[str, object]], tests: ChangedWords | None) -> Sequence[BurstKind | None]:
    if tests is None:
        return [None] * len(rows)
    words = np.asarray(corpus.vocabulary.words)
    lasting = {str(word) for word in words[tests.columns[tests.outlasting]]}
    axis = TimeAxis("datetime")
    _, length = steps_for(corpus.times, tests.unit if tests.unit not in ("time", "group") else "auto")
    ends = [axis.values(np.array([row["start"], row["end"]], dtype="datetime64[us]")) / length for row in rows]
    return kinds_of_word_bursts(
        [(float(np.floor(start + ROUNDING)), float(np.ceil(end - ROUNDING))) for start, end in ends],
        [row["word"] in lasting for row in rows],
        np.floor(axis.values(corpus.times) / length + ROUNDING),
    )


def find(context: Context) -> list[WordBurst]:
    """Describe the bursts of single words."""
    return describe_bursts(context.reported, tests=context.word_tests)


BURSTS = Finding("bursts", find, empty=list[WordBurst], position=130, since=3)
