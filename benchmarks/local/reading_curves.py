"""Curves for reading: do their bands cover, are peaks kept, can they be read?

    python -m benchmarks.local.reading_curves [newswire] [planted] [streams] [cycles] [passages]

Prints all tables, or those named. "Before" is the curve that `LocalMultinomial` draws of changed words, with all other
words as one column and its bandwidths limited: what the report would show without curves of its own. The method was
fixed beforehand; nothing is chosen here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

import driftline
from benchmarks.measure import DATA, measure, print_table
from driftline.analysis.items import items_of
from driftline.datasets import simulate_newswire
from driftline.local.changed_words.discovery import changed_words
from driftline.local.multinomial.local_multinomial import LocalMultinomial
from driftline.local.reading.reading_curves import reading_curves
from driftline.local.reading.word_cycles import find_cycles
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import running_sums
from driftline.streams.corpus import Corpus
from driftline.streams.preparation import Prepared, prepare
from driftline.streams.unit_counts import UnitCounts, unit_counts
from driftline.streams.unusual_dates import unusual_dates

STREAMS = (
    "abc_headlines_2003", "health_tweets", "20news_bydate", "reuters21578", "sotu_1790_2024", "enron_partial_folders",
    "spamassassin", "gitlog_2003_2008", "maillists_2019_2026", "tweets_2015_2017", "news_sites_2017",
    "bundestag_speeches",
)  # fmt: skip
CYCLIC = ("abc_headlines_2003", "health_tweets", "gitlog_2003_2008", "maillists_2019_2026", "tweets_2015_2017")
N_WORDS = 40
DAY_VARIANCE = 0.5


def newswire() -> None:
    """Ten simulated years whose true curves are known: the model's curves and those for reading."""
    rows = []
    for seed in range(10):
        wire = simulate_newswire(6000, random_state=seed)
        corpus = Corpus.from_texts(wire.texts, wire.times, min_df=2)
        words = [str(word) for word in corpus.vocabulary.words]
        held = np.bincount(corpus.counts.indices, minlength=len(words))
        changed = [word for word in wire.changed_words if word in words and held[words.index(word)] >= 30]
        columns = np.array([words.index(word) for word in changed])
        model = LocalMultinomial(bandwidth="cv").fit(_merge_unchanged_words(corpus.counts, columns), times=corpus.times)
        before = model.frequency(np.arange(len(columns)))
        true_before = wire.probabilities(changed, before.times, vocabulary=words).T
        after = reading_curves(corpus.counts, times=corpus.times, columns=columns)
        true_after = wire.document_shares(changed, after.curve.times).T
        rows.append(
            [
                seed,
                len(columns),
                *_judged(before, true_before, model.curve_bandwidth_[:-1]),
                *_judged(after.curve, true_after, after.bandwidth),
            ]
        )
    headings = ["coverage", "width ÷ range", "peak ÷ truth", "span/h"]
    print_table(
        "Simulated newswires: coverage of 95 % bands, and medians over the words that change (at least 30 documents)",
        ["seed", "words", *(f"model: {h}" for h in headings), *(f"reading: {h}" for h in headings)],
        rows,
    )


def _judged(curve, truth: np.ndarray, bandwidth: np.ndarray) -> list[float]:
    covered = (curve.lower <= truth) & (truth <= curve.upper)
    width = (curve.upper - curve.lower).mean(axis=1) / np.ptp(truth, axis=1)
    return [
        float(covered.mean()),
        float(np.median(width)),
        float(np.median(curve.value.max(axis=1) / truth.max(axis=1))),
        float(np.median(365 / bandwidth)),
    ]


SHAPES: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "burst, SD 1 %": lambda x, at: 0.05 + np.exp(-0.5 * ((x - at) / 0.01) ** 2),
    "burst, SD 2.5 %": lambda x, at: 0.05 + np.exp(-0.5 * ((x - at) / 0.025) ** 2),
    "burst, SD 7 %": lambda x, at: 0.05 + np.exp(-0.5 * ((x - at) / 0.07) ** 2),
    "step": lambda x, at: np.where(x < at, 0.2, 1.0),
    "trend": lambda x, at: 0.2 + x,
    "flat": lambda x, at: np.ones_like(x),
}


def planted() -> None:
    """Words of known shape planted into the days of real streams, with day-to-day variation shared by all documents."""
    profiles = [counted for _, counted in _day_profiles()]
    for uses in (400, 80):
        rows = []
        for name, shape in SHAPES.items():
            results = np.array(
                [
                    _plant(shape, counted, uses, 100 * number + seed)
                    for number, counted in enumerate(profiles)
                    for seed in range(12)
                ]
            )
            known = ~np.isnan(results).all(axis=0)
            rows.append([name, *(float(np.nanmean(results[:, i])) if known[i] else "–" for i in range(len(known)))])
        print_table(
            f"Words of {uses} documents planted into the days of {len(profiles)} real streams (12 each), "
            f"day variance {DAY_VARIANCE}",
            ["shape", "coverage", "at the edges", "peak kept", "date error (% of span)", "span/h"],
            rows,
        )


def _day_profiles() -> list[tuple[str, UnitCounts]]:
    found = []
    for name in ("abc_headlines_2003", "health_tweets", "gitlog_2003_2008", "tweets_2015_2017", "maillists_2019_2026"):
        times = driftline.read(DATA / f"{name}.parquet").table()["time"].to_numpy()
        times = times[~unusual_dates(times).any]
        found.append((name, unit_counts(sp.csr_array((len(times), 1)), times=times)))
    return found


def _plant(shape: Callable, counted: UnitCounts, uses: int, seed: int) -> tuple[float, ...]:
    rng = np.random.default_rng(seed)
    at = rng.uniform(0.25, 0.75)
    span = counted.times[-1] - counted.times[0]
    relative = shape((counted.times - counted.times[0]) / span, at)
    scale = uses / (relative * counted.totals).sum()
    shared = rng.gamma(1 / DAY_VARIANCE, DAY_VARIANCE, len(counted.times))
    counts = rng.binomial(counted.totals.astype(int), np.minimum(scale * relative * shared, 1.0))
    found = reading_curves(counted._replace(counts=sp.csc_array(counts[:, None].astype(float))))
    x = (counted.axis.values(found.curve.times) - counted.times[0]) / span
    truth = scale * shape(x, at)
    covered = ((found.curve.lower[0] <= truth) & (truth <= found.curve.upper[0]))[~np.isnan(found.curve.value[0])]
    fine = scale * shape(np.linspace(0, 1, 2000), at)
    bursts = np.ptp(truth) > 0 and truth[0] < 0.2 * fine.max() and truth[-1] < 0.2 * fine.max()
    top = int(np.nanargmax(found.curve.value[0]))
    edge = max(1, len(covered) // 20)
    return (
        covered.mean(),
        np.concatenate([covered[:edge], covered[-edge:]]).mean(),
        np.nanmax(found.curve.value[0]) / fine.max() if bursts else np.nan,
        100 * abs(x[top] - at) if bursts else np.nan,
        span / found.bandwidth[0],
    )


def streams() -> None:
    """Real streams: how narrow windows and how wide bands are, and how well days that were left out are predicted."""
    rows = []
    for name in STREAMS:
        prepared = _prepared(name, 6_000)
        corpus = prepared.corpus(min_df=2, max_features=20_000)
        tests = changed_words(corpus.counts, times=corpus.times)
        columns = tests.columns[tests.ranking()[:N_WORDS]]
        if not len(columns):
            columns = np.argsort(-np.bincount(corpus.counts.indices, minlength=corpus.counts.shape[1]))[:N_WORDS]
        items = items_of(corpus, texts=prepared.counted)
        counted = unit_counts(items.counts[:, columns], times=items.times)
        span = counted.times[-1] - counted.times[0]
        model = LocalMultinomial(bandwidth="cv").fit(_merge_unchanged_words(corpus.counts, columns), times=corpus.times)
        before = model.frequency(np.arange(len(columns)), reading_curves(counted).curve.times)
        after, took = measure(lambda counted=counted: reading_curves(counted))
        first = slice(0, 8)
        narrow = np.maximum(model.curve_bandwidth_[:-1], span / 500)
        rows.append(
            [
                name,
                f"{len(counted.times)} × {counted.kind}",
                len(columns),
                float(np.median(span / model.curve_bandwidth_[:-1][first])),
                float(np.median(span / after.bandwidth[first])),
                _relative_width(before, first),
                _relative_width(after.curve, first),
                _held_out(counted, narrow),
                _held_out(counted, None),
                _halves_agree(counted),
                took.cpu_seconds,
            ]
        )
    print_table(
        "Real streams, at most 6,000 documents: medians of the first 8 words (span/h, mean band width ÷ range of the "
        "curve), nats per use gained over a flat curve on every fifth unit, left out (all words; before: no less than "
        "span/500), and the share of times at which curves from odd and from even units agree",
        [
            "stream",
            "units",
            "words",
            "span/h before",
            "after",
            "width before",
            "after",
            "nats before",
            "after",
            "halves",
            "CPU s",
        ],
        rows,
    )


def _relative_width(curve, words: slice) -> float:
    reach = np.nanmax(curve.value[words], axis=1) - np.nanmin(curve.value[words], axis=1)
    return float(np.median(np.nanmean(curve.upper[words] - curve.lower[words], axis=1) / np.maximum(reach, 1e-300)))


def _held_out(counted: UnitCounts, bandwidths: np.ndarray | None) -> float:
    """Return the gain over a flat curve per use, on every fifth unit, predicted from the others."""
    out = np.arange(len(counted.times)) % 5 == 2
    kept = _units(counted, ~out)
    chosen = reading_curves(kept).bandwidth if bandwidths is None else bandwidths
    kernel = Kernel("triangular")
    counts, totals, times = counted.counts.toarray()[out], counted.totals[out], counted.times[out]
    share = kept.shares
    gain = 0.0
    for word in range(counts.shape[1]):
        near = running_sums(sp.csc_array(kept.counts[:, [word]]), kept.times, times, kernel, chosen[word])[:, 0]
        around = running_sums(sp.csc_array(kept.totals[:, None]), kept.times, times, kernel, chosen[word])[:, 0]
        flat = max(share[word], 1e-300)
        theta = (near + 0.5) / (around + 0.5 / flat)
        gain += (counts[:, word] * np.log(theta / flat) - totals * (theta - flat)).sum()
    return float(gain / counts.sum())


def _halves_agree(counted: UnitCounts) -> float:
    when = counted.axis.restore(np.linspace(counted.times[0], counted.times[-1], 80))
    odd, even = (
        reading_curves(_units(counted, np.arange(len(counted.times)) % 2 == k), when=when).curve for k in (0, 1)
    )
    error = np.sqrt(((odd.upper - odd.lower) / 3.92) ** 2 + ((even.upper - even.lower) / 3.92) ** 2)
    agree = np.abs(odd.value - even.value) <= 1.96 * error
    return float(agree[~np.isnan(error)].mean())


def cycles() -> None:
    """Words called cyclic on real streams, and on the same days shuffled."""
    rows = []
    for name in CYCLIC:
        corpus = _prepared(name, 20_000).corpus(min_df=20, max_features=20_000)
        counted = unit_counts(corpus.counts, times=corpus.times)
        dealt = np.random.default_rng(0).permutation(len(counted.times))
        shuffled = counted._replace(
            counts=sp.csc_array(sp.csr_array(counted.counts)[dealt]), totals=counted.totals[dealt]
        )
        words = np.asarray(corpus.vocabulary.words)
        row: list = [name, corpus.counts.shape[1]]
        for period in ("year", "week"):
            found = find_cycles(counted, period)
            row += [len(found.columns), len(find_cycles(shuffled, period).columns), ", ".join(words[found.columns[:6]])]
        rows.append(row)
    headings = ["stream", "words", "yearly", "shuffled", "first", "weekly", "shuffled", "first"]
    print_table("Cyclic words, on at most 20,000 documents and with their days shuffled", headings, rows)


def passages() -> None:
    """Long documents: what is counted whole, and in passages."""
    words = ["war", "economy", "slavery", "jobs", "soviet", "treaty", "terrorists", "railroad"]
    prepared = _prepared("sotu_1790_2024", 1_000)
    corpus = prepared.corpus(min_df=2)
    known = [str(word) for word in corpus.vocabulary.words]
    columns = [known.index(word) for word in words]
    rows: list[list] = [[word] for word in words]
    for measure_name in ("documents", "passages"):
        items = items_of(corpus, measure=measure_name, texts=prepared.counted)
        found = reading_curves(items.counts, times=items.times, columns=columns)
        for row, value, lower, upper in zip(rows, found.curve.value, found.curve.lower, found.curve.upper):
            top = int(np.nanargmax(value))
            band = f"{1000 * value[top]:.0f} ({1000 * lower[top]:.0f}–{1000 * upper[top]:.0f})"
            row += [str(found.curve.times[top])[:4], band, int((value > 0.95).sum())]
    headings = ["peak", "of 1,000 (band)", "times above 950"]
    print_table(
        "Yearly addresses 1790–2024, documents and passages of 200 words: the peak, and at how many of 160 times the "
        "curve is full",
        ["word", *(f"documents: {h}" for h in headings), *(f"passages: {h}" for h in headings)],
        rows,
    )


def _prepared(name: str, most: int) -> Prepared:
    """Return the documents of a stream, at most so many of them, without unusual dates."""
    documents = driftline.read(DATA / f"{name}.parquet").table()
    rows = np.random.default_rng(0).permutation(len(documents))[:most]
    some = documents.take(np.sort(rows))
    prepared = prepare(driftline.Stream.from_documents(zip(some["time"].to_pylist(), some["text"].to_pylist())))
    return prepared.select(~unusual_dates(prepared.document_times).any)


def _units(counted: UnitCounts, chosen: np.ndarray) -> UnitCounts:
    counts = sp.csc_array(sp.csr_array(counted.counts)[chosen])
    return counted._replace(times=counted.times[chosen], counts=counts, totals=counted.totals[chosen])


def _merge_unchanged_words(counts, columns: np.ndarray) -> sp.csr_array:
    """Return the words `columns`, and all others as one column."""
    named = sp.csr_array(counts[:, columns], dtype=np.float64)
    others = np.asarray(counts.sum(axis=1)).ravel() - np.asarray(named.sum(axis=1)).ravel()
    return sp.csr_array(sp.hstack([named, sp.csr_array(others[:, None])]))


PARTS = {"newswire": newswire, "planted": planted, "streams": streams, "cycles": cycles, "passages": passages}


def main(parts: list[str] | None = None) -> None:
    for part in parts or list(PARTS):
        PARTS[part]()


if __name__ == "__main__":
    main(sys.argv[1:])
