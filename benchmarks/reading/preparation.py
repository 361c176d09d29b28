"""What is left out of every shared stream before words are counted, what that costs, and what a reader sees of it.

    python -m benchmarks.reading.preparation

Nothing here is a score; the tables are for reading. The most frequent words before (English stop words left out, as
`Corpus.from_stream` counts) are listed beside those after preparation. The last table counts candidates for
near-duplicates by three rules, which were examined and not adopted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable

import numpy as np

import driftline
from benchmarks.measure import measure, print_table, real_data
from driftline.streams.corpus import Corpus
from driftline.streams.preparation import Prepared, prepare
from driftline.streams.stream import Stream
from driftline.text import Tokenizer, WordCounter
from driftline.text.phrases import AdjacentPairs

STREAMS = (
    "abc_headlines_2003",
    "health_tweets",
    "tweets_2015_2017",
    "news_sites_2017",
    "reuters21578",
    "bundestag_speeches",
    "sotu_1790_2024",
    "gitlog_2003_2008",
    "maillists_2019_2026",
    "enron_partial_folders",
    "spamassassin",
    "20news_bydate",
)
SHOWN = 15
NEAR = ("health_tweets", "tweets_2015_2017", "news_sites_2017", "abc_headlines_2003", "gitlog_2003_2008")


def main() -> None:
    """Prepare every stream once, and print what was left out and what remains."""
    print("What is left out before words are counted.\n")
    streams = {name: driftline.read(real_data(name), time="time", text="text") for name in STREAMS}
    prepare(streams["tweets_2015_2017"]).count()  # compiles
    rows, details, words, costs = [], [], [], []
    kept: dict[str, Prepared] = {}
    for name, stream in streams.items():
        table = stream.table()
        prepared, taken = measure(lambda stream=stream: prepare(stream))
        rows.append(_summary(name, prepared, taken.cpu_seconds, sum(map(len, table["text"].to_pylist()))))
        details += [
            [name, left.kind, f"{left.n:,}", f"{left.n_documents:,}", _shown(left.examples)]
            for left in prepared.left_out
        ]
        words.append([name, _frequent(Corpus.from_stream(Stream.from_table(table))), _frequent(prepared.corpus())])
        costs.append(_cost_of_phrases(name, prepared))
        if name in NEAR:
            kept[name] = prepared
    print_table("Every stream", ["stream", "kind", "language", "read", "counted", "empty", "µs/document", "MB/s"], rows)
    print_table("What was left out", ["stream", "kind", "pieces", "documents", "first examples"], details)
    print_table(f"The {SHOWN} most frequent words", ["stream", "before", "after"], words)
    print_table(
        "Phrases: CPU seconds of counting words alone, and words, phrases and stop words in one pass",
        ["stream", "words alone", "with phrases", "ratio", "phrases", "most frequent"],
        costs,
    )
    print_table(
        "Near-duplicates that are not equal: documents that each rule would drop besides, within 30 days",
        [
            "stream",
            "counted",
            "numerals masked",
            "same set of words",
            "same first 8 words",
            "an example of the last rule",
        ],
        [_near_duplicates(name, prepared) for name, prepared in kept.items()],
    )


def _summary(name: str, prepared: Prepared, seconds: float, n_characters: int) -> list[str]:
    return [
        name,
        prepared.source_kind.kind,
        " ".join(f"{code} {share:.2f}" for code, share in zip(prepared.language.codes, prepared.language.shares)),
        f"{len(prepared.times):,}",
        f"{len(prepared):,}",
        f"{prepared.n_empty:,}",
        f"{1e6 * seconds / len(prepared.times):,.0f}",
        f"{n_characters / seconds / 1e6:.0f}",
    ]


def _shown(examples: tuple[str, ...]) -> str:
    return " ⏐ ".join(re.sub(r"[|`*_<>\[\]]", "·", example)[:40] for example in examples[:3])


def _frequent(corpus: Corpus) -> str:
    n_documents = np.bincount(corpus.counts.indices, minlength=len(corpus.vocabulary))
    return " ".join(corpus.vocabulary.words[np.argsort(-n_documents, kind="stable")[:SHOWN]])


def _cost_of_phrases(name: str, prepared: Prepared) -> list[str]:
    def alone() -> None:
        counter = WordCounter(Tokenizer(stop_words=prepared.stop_words), min_df=2)
        counter.add(prepared.counted)
        counter.finish()

    def together() -> WordCounter:
        counter = WordCounter(Tokenizer(), min_df=2, pairs=AdjacentPairs(prepared.stop_words))
        counter.add(prepared.counted)
        counter.finish()
        return counter

    _, words = measure(alone, repeat=2)
    phrases, both = measure(lambda: together().phrases(), repeat=2)
    order = np.argsort(-np.bincount(phrases.counts.indices, minlength=len(phrases.vocabulary)), kind="stable")
    return [
        name,
        f"{words.cpu_seconds:.2f}",
        f"{both.cpu_seconds:.2f}",
        f"{both.cpu_seconds / words.cpu_seconds:.1f}×",
        f"{len(phrases.vocabulary):,}",
        ", ".join(phrases.vocabulary.words[order[:5]]),
    ]


def _near_duplicates(name: str, prepared: Prepared) -> list[str]:
    days = prepared.documents["time"].to_numpy().astype("datetime64[s]").astype(float) / 86400
    words = [re.findall(r"\w+", text.lower()) for text in prepared.counted.to_pylist()]
    rules: list[Callable[[list[str]], Hashable]] = [
        lambda document: tuple(re.sub("[0-9]+", "0", word) for word in document),
        lambda document: frozenset(document),
        lambda document: tuple(document[:8]) if len(document) >= 8 else None,
    ]
    counts, example = [], ""
    for rule in rules:
        latest: dict[Hashable, int] = {}
        n = 0
        for row, document in enumerate(words):
            key = rule(document) if len(document) >= 5 else None
            if key is not None and key in latest and days[row] - days[latest[key]] <= 30:
                n += 1
                example = " ".join(words[latest[key]][:16]) + " ⏐ " + " ".join(document[:16])
            else:
                latest[key] = row
        counts.append(f"{n:,}")
    return [name, f"{len(prepared):,}", *counts, example]


if __name__ == "__main__":
    main()
