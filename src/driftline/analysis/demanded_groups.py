"""Whether a test must permute whole authors, too: are days independent, given who writes?

An author who joins, writes about one subject for weeks and leaves makes every word of that subject seem to change.
Therefore all documents of each author are shifted cyclically in the stream together, by a separate offset per author.
Then only who writes changes, and a test that permutes days should find 5 % of the words at p < 0.05. If it finds more
than `MOST_BELOW`, days are not exchangeable, and a lasting change must also be one among authors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from driftline.analysis.items import Items, present
from driftline.core.arrays import Datetimes, Ints
from driftline.core.randomness import generator
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.document_groups import document_groups
from driftline.streams.exchange import FEWEST_FOR_LASTING

CANDIDATES = ("author", "thread")
"""Columns whose groups a test permutes if the documents require it, the coarser first."""
MOST_BELOW = 0.1
"""Share of words at p < 0.05, if only who writes changes, above which days are not exchangeable."""
N_WORDS = 500
"""Number of words examined: the most frequent of those in at most half of the documents."""
N_SHIFTS = 2


def demanded_groups(items: Items, documents: pa.Table, *, random_state: Any = 0) -> tuple[str, Ints] | None:
    """Return the groups that a test must permute besides days, and the group of every document; None if days suffice.

    Fewer than `FEWEST_FOR_LASTING` groups support no test: then the day remains the only unit, and a change in who
    writes is found within groups (`driftline.analysis.headlines`).

    >>> rng = np.random.default_rng(0)
    >>> author = np.repeat(np.arange(80), 20)
    >>> times = np.datetime64("2024-01-01", "us") + (author * 4 + rng.integers(0, 20, 1600)) * np.timedelta64(1, "D")
    >>> own_words = rng.random((1600, 40)) < np.where(author[:, None] % 40 == np.arange(40), 0.4, 0.02)
    >>> items = Items(own_words.astype(float), times, np.arange(1600), "documents")
    >>> documents = pa.table({"author": author.astype(str), "thread": pa.nulls(1600, pa.string())})
    >>> demanded_groups(items, documents)[0]
    'author'
    """
    for column in CANDIDATES:
        groups = document_groups(documents, column)
        if groups is None or len(groups.names) < FEWEST_FOR_LASTING:
            continue
        codes = groups.alone_where_unknown()
        if share_below(items, codes[items.document], random_state=random_state) > MOST_BELOW:
            return column, codes
    return None


def share_below(items: Items, groups: Ints, *, level: float = 0.05, random_state: Any = 0) -> float:
    """Return the share of words with p-values below `level` by days if whole groups are shifted in the stream."""
    held = np.bincount(present(items.counts).indices, minlength=items.counts.shape[1])
    order = np.argsort(-held, kind="stable")
    columns = order[held[order] <= len(items.times) / 2][:N_WORDS]
    counts, sizes = present(items.counts)[:, columns], np.ones(len(items.times))
    rng = generator(random_state)
    below = []
    for _ in range(N_SHIFTS):
        times = shifted(items.times, groups, rng)
        found = changed_words(counts, times=times, sizes=sizes, events=False, random_state=rng)
        below.append(float(np.mean(found.p_value < level)) if len(found.p_value) else 0.0)
    return float(np.mean(below))


def shifted(times: Datetimes, groups: Ints, rng: np.random.Generator) -> Datetimes:
    """Return times with the items of every group shifted cyclically together, by rank; counts per time stay the same.

    >>> moved = shifted(np.arange(6).astype("datetime64[D]"), np.zeros(6, dtype=np.int64), np.random.default_rng(0))
    >>> np.diff(moved.astype(np.int64)) % 6
    array([1, 1, 1, 1, 1])
    """
    n = len(times)
    rank = np.argsort(np.argsort(times, kind="stable"), kind="stable")
    offset = rng.integers(0, max(n, 1), int(groups.max(initial=-1)) + 1)
    result = np.empty_like(times)
    result[np.argsort((rank + offset[groups]) % max(n, 1), kind="stable")] = np.sort(times)
    return result
