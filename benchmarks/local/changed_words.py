"""Are words reported as lastingly changed really changed? Shuffled documents and days, planted changes, rivals.

    python -m benchmarks.local.changed_words [units] [streams] [planted] [simulated] [longer] [most] [STREAM …]

Prints six tables; names of parts print only these, and names of streams or of methods (``"--method=whole days"``) only
their rows. Real streams are thinned to at most 6,000 documents. The weights and the merging of small days (`SMALL`)
were chosen on tweets_2015_2017, 20news_bydate, spamassassin and enron_partial_folders, and nothing on the others.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from scipy.stats import chi2, false_discovery_control, norm
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.measure import STREAMS, print_table, real_data
from driftline.analysis.changed_items import changed_items
from driftline.analysis.items import Items, present
from driftline.local import changed_words
from driftline.local.changed_words.permutation_null import PermutationNull
from driftline.local.changed_words.time_features import TimeFeatures
from driftline.local.changed_words.unit_weights import UnitWeights, variation
from driftline.streams import exchange

MOST_DOCUMENTS = 6000
MOST_CHARACTERS = 4000
MIN_DOCUMENTS = 5
RATE = 0.05


class Days(NamedTuple):
    """A stream for this benchmark: counts of words in at least five documents, all words of a document, its day."""

    counts: sp.csc_array
    tokens: np.ndarray
    day: np.ndarray

    def dealt(self, rng: np.random.Generator, what: str) -> Days:
        """Return the same documents with their days (or with whole days) in random order."""
        if what == "documents":
            return self._replace(day=self.day[rng.permutation(len(self.day))])
        distinct, index = np.unique(self.day, return_inverse=True)
        return self._replace(day=distinct[rng.permutation(len(distinct))][index])

    def by_day(self) -> tuple[sp.csc_array, np.ndarray]:
        """Return counts and words of each day."""
        index = np.unique(self.day, return_inverse=True)[1]
        gather = sp.csr_array((np.ones(len(index)), (index, np.arange(len(index)))))
        return sp.csc_array(gather @ self.counts), gather @ self.tokens


def read(name: str) -> Days:
    """Read a real stream, thinned evenly at random."""
    table = pq.read_table(real_data(name), columns=["text", "time"])
    rows = np.random.default_rng(0).permutation(len(table))[:MOST_DOCUMENTS]
    texts = [(table["text"][int(row)].as_py() or "")[:MOST_CHARACTERS] for row in rows]
    counts = CountVectorizer(stop_words="english").fit_transform(texts)
    return _kept(counts, table["time"].to_numpy()[rows].astype("datetime64[D]").astype(np.int64))


def _kept(counts: sp.csr_matrix, day: np.ndarray) -> Days:
    tokens = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    rows = tokens > 0
    counts = sp.csc_array(counts[rows], dtype=np.float64)
    columns = np.asarray((counts > 0).sum(axis=0)).ravel() >= MIN_DOCUMENTS
    return Days(counts[:, columns], tokens[rows], day[rows])


def _whole_days(stream: Days) -> np.ndarray:
    return _ours(stream, "auto")


def _as_documents(stream: Days) -> np.ndarray:
    """Exchange documents, each at its day."""
    place = np.unique(stream.day, return_inverse=True)[1]
    features = TimeFeatures.cosines((place + 0.5) / (place.max() + 1))
    return PermutationNull(stream.counts, stream.tokens, features).p_values(50, 0)


def _ours(stream: Days, unit: Any) -> np.ndarray:
    rest = stream.tokens - np.asarray(stream.counts.sum(axis=1)).ravel()
    X = sp.csr_array(sp.hstack([stream.counts, sp.csr_array(rest[:, None])]))
    dates = stream.day.astype("datetime64[D]")
    found = changed_words(X, times=dates, unit=unit, events=False, min_documents=1)
    return found.p_value[: stream.counts.shape[1]]


def _inverse_variance(stream: Days) -> np.ndarray:
    """Exchange all days with weights 1 / (k + φ n p): the best ones if volume had no course of its own."""
    counts, tokens = stream.by_day()
    within, between = variation(stream.counts, stream.tokens, counts, tokens)
    share = np.asarray(counts.sum(axis=0)).ravel() / tokens.sum()
    ratio = np.divide(between * share, within, out=np.zeros(len(share)), where=within > 0)
    step = np.where(ratio > 0, np.round(2 * np.log2(np.maximum(ratio, 1e-12))), -99.0)
    used, which = np.unique(step, return_inverse=True)
    sets = 1 / (1 + np.where(used > -99, 2.0 ** (used / 2), 0.0)[:, None] * tokens)
    features = TimeFeatures.cosines((np.arange(len(tokens)) + 0.5) / len(tokens))
    weights = UnitWeights(sets / sets.mean(axis=1, keepdims=True), which)
    return PermutationNull(counts, tokens, features, weights).p_values(50, 0)


def _quasi_poisson_trend(stream: Days) -> np.ndarray:
    """Test a log-linear trend of the share by day, with over-dispersion from Pearson's residuals (a score test)."""
    counts, tokens = stream.by_day()
    share = np.asarray(counts.sum(axis=0)).ravel() / tokens.sum()
    x = np.arange(len(tokens), dtype=np.float64)
    x -= (x @ tokens) / tokens.sum()
    score = counts.T @ x - share * (x @ tokens)
    squares = counts.multiply(counts / tokens[:, None]).sum(axis=0) / share - tokens.sum() * share
    dispersion = np.maximum(np.asarray(squares).ravel() / (len(tokens) - 1), 1.0)
    return 2 * norm.sf(np.abs(score) / np.sqrt(dispersion * share * (tokens @ x**2)))


def _chi_squared(stream: Days) -> np.ndarray:
    """Compare the share among twelve intervals of equal length, with all uses independent."""
    counts, tokens = stream.by_day()
    stretch = np.arange(len(tokens)) * 12 // len(tokens)
    gather = sp.csr_array((np.ones(len(tokens)), (stretch, np.arange(len(tokens)))))
    seen, written = (gather @ counts).toarray(), (gather @ tokens)[:, None]
    expected = written * seen.sum(axis=0) / written.sum()
    return chi2.sf(((seen - expected) ** 2 / np.maximum(expected, 1e-12)).sum(axis=0), len(seen) - 1)


METHODS: dict[str, Callable[[Days], np.ndarray]] = {
    "whole days": _whole_days,
    "days, 1/variance": _inverse_variance,
    "documents": _as_documents,
    "quasi-Poisson trend": _quasi_poisson_trend,
    "χ² of 12 intervals": _chi_squared,
}


def _asked(streams: tuple[str, ...]) -> list[str]:
    return [name for name in streams if name in sys.argv] or list(streams)


def _methods() -> dict[str, Callable[[Days], np.ndarray]]:
    named = [argument.removeprefix("--method=") for argument in sys.argv if argument.startswith("--method=")]
    return {name: METHODS[name] for name in named or METHODS}


def _called(p: np.ndarray) -> np.ndarray:
    return false_discovery_control(p) <= RATE


def print_streams(n_deals: int = 2) -> None:
    """Print how many words are found, and how many after documents or whole days were shuffled."""
    rows = []
    for name in _asked(STREAMS):
        stream = read(name)
        for method, test in _methods().items():
            row: list[Any] = [name, len(np.unique(stream.day)), stream.counts.shape[1], method, 0]
            row[-1] = int(_called(test(stream)).sum())
            for what in ("documents", "days"):
                drawn = [test(stream.dealt(np.random.default_rng(seed), what)) for seed in range(n_deals)]
                row += [", ".join(str(int(_called(p).sum())) for p in drawn)]
                row += [100 * float(np.mean([(p < 0.05).mean() for p in drawn]))]
            rows.append(row)
            print("|", " | ".join(str(cell) for cell in row), "|", file=sys.stderr, flush=True)
    print_table(
        f"Words found at 5 %, and found falsely after documents or whole days were shuffled ({n_deals} deals)",
        [
            "stream",
            "days",
            "words",
            "method",
            "found",
            "documents shuffled",
            "p < .05, %",
            "days shuffled",
            "p < .05, %",
        ],
        rows,
    )


KINDS = ("trend", "step", "burst")


def plant(stream: Days, rng: np.random.Generator, n: int = 150, least: int = 40) -> tuple[Days, np.ndarray]:
    """Shuffle whole days, then thin words: a trend to 4 times, a step to 3, a burst of 8 in a tenth of the days."""
    stream = stream.dealt(rng, "days")
    u = np.unique(stream.day, return_inverse=True)[1] / max(len(np.unique(stream.day)) - 1, 1)
    counts = sp.csc_array(stream.counts.copy())
    frequent = np.flatnonzero(np.diff(counts.indptr) >= least)
    chosen = rng.permutation(frequent)[:n]
    kind = np.full(counts.shape[1], -1)
    for i, w in enumerate(chosen):
        kind[w] = i % 3
        start = 0.9 * rng.random()
        course = (1 + 3 * u, 1 + 2.0 * (u > 0.5), 1 + 7.0 * ((u >= start) & (u < start + 0.1)))[i % 3]
        if rng.random() < 0.5:
            course = course[::-1] if i % 3 == 2 else (1 + 3 * (1 - u), 1 + 2.0 * (u <= 0.5))[i % 3]
        held = slice(counts.indptr[w], counts.indptr[w + 1])
        keep = (course / course.max())[counts.indices[held]]
        counts.data[held] = rng.binomial(counts.data[held].astype(np.int64), keep)
    counts.eliminate_zeros()
    lost = np.asarray(stream.counts.sum(axis=1) - counts.sum(axis=1)).ravel()
    return stream._replace(counts=counts, tokens=np.maximum(stream.tokens - lost, 1.0)), kind


def _scores(runs: list[tuple[np.ndarray, np.ndarray]]) -> list[float]:
    """Return the mean false-discovery proportion, and power by kind, in per cent."""
    false = [float((kind[called] < 0).mean()) if called.any() else 0.0 for called, kind in runs]
    power = [[float(called[kind == k].mean()) for called, kind in runs] for k in range(3) if (runs[0][1] == k).any()]
    return [100 * float(np.mean(values)) for values in (false, *power)]


def print_planted(n_repeats: int = 4) -> None:
    """Print false discoveries and power where whole days were shuffled and changes planted."""
    rows: list[list[Any]] = []
    for name in _asked(("news_sites_2017", "abc_headlines_2003", "gitlog_2003_2008", "maillists_2019_2026")):
        planted = [plant(read(name), np.random.default_rng(seed)) for seed in range(n_repeats)]
        for method, test in _methods().items():
            runs = [(_called(np.nan_to_num(test(stream), nan=1.0)), kind) for stream, kind in planted]
            rows.append([name, len(np.unique(planted[0][0].day)), method, *_scores(runs)])
            print(rows[-1], file=sys.stderr, flush=True)
    print_table(
        f"Whole days shuffled, then 150 changes planted by thinning ({n_repeats} times): false discoveries, power, %",
        ["stream", "days", "method", "false", "trend ×4", "step ×3", "burst ×8"],
        rows,
    )


def simulate(rng: np.random.Generator, n_days: int, shared: float, copies: float, growth: float) -> tuple[Days, Any]:
    """Draw a stream of 40 documents per day: 90 of 900 words change; days share rates; documents are posted again."""
    n_words, n_changed = 900, 90
    size = rng.poisson(40 * np.exp(growth * (np.arange(n_days) / n_days - 0.5))) + 1
    day = np.repeat(np.arange(n_days), size)
    u = day / n_days
    share = rng.permutation(1 / np.arange(20, n_words + 20))
    rates = np.tile(0.3 * share / share.sum(), (n_days, 1))
    v = np.arange(n_days) / n_days
    for w in range(n_changed):
        start = 0.9 * rng.random()
        rates[:, w] *= (1 + 3.0 * v, 1 + 2.0 * (v > 0.5), 1 + 7.0 * ((v >= start) & (v < start + 0.1)))[w % 3]
    if shared:
        rates *= rng.gamma(1 / shared, shared, rates.shape)
    # other words absorb the difference, so that words that change do not reduce the shares of the rest
    rates = np.column_stack([rates, np.maximum(1 - rates.sum(axis=1), 0.0)])
    rates /= rates.sum(axis=1, keepdims=True)
    counts = sp.csr_matrix(np.stack([rng.multinomial(40, rates[d]) for d in day]))
    repeats = np.where(rng.random(len(u)) < copies, rng.integers(5, 40, len(u)), 1)
    rows = np.repeat(np.arange(len(u)), repeats)
    kind = np.where(np.arange(n_words + 1) < n_changed, np.arange(n_words + 1) % 3, -1)
    columns = np.asarray((counts[rows] > 0).sum(axis=0)).ravel() >= MIN_DOCUMENTS
    return _kept(counts[rows], day[rows]), kind[columns]


CASES = {
    "100 days, independent documents": (100, 0.0, 0.0, 0.0),
    "100 days, volume grows 20 times": (100, 0.0, 0.0, 3.0),
    "100 days, day variance 0.25": (100, 0.25, 0.0, 0.0),
    "100 days, day variance 0.25, volume grows 20 times": (100, 0.25, 0.0, 3.0),
    "100 days, one in 50 posted 5 to 39 times": (100, 0.0, 0.02, 0.0),
    "60 days, day variance 0.25": (60, 0.25, 0.0, 0.0),
    "40 days, independent documents": (40, 0.0, 0.0, 0.0),
    "40 days, day variance 0.25": (40, 0.25, 0.0, 0.0),
    "25 days, independent documents": (25, 0.0, 0.0, 0.0),
}


def print_simulated(n_repeats: int = 5) -> None:
    """Print false discoveries and power on simulated streams."""
    rows: list[list[Any]] = []
    for case, setting in CASES.items():
        drawn = [simulate(np.random.default_rng(seed), *setting) for seed in range(n_repeats)]
        for method, test in _methods().items():
            runs = [(_called(test(stream)), kind) for stream, kind in drawn]
            rows.append([case, method, *_scores(runs)])
            print(rows[-1], file=sys.stderr, flush=True)
    print_table(
        f"Simulated streams, 900 words of which 90 change ({n_repeats} each): false discoveries and power, %",
        ["stream", "method", "false", "trend ×4", "step ×3", "burst ×8"],
        rows,
    )


UNITS = {"tweets_2015_2017": ("label",), "bundestag_speeches": ("speaker", "label"), "gitlog_2003_2008": ("label",)}


def print_units() -> None:
    """Print how many words change lastingly for other units of exchange."""
    rows: list[list[Any]] = []
    for name, columns in UNITS.items():
        table = pq.read_table(real_data(name))
        table = table.take(np.sort(np.random.default_rng(0).permutation(len(table))[:MOST_DOCUMENTS]))
        texts = [(text or "")[:MOST_CHARACTERS] for text in table["text"].to_pylist()]
        counts = CountVectorizer(stop_words="english", min_df=MIN_DOCUMENTS).fit_transform(texts)
        times = table["time"].to_numpy()
        units: dict[str, Any] = {unit: unit for unit in ("document", "1h", "day", "7d", "28d")}
        units |= {column: np.array([str(value) for value in table[column].to_pylist()]) for column in columns}
        for unit, given in units.items():
            found = changed_words(counts, times=times, unit=given, events=False)
            called = int(found.lasting.sum()) if found.enough_units else "too few units"
            rows.append([name, unit, found.n_units, len(found.columns), called])
            print(rows[-1], file=sys.stderr, flush=True)
    print_table(
        "Words that changed for longer than one unit, by unit of exchange",
        ["stream", "unit", "units", "words", "lasting"],
        rows,
    )


MANY_DAYS = ("tweets_2015_2017", "health_tweets", "gitlog_2003_2008")
"""Streams of more days than `MOST_UNITS`; it was chosen on the first."""


def print_most_units(n_deals: int = 2) -> None:
    """Print what is found, and found falsely, with days joined to fewer or more units."""
    rows: list[list[Any]] = []
    chosen = exchange.MOST_UNITS
    for name in _asked(MANY_DAYS):
        stream = read(name)
        for most in (128, 256, chosen, 1024, 10**9):
            exchange.MOST_UNITS = most
            drawn = [_whole_days(stream.dealt(np.random.default_rng(seed), "days")) for seed in range(n_deals)]
            rows.append(
                [
                    name,
                    len(np.unique(stream.day)),
                    most if most < 10**9 else "any number",
                    int(_called(_whole_days(stream)).sum()),
                    ", ".join(str(int(_called(p).sum())) for p in drawn),
                    100 * float(np.mean([(p < 0.05).mean() for p in drawn])),
                ]
            )
            print("|", " | ".join(str(cell) for cell in rows[-1]), "|", file=sys.stderr, flush=True)
    exchange.MOST_UNITS = chosen
    print_table(
        f"Most units to which days are joined: words found at 5 %, and found falsely in shuffled days ({n_deals} ×)",
        ["stream", "days", "most units", "found", "days shuffled", "p < .05, %"],
        rows,
    )


def print_longer(n_days: int = 200, n_words: int = 400) -> None:
    """Print how many words of constant share are called lasting where documents grow longer."""
    rows: list[list[Any]] = []
    share = 1 / np.arange(1, n_words + 1)
    for growth, length in itertools.product((1, 2, 5), (10, 40, 150)):
        rng = np.random.default_rng(0)
        day = np.repeat(np.arange(n_days), 10)
        lengths = length * growth ** (day / n_days) * rng.gamma(4, 0.25, len(day))
        counts = sp.csr_array(rng.poisson(np.outer(lengths, share / share.sum())))
        times = np.datetime64("2020-01-01", "us") + day * np.timedelta64(1, "D")
        items = Items(counts, times, np.arange(len(day)), "documents")
        documents = changed_words(present(counts), times=times, sizes=np.ones(len(day)), events=False)
        distinct = changed_words(present(counts), times=times, events=False)
        found = changed_items(items, events=False)
        rows.append([growth, length, *(int(each.lasting.sum()) for each in (documents, distinct, found))])
    print_table(
        f"{n_words} words of constant share in documents that grow longer: called lasting",
        ["growth", "first length", "share of documents", "share of distinct words", "report"],
        rows,
    )


PARTS = {
    "units": print_units,
    "streams": print_streams,
    "planted": print_planted,
    "simulated": print_simulated,
    "longer": print_longer,
    "most": print_most_units,
}


def main() -> None:
    for name in [part for part in PARTS if part in sys.argv] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
