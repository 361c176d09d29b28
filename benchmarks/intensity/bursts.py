"""Bursts of words: the spring of 2003, the speed for all words of a corpus, and other packages.

    python -m benchmarks.intensity.bursts

Peers that are not installed (extra ``bench``) are left out.
"""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.measure import measure, print_table, real_data
from driftline.intensity import BurstAutomaton, WordBursts


def main() -> None:
    X, times, words = headlines()
    spring_of_2003(X, times, words)
    speed()
    batched_peer(X, times)
    gap_peer()


def headlines() -> tuple[Any, Any, Any]:
    table = pq.read_table(real_data("abc_headlines_2003"))
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(table["text"].to_pylist())
    return X, table["time"].to_numpy(), vectorizer.get_feature_names_out()


def spring_of_2003(X: Any, times: Any, words: Any) -> None:
    found, taken = measure(lambda: WordBursts(every="1d", vocabulary=words).fit(X, times=times))
    day = np.timedelta64(1, "D")
    rows = [
        (
            row["word"],
            str(np.datetime64(row["start"], "D")),
            str(np.datetime64(row["end"], "D") - day),
            row["level"],
            row["weight"],
            row["n_documents"],
        )
        for row in found.bursts_.slice(0, 15).to_pylist()
    ]
    print_table(
        f"Bursts with the highest weights of abc_headlines_2003 (by day, s = 2, γ = 1, words in ≥ 5 headlines; "
        f"{found.bursts_.num_rows} bursts in {taken.wall_seconds:.2f} s)",
        ["word", "first day", "last day", "level", "weight", "headlines"],
        rows,
    )


def corpus(n_documents: int, n_words: int, seed: int = 0) -> tuple[Any, Any]:
    """Return counts of documents of 20 words each, word frequencies falling as 1 / rank."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, n_words + 1)
    tokens = rng.choice(n_words, size=20 * n_documents, p=share / share.sum())
    rows = np.repeat(np.arange(n_documents), 20)
    X = sp.csr_matrix((np.ones(len(tokens)), (rows, tokens)), shape=(n_documents, n_words))
    return X, np.sort(rng.uniform(0, 1000, n_documents))


def speed() -> None:
    rows = []
    rng = np.random.default_rng(1)
    everywhere = sp.random(40_000, 4000, density=0.25, format="csr", rng=rng), np.arange(40_000) / 40
    for name, (X, times) in (("words as in text", corpus(500_000, 200_000)), ("in every bin", everywhere)):
        n_words = int((X.getnnz(axis=0) > 0).sum())
        for n_jobs in (1, 2):
            model = WordBursts(every=1.0, min_documents=1, n_jobs=n_jobs)
            _, taken = measure(lambda model=model, X=X, times=times: model.fit(X, times=times), repeat=3)
            a_minute = f"{60 * n_words / taken.wall_seconds:,.0f}"
            rows.append((name, n_jobs, n_words, taken.wall_seconds, taken.cpu_seconds, a_minute))
    print_table(
        "All words of a corpus through the automaton (500,000 documents of 20 words; the worst case has each of 4,000 "
        "words in all of the bins; 1000 bins)",
        ["corpus", "threads", "word series", "seconds", "CPU s", "series a minute"],
        rows,
    )
    rng = np.random.default_rng(0)
    rows = []
    for n in (10_000, 100_000, 1_000_000):
        series = np.cumsum(rng.exponential(np.where(rng.random(n) < 0.5, 0.1, 10.0)))
        found, taken = measure(lambda series=series: BurstAutomaton().fit(series))
        rows.append((f"{n:,}", len(found.rates_), taken.wall_seconds, 1e9 * taken.wall_seconds / n / len(found.rates_)))
    print_table("One series of arrival times", ["documents", "states", "seconds", "ns per document and state"], rows)


def batched_peer(X: Any, times: Any) -> None:
    """Compare with burst_detection, which has two states and takes the best state of each step in turn."""
    try:
        import burst_detection
        import pandas as pd
    except ImportError:
        print("\n(burst_detection and pandas are not installed; their comparison is left out)")
        return
    day = times.astype("datetime64[D]").astype(int)
    _, of_day = np.unique(day, return_inverse=True)
    totals = np.bincount(of_day)
    frequent = np.flatnonzero(np.bincount((X > 0).indices, minlength=X.shape[1]) >= 20)[:300]
    series = [np.bincount(of_day, weights=(X[:, [w]].toarray().ravel() > 0), minlength=len(totals)) for w in frequent]
    BurstAutomaton(max_level=1).fit(series[0], totals=totals)  # compiled before the clock starts
    ours, our_time = measure(lambda: [BurstAutomaton(max_level=1).fit(r, totals=totals) for r in series])

    def greedy() -> list[Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [
                burst_detection.burst_detection(pd.Series(r), pd.Series(totals), len(totals), 2.0, 1.0, 1)[0].ravel()
                for r in series
            ]

    repaired = ""
    try:
        theirs, their_time = measure(greedy)
    except (AttributeError, ValueError) as error:
        # It was written for an older NumPy; restore what it needs, so that it can be compared
        print(f"\n(burst_detection as it is published fails: {str(error).splitlines()[0]})")
        climb = burst_detection.tau
        burst_detection.np = OlderNumPy()
        burst_detection.tau = lambda *arguments: float(np.squeeze(climb(*arguments)))
        repaired = ", repaired to run with this NumPy"
        theirs, their_time = measure(greedy)
    worse, missed = 0, 0
    for automaton, path, relevant in zip(ours, theirs, series):
        cost = path_cost(path.astype(int), relevant, totals)
        worse += cost > automaton.cost_ + 1e-6
        missed += bool(automaton.bursts_.num_rows) and not path.any()
    print_table(
        f"Two states, {len(series)} words of abc_headlines_2003 by day",
        ["package", "CPU s", "ratio", "words with a path that is not the cheapest", "words with bursts, none found"],
        [
            ("driftline", our_time.cpu_seconds, 1.0, 0, 0),
            (
                f"burst_detection{repaired}",
                their_time.cpu_seconds,
                their_time.cpu_seconds / our_time.cpu_seconds,
                worse,
                missed,
            ),
        ],
    )


class OlderNumPy:
    """NumPy as burst_detection knew it: with `np.float`, and the first of equally cheap states."""

    float = float

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def where(condition: Any) -> Any:
        return np.flatnonzero(condition)[:1]


def path_cost(path: Any, relevant: Any, totals: Any) -> float:
    base = relevant.sum() / totals.sum()
    share = np.array([base, min(2 * base, 1 - 1e-12)])[path]
    climbs = np.maximum(np.diff(path, prepend=0), 0).sum()
    emission = -(relevant * np.log(share) + (totals - relevant) * np.log1p(-share)).sum()
    return float(emission + climbs * math.log(len(totals)))


def gap_peer() -> None:
    rng = np.random.default_rng(0)
    series = np.cumsum(rng.exponential(np.repeat([10.0, 1.0, 10.0], 60)))
    automaton, taken = measure(lambda: BurstAutomaton().fit(series), repeat=3)
    rows = [("driftline", f"{automaton.bursts_.num_rows} bursts", taken.wall_seconds)]
    try:
        from pybursts import pybursts
    except ImportError:
        print("\n(pybursts is not installed; its comparison is left out)")
    else:
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                (found, their_time) = measure(lambda: pybursts.kleinberg(list(series)))
                rows.append(("pybursts", f"{len(found)} bursts", their_time.wall_seconds))
            except Exception as error:
                rows.append(("pybursts", f"fails: {type(error).__name__}: {str(error)[:60]}", float("nan")))
    print_table("180 arrival times with one burst", ["package", "result", "seconds"], rows)


if __name__ == "__main__":
    main()
