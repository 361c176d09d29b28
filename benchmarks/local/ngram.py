"""Local n-gram models against global ones on real streams, and the time they take.

    python -m benchmarks.local.ngram

Log-probabilities are nats per word of documents held out at random (offline), or of every document after the first 40 %
given those before it (online; bandwidth and background chosen on the first 40 %). Repeated texts are left out. Words
that occur once are unknown. The peer of the timing is nltk's WittenBellInterpolated (extra ``bench``), which is fitted
to one window at a time; the sweep's work is all windows of the grid.
"""

from __future__ import annotations

import importlib.util
import math
import re
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from benchmarks.measure import measure, print_table, real_data
from driftline.core.errors import OutsideSupportWarning
from driftline.local import LocalNGram
from driftline.local.fit_times import grid_times, window
from driftline.smoothing.kernels import Kernel

STREAMS = [
    ("abc_headlines_2003", None, 12_000),
    ("health_tweets", "nytimeshealth", 6_000),
    ("gitlog_2003_2008", "postgres", 8_000),
    ("maillists_2019_2026", "linux-man", 3_000),
]
LONGEST = 200
WARM_UP = 0.4
_TOKEN = re.compile(r"https?://\S+|(\w+)")


def read_stream(source: str, label: str | None, n: int) -> tuple[list[list[int]], np.ndarray, int]:
    """Return documents as word numbers, their times in days, and the number of words."""
    columns = ["time", "text"] + (["label"] if label else [])
    table = pq.read_table(real_data(source), columns=columns).to_pydict()
    labels = table.get("label") or [None] * len(table["time"])
    kept = {text: when for when, text, name in zip(table["time"], table["text"], labels) if name == label and text}
    texts = sorted(kept, key=lambda text: kept[text])
    if len(texts) > n:
        chosen = np.sort(np.random.default_rng(0).choice(len(texts), n, replace=False))
        texts = [texts[i] for i in chosen]
    words = [[word for word in _TOKEN.findall(text.lower()) if word][:LONGEST] for text in texts]
    counts = Counter(word for document in words for word in document)
    numbers = {word: i for i, word in enumerate(sorted(word for word in counts if counts[word] > 1))}
    times = np.array([np.datetime64(kept[text], "us") for text in texts]).astype(np.int64) / 86_400e6
    return [[numbers.get(word, -1) for word in document] for document in words], times, len(numbers)


def offline(documents: list[list[int]], times: np.ndarray, n_words: int, order: int) -> list[Any]:
    """Return chosen settings and the log-probabilities of held-out documents."""
    held = np.random.default_rng(1).random(len(documents)) < 0.3
    seen = [document for document, out in zip(documents, held) if not out]
    fresh = [document for document, out in zip(documents, held) if out]
    settings = {"order": order, "n_words": n_words}
    model, taken = measure(lambda: LocalNGram(**settings).fit(seen, times=times[~held]))
    steady = LocalNGram(bandwidth="global", background=0.0, **settings).fit(seen, times=times[~held])
    alone = LocalNGram(background=0.0, **settings).fit(seen, times=times[~held])
    scores = [each.score(fresh, times=times[held]) for each in (steady, alone, model)]
    return [order, _days(model.bandwidth_), model.background_, *scores, scores[2] - scores[0], taken.cpu_seconds]


def online(documents: list[list[int]], times: np.ndarray, n_words: int, order: int) -> list[Any]:
    """Return chosen settings and the log-probabilities of every later document given those before it."""
    first = int(WARM_UP * len(documents))
    settings = {"order": order, "n_words": n_words, "side": "past"}
    chosen, taken = measure(lambda: LocalNGram(**settings).fit(documents[:first], times=times[:first]))
    alone = LocalNGram(background=0.0, **settings).fit(documents[:first], times=times[:first])
    scores = [
        LocalNGram(bandwidth=h, background=rho, **settings)
        .fit(documents, times=times)
        .score(documents[first:], times=times[first:])
        for h, rho in ((math.inf, 0.0), (alone.bandwidth_, 0.0), (chosen.bandwidth_, chosen.background_))
    ]
    return [order, _days(chosen.bandwidth_), chosen.background_, *scores, scores[2] - scores[0], taken.cpu_seconds]


def _days(bandwidth: float) -> str:
    return "∞" if math.isinf(bandwidth) else f"{bandwidth:.3g} d"


def against_nltk(source: str, label: str | None, n: int) -> list[Any]:
    """Return the seconds of one sweep over all windows of a grid, and of nltk on as many windows (three are timed)."""
    from nltk.lm import WittenBellInterpolated
    from nltk.util import everygrams

    documents, times, n_words = read_stream(source, label, n)
    bandwidth = (times[-1] - times[0]) / 16
    model = LocalNGram(order=3, n_words=n_words, bandwidth=bandwidth, background=0.0).fit(documents, times=times)
    model.score(documents[:50], times=times[:50])
    _, ours = measure(lambda: model.score(documents, times=times), repeat=2)
    grid = grid_times(times, Kernel("triangular"), bandwidth, 16, times[0])
    spent = 0.0
    picked = grid[np.linspace(len(grid) * 0.2, len(grid) * 0.8, 3).astype(int)]
    for t in picked:
        first, last = window(times, Kernel("triangular"), bandwidth, t)
        texts = [[str(word) for word in document if word >= 0] for document in documents[first:last]]
        near = np.abs(times - t) <= bandwidth / 32
        start = time.process_time()
        peer = WittenBellInterpolated(3)
        peer.fit((everygrams(text, max_len=3) for text in texts), vocabulary_text=[w for text in texts for w in text])
        for i in np.flatnonzero(near):
            words = [str(word) for word in documents[i] if word >= 0]
            for at, word in enumerate(words):
                peer.score(word, words[max(at - 2, 0) : at])
        spent += time.process_time() - start
    theirs = spent / len(picked) * len(grid)
    return [
        source,
        len(documents),
        sum(map(len, documents)),
        len(grid),
        ours.cpu_seconds,
        theirs,
        theirs / ours.cpu_seconds,
    ]


def main() -> None:
    """Print the tables."""
    warnings.simplefilter("ignore", OutsideSupportWarning)
    headings = ["stream", "order", "bandwidth", "ρ", "global", "local, ρ = 0", "local", "gain", "seconds to choose"]
    for title, work in (("Offline", offline), ("Online", online)):
        rows = []
        for source, label, n in STREAMS:
            documents, times, n_words = read_stream(source, label, n)
            name = source if label is None else f"{source}: {label}"
            rows += [[name, *work(documents, times, n_words, order)] for order in (1, 2, 3)]
        print_table(f"{title}: nats per word", headings, rows)
    if importlib.util.find_spec("nltk") is None:
        print("\nnltk is not installed (extra bench): no timing against it")
        return
    print_table(
        "Time of a whole sweep, order 3 (nltk: three windows timed, scaled to all)",
        ["stream", "documents", "tokens", "windows", "driftline, seconds", "nltk, seconds", "ratio"],
        [against_nltk(*STREAMS[0]), against_nltk(*STREAMS[3])],
    )


if __name__ == "__main__":
    main()
