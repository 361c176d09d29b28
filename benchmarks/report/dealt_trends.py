"""How often does the report claim a trend of a topic if days are in random order?

    python -m benchmarks.report.dealt_trends [STREAM …] [--deals=N] [--documents=N]

Every claim is false, and there should be one in at most 5 % of the shuffles. Topics do not depend on dates, so that
they are fitted once per stream, as in a report; then whole days are shuffled `N_DEALS` times, the trends tested again,
and a claim counted as the report makes it. `benchmarks.report.dealt_days` repeats the whole report, a few times.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import binomtest

from benchmarks.measure import print_table
from benchmarks.report.dealt_days import dealt, option, read
from driftline.analysis.context import Context, Options
from driftline.analysis.findings.topics import find_both
from driftline.streams.stream import Stream
from driftline.topics import topics_over_time

DOCUMENTS = 800
N_DEALS = 400
DEFAULT = ("abc_headlines_2003", "tweets_2015_2017", "reuters21578", "gitlog_2003_2008")


def claims(name: str, n_documents: int, n_deals: int) -> tuple[int, list[int]]:
    """Return the number of topics of a stream, and the number of trends that are claimed after each shuffle."""
    times, texts, _ = read(name, n_documents)
    stream = Stream.from_documents([(str(i), *each) for i, each in enumerate(zip(times, texts))])
    context = Context(stream, Options())
    fitted = context.once(find_both).fitted
    if fitted is None:
        raise SystemExit(f"{name} is too small to have topics")
    found = []
    for seed in range(n_deals):
        shuffled = dealt(context.corpus.times, np.random.default_rng(seed))
        when, width = shuffled[:2], np.ptp(shuffled)
        order = np.argsort(shuffled, kind="stable")
        curves = topics_over_time(
            fitted.model, fitted.counts[order], times=shuffled[order], when=np.sort(when), bandwidth=width,
            unit=context.unit,
        )  # fmt: skip
        lower, upper = curves.trend_interval
        found.append(int((curves.significant & (lower * upper > 0)).sum()))
    return len(fitted.model.components_), found


def main() -> None:
    """Print a row per stream."""
    names = [argument for argument in sys.argv[1:] if not argument.startswith("--")] or DEFAULT
    n_documents, n_deals = option("documents", DOCUMENTS), option("deals", N_DEALS)
    rows = []
    for name in names:
        n_topics, found = claims(name, n_documents, n_deals)
        false = sum(n > 0 for n in found)
        interval = binomtest(false, n_deals).proportion_ci(method="exact")
        share = f"{100 * false / n_deals:.1f} ({100 * interval.low:.1f}–{100 * interval.high:.1f})"
        rows.append((name, n_topics, n_deals, share, sum(found)))
    print_table(
        f"Trends of topics claimed with days in random order ({n_documents:,} documents per stream)",
        ["stream", "topics", "shuffles", "shuffles with a claim, % (95 % interval)", "claims"],
        rows,
    )


if __name__ == "__main__":
    main()
