"""What is called changed when nothing changes but who writes: days as units, and authors.

    python -m benchmarks.report.author_units [STREAM …] [--stories]

Reads streams that name their authors, and shifts every author as a whole: all documents of an author are shifted
cyclically in the stream by one random offset, so that what each author writes, and for how long, is unchanged. Every
word that is then called lastingly changed is a false discovery. Prints their number with days as units and with
authors, the number in the stream as it is, and what a report uses: authors in addition to days where more than 10 % of
its 500 most frequent words have p < 0.05 by days after two shifts.

``--stories`` does the same with the lasting stories of a report (whole streams), and with changes planted into the
shifted ones: 60 words are thinned outside a fifth to a half of the days, to a ratio of 3 to 6.
"""

from __future__ import annotations

import sys

import numpy as np

import driftline
from benchmarks.measure import print_table, real_data
from benchmarks.report.first_screen import Counted, count, n_headlines, plant
from driftline.analysis.changed_items import changed_items
from driftline.analysis.headlines import Found, describe_headlines
from driftline.analysis.items import Items, present
from driftline.analysis.texts import texts_of
from driftline.core.arrays import Floats, Ints
from driftline.local.changed_words.demanded_groups import (
    MOST_BELOW,
    frequent_columns,
    share_below,
    shifted,
)
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.document_groups import document_groups
from driftline.streams.preparation import prepare

CHOOSING = ("enron_partial_folders", "bundestag_speeches")
"""Streams on which the rule was chosen."""
REPORTING = ("spamassassin", "20news_bydate", "gitlog_2003_2008", "maillists_2019_2026")
MOST = 12_000
N_SHIFTS = 4
N_SHIFTS_OF_STORIES = 2


def row(name: str) -> list[object]:
    """Return the words of one stream."""
    prepared = prepare(driftline.read(real_data(name)))
    part = prepared.select(np.sort(np.random.default_rng(0).permutation(len(prepared))[:MOST]))
    corpus = part.corpus(min_df=5)
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
    columns = frequent_columns(counts)

    def p_values(times: np.ndarray) -> Floats:
        return changed_words(counts[:, columns], times=times, sizes=sizes, events=False).p_value

    below = share_below(p_values, corpus.times, authors)
    cells += [f"{below:.1%}", "author" if below > MOST_BELOW else "day"]
    return [name, len(corpus), len(groups.names), counts.shape[1], *cells]


def stories_row(name: str) -> list[object]:
    """Return the lasting stories of one stream, by days and by authors as well."""
    stream = driftline.read(real_data(name))
    counted = count(stream)
    codes = counted.author_of_document
    if codes is None:
        raise SystemExit(f"{name} does not say who wrote")
    as_it_is = [_stories(counted, counted.items, codes, unit) for unit in ("day", "author")]
    moved = [_moved(counted.items, codes, seed) for seed in range(N_SHIFTS_OF_STORIES)]
    false = [[_stories(counted, items, codes, unit) for items in moved] for unit in ("day", "author")]
    planted, words = plant(_moved(counted.items, codes, N_SHIFTS_OF_STORIES), 0)
    names = {str(counted.corpus.vocabulary.words[word]) for word in words}
    found = [_passing(counted, planted, codes, unit) & names for unit in ("day", "author")]
    return [
        name,
        len(counted.corpus),
        *as_it_is,
        *(", ".join(map(str, each)) for each in false),
        *(f"{len(each)} of {len(names)}" for each in found),
    ]


def _moved(items: Items, codes: Ints, seed: int) -> Items:
    """Return the items with whole authors shifted cyclically in the stream."""
    of_document = np.zeros(int(items.document.max()) + 1, dtype=items.times.dtype)
    of_document[items.document] = items.times
    return items._replace(times=shifted(of_document, codes, np.random.default_rng(seed))[items.document])


def _found(counted: Counted, items: Items, codes: Ints, unit: str) -> Found:
    texts = texts_of(items, counted.corpus)
    tests = changed_items(items, texts=texts, unit=unit, groups={"author": codes[items.document]})
    return describe_headlines(
        counted.corpus, items, tests, authors=counted.authors, languages=counted.languages, texts=texts
    )


def _stories(counted: Counted, items: Items, codes: Ints, unit: str) -> int:
    """Return how many lasting stories are not marked as perhaps due to authors."""
    headlines = _found(counted, items, codes, unit).headlines
    return n_headlines(headlines, "lasting") - sum(story.change.with_groups is not None for story in headlines.stories)


def _passing(counted: Counted, items: Items, codes: Ints, unit: str) -> set[str]:
    changes = _found(counted, items, codes, unit).changes
    return {change.word for change in changes if change.headline and change.with_groups is None}


def main() -> None:
    names = [name for name in sys.argv[1:] if not name.startswith("--")] or [*CHOOSING, *REPORTING]
    of_stories = "--stories" in sys.argv
    rows = []
    for name in names:
        rows.append(stories_row(name) if of_stories else row(name))
        print("|", " | ".join(map(str, rows[-1])), "|", file=sys.stderr, flush=True)
    if of_stories:
        print_table(
            f"Lasting stories by days, and by days and authors; authors shifted {N_SHIFTS_OF_STORIES} times",
            [
                "stream", "documents", "as it is: days", "as it is: authors", "shifted: days", "shifted: authors",
                "planted, found: days", "planted, found: authors",
            ],
            rows,
        )  # fmt: skip
        return
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
