"""The first screen of real streams, and what is left of it when whole days are shuffled.

    python -m benchmarks.report.first_screen [STREAM …]
    python -m benchmarks.report.first_screen null [STREAM …]

Prints the stories of every dated stream and of a simulated newswire, as a reader gets them without any option. With
``null``, shuffles days and counts the stories that are left: lasting changes when whole days are shuffled, events when
documents are (an event of one day stays one when its day is moved), and planted changes that are found.
"""

from __future__ import annotations

import sys
import time
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

import driftline
from benchmarks.measure import print_table, real_data
from driftline.analysis.changed_items import changed_items
from driftline.analysis.findings.dates import DateOptions, set_aside
from driftline.analysis.findings.headlines import Headlines
from driftline.analysis.headlines import Found, Groups, describe_headlines
from driftline.analysis.headlines.measured_headlines import author_groups
from driftline.analysis.items import Items, items_of, present
from driftline.analysis.texts import texts_of
from driftline.core.arrays import Ints
from driftline.core.times import iso
from driftline.datasets import simulate_newswire
from driftline.report.date_formats import resolution
from driftline.report.story_sentences import NOUNS, Setting, composition_sentence, story_sentence
from driftline.streams.corpus import Corpus
from driftline.streams.document_groups import document_groups
from driftline.streams.preparation import prepare
from driftline.streams.stream import Stream
from driftline.streams.units import units_of

CHOOSING = (
    "abc_headlines_2003",
    "health_tweets",
    "20news_bydate",
    "reuters21578",
    "sotu_1790_2024",
    "gitlog_2003_2008",
)
"""Streams on which constants were chosen or confirmed."""
REPORTING = (
    "tweets_2015_2017",
    "news_sites_2017",
    "bundestag_speeches",
    "enron_partial_folders",
    "spamassassin",
    "maillists_2019_2026",
)
"""Further streams. They are not held-out data: their first screens, too, were read while the estimator was changed."""
N_PLANTED = 60


class Counted(NamedTuple):
    """A stream ready for its tests: all columns, what is counted, and how sentences speak of it."""

    corpus: Corpus
    items: Items
    languages: tuple[str, ...]
    setting: Setting
    authors: Groups | None = None
    author_of_document: Ints | None = None


def count(stream: Stream) -> Counted:
    """Do with a stream what a report does before it tests words."""
    prepared = prepare(stream)
    used, _ = set_aside(prepared.documents, prepared.document_times, DateOptions())
    part = prepared.select(used)
    corpus = part.count(min_df=2, max_features=30_000).with_phrases()
    items = items_of(corpus, texts=part.counted)
    noun = items.noun if items.noun != "documents" else NOUNS.get(prepared.source_kind.kind, "documents")
    dates = resolution(iso(corpus.times.min()), iso(corpus.times.max()))
    wrote = document_groups(part.documents, "author")
    authors = None if wrote is None else author_groups(wrote.codes, wrote.names, stream.columns.get("author", "author"))
    codes = None if wrote is None else wrote.alone_where_unknown()
    return Counted(corpus, items, tuple(prepared.language.codes), Setting(noun, dates), authors, codes)


def find(counted: Counted, items: Items | None = None, *, events: bool = True) -> Found:
    """Test and measure the words of a stream; `items` may have other times than its own."""
    items = counted.items if items is None else items
    texts = texts_of(items, counted.corpus)
    codes = counted.author_of_document
    groups = None if codes is None or items is not counted.items else {"author": codes[items.document]}
    tests = changed_items(items, texts=texts, groups=groups, events=events)
    return describe_headlines(
        counted.corpus, items, tests, authors=counted.authors, languages=counted.languages, texts=texts
    )


def shuffled_days(items: Items, random_state: int) -> Items:
    """Give the documents of every day the date of another day, all days being exchanged at random."""
    units = units_of(items.times, unit="day")
    rng = np.random.default_rng(random_state)
    day = items.times.astype("datetime64[D]")
    of_unit = np.empty(units.n, dtype=day.dtype)
    of_unit[units.index] = day
    times = of_unit[rng.permutation(units.n)][units.index].astype("datetime64[us]") + (items.times - day)
    return items._replace(times=times)


def shuffled_documents(items: Items, random_state: int) -> Items:
    """Give every document the date of another document."""
    rng = np.random.default_rng(random_state)
    owner = rng.permutation(int(items.document.max()) + 1)
    first = np.zeros(len(owner), dtype=items.times.dtype)
    first[items.document] = items.times
    return items._replace(times=first[owner][items.document])


def plant(items: Items, random_state: int) -> tuple[Items, set[int]]:
    """Thin words outside a window: a known change, with a ratio of 3 to 6 over a fifth to a half of the days."""
    rng = np.random.default_rng(random_state)
    units = units_of(items.times, unit="day")
    counts = sp.csc_array(present(items.counts))
    documents = np.diff(counts.indptr)
    eligible = np.flatnonzero((documents >= 60) & (documents <= len(items.times) / 3))
    chosen = rng.choice(eligible, min(N_PLANTED, len(eligible)), replace=False)
    for word in chosen:
        rows = counts.indices[counts.indptr[word] : counts.indptr[word + 1]]
        length = int(units.n * rng.uniform(0.2, 0.5))
        start = rng.integers(0, units.n - length + 1)
        outside = (units.index[rows] < start) | (units.index[rows] >= start + length)
        drop = outside & (rng.random(len(rows)) < 1 - 1 / rng.uniform(3, 6))
        counts.data[counts.indptr[word] : counts.indptr[word + 1]][drop] = 0
    counts.eliminate_zeros()
    return items._replace(counts=sp.csr_array(counts)), {int(word) for word in chosen}


def n_headlines(headlines: Headlines, kind: str) -> int:
    """Return how many stories of one kind there are, of lasting changes or of events."""
    return sum(story.change.kind == kind for story in headlines.stories)


def stream_of(name: str) -> Stream:
    """Open a shared stream, or simulate a newswire."""
    if name == "simulate_newswire":
        wire = simulate_newswire(6000, random_state=0)
        return Stream.from_documents(list(zip(wire.times, wire.texts)), name=name)
    return driftline.read(real_data(name))


def print_screen(name: str) -> None:
    """Print the stories and the changes of authors."""
    begun = time.process_time()
    counted = count(stream_of(name))
    found = find(counted)
    taken = time.process_time() - begun
    print(f"\n## {name} ({len(counted.corpus):,} documents, {found.headlines.n_words} words pass; {taken:.0f} s CPU)\n")
    for story in found.headlines.stories:
        print(f"- {story_sentence(story, counted.setting)}")
    for each in found.headlines.compositions[:2]:
        print(f"- *who wrote*: {composition_sentence(each, counted.setting)}")
    sys.stdout.flush()


def null_row(name: str, n_deals: int = 1) -> list[object]:
    """Count headlines of shuffled days, and planted changes that are found among them."""
    counted = count(stream_of(name))
    lasting = [find(counted, shuffled_days(counted.items, seed), events=False) for seed in range(n_deals)]
    bunched = [find(counted, shuffled_documents(counted.items, seed)) for seed in range(n_deals)]
    planted, words = plant(shuffled_days(counted.items, 0), 0)
    found = find(counted, planted, events=False)
    names = {str(counted.corpus.vocabulary.words[word]) for word in words}
    passing = {change.word for change in found.changes if change.headline}
    return [
        name,
        " ".join(str(n_headlines(each.headlines, "lasting")) for each in lasting),
        " ".join(str(n_headlines(each.headlines, "event")) for each in bunched),
        f"{len(passing & names)} of {len(names)}",
        len(passing - names),
    ]


def main() -> None:
    asked = sys.argv[1:]
    if asked[:1] == ["null"]:
        rows = [null_row(name) for name in asked[1:] or (*CHOOSING, *REPORTING)]
        print_table(
            "Stories when days are shuffled",
            ["stream", "days shuffled", "events, documents shuffled", "planted, found", "others beside"],
            rows,
        )
        return
    for name in asked or (*CHOOSING, *REPORTING, "simulate_newswire"):
        print_screen(name)


if __name__ == "__main__":
    main()
