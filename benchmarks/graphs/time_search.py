"""Searching mail by the subjects of threads: terms, pairs of neighbours, and the times of the best documents.

The bodies of 24,000 mails of three lists are indexed; queries are subjects of threads of at least eight mails, and the
other mails of the thread are relevant. Threads are short in time by construction, so they favour rankings that use
time; permuted times show what is left when time is uninformative.

    python -m benchmarks.graphs.time_search [--row]
"""

from __future__ import annotations

import dataclasses
import re
import sys
import time
from collections import defaultdict

import numpy as np
import pyarrow.parquet as pq

from benchmarks.graphs.retrieval import p_value, precisions
from benchmarks.measure import print_table, real_data
from driftline.graphs import SearchIndex, TermDependenceRanker
from driftline.text.tokenise import Tokenizer

LEAST_MAILS, LEAST_WORDS, MOST_QUERIES = 8, 3, 150
TOKENIZER = Tokenizer(stop_words="english", stemmer="english")


def mails(n_lists=3):
    """Return times and bodies of mails, queries, and the mails of each query's thread."""
    table = pq.read_table(real_data("maillists_2019_2026"))
    lists = sorted(set(table["label"].to_pylist()))[:n_lists]
    rows = table.filter(np.isin(table["label"].to_pylist(), lists)).to_pydict()
    threads = defaultdict(list)
    for number, (label, subject) in enumerate(zip(rows["label"], rows["subject"])):
        threads[label, re.sub(r"^(\s*(re|fwd?|aw)\s*:)+|\[[^]]*\]", "", subject or "", flags=re.I).strip()].append(
            number
        )
    usable = [
        (subject.replace('"', " "), set(found))
        for (_, subject), found in sorted(threads.items())
        if len(found) >= LEAST_MAILS and len(re.findall(r"[A-Za-z]{3,}", subject)) >= LEAST_WORDS
    ]
    chosen = np.random.default_rng(0).permutation(len(usable))[:MOST_QUERIES]
    times = np.array(rows["time"], dtype="datetime64[us]")
    return times, rows["text"], [usable[i][0] for i in chosen], [usable[i][1] for i in chosen]


def simulated(n=3000, seed=0):
    """Return documents of common words, in which a subject's documents lie within a month of each other."""
    rng = np.random.default_rng(seed)
    words = np.array([f"word{i:03d}" for i in range(400)])
    shares = 1 / np.arange(1, 401)
    times = np.sort(rng.integers(0, 2000, n)).astype("datetime64[D]").astype("datetime64[us]")
    texts = [" ".join(rng.choice(words, 30, p=shares / shares.sum())) for _ in range(n)]
    queries, relevant = [], []
    for _ in range(40):
        pair, start = rng.choice(words[10:100], 2, replace=False), int(rng.integers(0, n - 60))
        chosen = {int(doc) for doc in start + rng.choice(60, 10, replace=False)}
        for doc in chosen:
            texts[doc] += f" {rng.choice(pair)}"
        queries.append(" ".join(pair))
        relevant.append(chosen)
    return times, texts, queries, relevant


def index_of(times, texts, tokenizer):
    return SearchIndex(zip(times, texts), tokenizer=tokenizer)


def main():
    row = "--row" in sys.argv
    times, texts, queries, relevant = simulated() if row else mails()
    tokenizer = Tokenizer() if row else TOKENIZER
    begun = time.process_time()
    index = index_of(times, texts, tokenizer)
    took = time.process_time() - begun
    print(f"{len(texts):,} documents, {index.n_tokens:,} terms indexed in {took:.1f} s; {len(queries)} queries")
    permuted = index_of(np.random.default_rng(1).permutation(times), texts, tokenizer)
    plain = TermDependenceRanker("sequential", time=None)
    rankers = {
        "independent": (TermDependenceRanker("independent", time=None), index),
        "BM25": (TermDependenceRanker("independent", "bm25", None), index),
        "sequential": (plain, index),
        "sequential, times where they cluster (default)": (TermDependenceRanker(), index),
        "sequential, times always": (TermDependenceRanker(time="always"), index),
        "times permuted, where they cluster": (TermDependenceRanker(), permuted),
        "times permuted, always": (TermDependenceRanker(time="always"), permuted),
    }
    rows, kept = [], {}
    for name, (ranker, searched) in rankers.items():
        found, milliseconds = precisions(ranker, searched, queries, relevant)
        kept[name] = found
        base = kept.get("sequential", found) if ranker.dependence == "sequential" else found
        used = sum(ranker.rank(searched, searched.parse(text)).used_time for text in queries) if ranker.time else 0
        gains = found - base
        change = "" if base is found else f"{100 * (found.mean() / base.mean() - 1):+.1f} %, p {p_value(gains):.4f}"
        better = "" if base is found else f"{(gains > 1e-9).sum()} / {(gains < -1e-9).sum()}"
        rows.append((name, f"{found.mean():.3f}", change, better, used, f"{milliseconds:.2f}"))
    headings = ["ranking", "MAP", "over sequential", "better / worse", "queries that used time", "ms per query"]
    print_table("Subjects of threads as queries", headings, rows)
    grid = []
    for span in (3.0, 10.0, 30.0):
        for weight in (0.3, 1.0, 2.0):
            ranker = dataclasses.replace(plain, time="always", span=span, time_weight=weight)
            grid.append((f"{span:g} d", f"{weight:g}", f"{precisions(ranker, index, queries, relevant)[0].mean():.3f}"))
    print_table("Other settings, times always", ["span", "weight", "MAP"], grid)


if __name__ == "__main__":
    main()
