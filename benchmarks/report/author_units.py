"""Words called lastingly changed when nothing changes but who writes: days as units, and authors.

    python -m benchmarks.report.author_units [STREAM …]

Reads streams that name their authors, and shifts every author as a whole: all documents of an author are rotated round
the stream by one random offset, so that what each author writes, and for how long, is unchanged. Every word that is
then called lastingly changed is a false discovery. Prints their number with days as units and with authors, the number
in the stream as it is, and what a report uses: authors in addition to days where more than 10 % of its 500 most
frequent words have p < 0.05 by days after two shifts.
"""

from __future__ import annotations

import sys

import numpy as np

import driftline
from benchmarks.measure import print_table, real_data
from driftline.analysis.demanded_groups import demanded_groups, share_below, shifted
from driftline.analysis.items import Items, present
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.document_groups import document_groups
from driftline.streams.preparation import prepare

CHOOSING = ("enron_partial_folders", "bundestag_speeches")
"""Streams on which the rule was settled."""
REPORTING = ("spamassassin", "20news_bydate", "gitlog_2003_2008")
MOST = 12_000
N_SHIFTS = 4


def row(name: str) -> list[object]:
    """Return the line of one stream."""
    prepared = prepare(driftline.read(real_data(name)))
    part = prepared.select(np.sort(np.random.default_rng(0).permutation(len(prepared))[:MOST]))
    corpus = part.corpus(min_df=5)
    items = Items(corpus.counts, corpus.times, np.arange(len(corpus)), "documents")
    groups = document_groups(part.documents, "author")
    if groups is None:
        raise SystemExit(f"{name} does not say who wrote")
    authors = groups.alone_where_unknown()
    counts, sizes = present(corpus.counts), np.ones(len(corpus))
    rng = np.random.default_rng(1)
    cases = [[corpus.times], [shifted(corpus.times, authors, rng) for _ in range(N_SHIFTS)]]
    cells: list[object] = []
    for deals in cases:
        for unit in ("day", authors):
            found = [changed_words(counts, times=times, sizes=sizes, unit=unit, events=False) for times in deals]
            below = np.mean([np.mean(each.p_value < 0.05) for each in found])
            cells.append(f"{', '.join(str(int(each.lasting.sum())) for each in found)} ({below:.1%})")
    demanded = demanded_groups(items, part.documents)
    cells += [f"{share_below(items, authors):.1%}", "day" if demanded is None else demanded[0]]
    return [name, len(corpus), len(groups.names), counts.shape[1], *cells]


def main() -> None:
    rows = []
    for name in sys.argv[1:] or (*CHOOSING, *REPORTING):
        rows.append(row(name))
        print("|", " | ".join(map(str, rows[-1])), "|", file=sys.stderr, flush=True)
    print_table(
        f"Lastingly changed words (share of words with p < 0.05); authors shifted {N_SHIFTS} times",
        [
            "stream", "documents", "authors", "words", "as it is: days", "as it is: authors", "shifted: days",
            "shifted: authors", "most frequent words, days", "taken",
        ],
        rows,
    )  # fmt: skip


if __name__ == "__main__":
    main()
