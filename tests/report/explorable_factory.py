"""Words and documents to explore, made by hand: days with events, two labels, three authors, two sources."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from driftline.analysis.findings.explorable import Explorable, Groups
from driftline.core.times import TimeAxis
from driftline.local.reading.word_cycles import Cycles
from driftline.text.headline_words import is_listed_last

N_DAYS = 150
PER_DAY = 5
FIRST = np.datetime64("2024-01-01", "s")


def explorable(words: Sequence[str] | None = None, *, seed: int = 0, bandwidth: float | None = None) -> Explorable:
    """Return documents of 150 days (without forty in the middle); word 0 rises, 1 has weekends, 2 is an event."""
    rng = np.random.default_rng(seed)
    names = [f"word{i:02}" for i in range(24)] if words is None else list(words)
    days = np.concatenate([np.arange(60), np.arange(100, N_DAYS)])
    day = np.repeat(days, PER_DAY)
    n = len(day)
    rates = 0.02 + 0.3 * rng.random((1, len(names))) * rng.gamma(3, 1 / 3, (N_DAYS, len(names)))
    rates[:, 0] = np.linspace(0.05, 0.6, N_DAYS)
    if len(names) > 2:
        rates[:, 1] *= np.where((np.arange(N_DAYS) + 3) % 7 >= 5, 3.0, 0.7)
        rates[:, 2] = np.where(np.abs(np.arange(N_DAYS) - 30) < 2, 0.7, 0.004)
    labels = rng.integers(-1, 2, n)
    rate = rates[day]
    rate[labels == 1, 0] *= 0.4
    have = sp.csc_array((rng.random(rate.shape) < np.minimum(rate, 0.95)).astype(float))
    times = FIRST + day.astype("timedelta64[D]") + rng.integers(0, 86_400, n).astype("timedelta64[s]")
    order = np.argsort(times, kind="stable")
    have, times, labels = have[order], times[order], labels[order]
    have = sp.csc_array(have)
    have.sort_indices()
    _, unit = np.unique(times.astype("datetime64[D]"), return_inverse=True)
    seconds = times.astype(np.int64) / 86_400
    unit_times = np.bincount(unit, weights=seconds) / np.bincount(unit)
    axis = TimeAxis("datetime")
    profile = np.array([[0.7] * 5 + [1.9, 1.7]])
    ones = np.array([1])
    cycle = Cycles("week", np.array([1]), profile, np.array([5]), np.array([2.7]), ones, ones, np.array([1.0]))
    texts = [f"{row}: " + " ".join(names[c] for c in have[[row]].tocsr().indices) for row in range(n)]
    sources = np.where(rng.random(n) < 0.2, -1, rng.random(n) < 0.3 + 0.4 * (have[:, [0]].toarray()[:, 0] > 0))
    return Explorable(
        words=tuple(names),
        items=have,
        document=np.arange(n),
        unit=unit,
        unit_times=unit_times,
        unit_kind="day",
        exchanged=unit,
        exchanged_kind="day",
        when=axis.values(axis.restore(np.linspace(unit_times[0], unit_times[-1], 60))),
        bandwidth=bandwidth,
        cycles=(cycle,) if len(names) > 2 else (),
        events=np.array([2]) if len(names) > 2 else np.zeros(0, dtype=np.int64),
        last=np.flatnonzero(is_listed_last(names)),
        times=times,
        ids=pa.chunked_array([pa.array([f"id{row}" for row in range(n)])]),
        texts=pa.chunked_array([pa.array(texts)]),
        labels=Groups(labels, ("=sport", "politics")),
        authors=Groups(rng.integers(0, 3, n), ("ann", "bob", "<i>eve</i>")),
        sources=Groups(sources.astype(np.int64), ("a/<b>", "mail & news.csv")),
        noun="documents",
    )
