"""Ranking on Cranfield, CACM and CISI: terms alone, neighbouring pairs, all subsets; BM25 beside bm25s.

Words are stemmed (Porter 2) and English stop words left out. The weights of `sequential` are chosen on the two other
collections by coordinate ascent on mean average precision (MAP). p is that of a paired permutation test over queries.
Times are those of ranking all documents, given the terms of the query. "As usually coded" are pairs that also count if
they occur nowhere, of terms between which a stop word was left out, too. The last table has the MAP of bm25s for other
terms: no stop words, those of Lucene, of bm25s ("plus") and of scikit-learn, with and without words of one letter.

    python -m benchmarks.graphs.retrieval [--row | --terms]
"""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import re
import sys
import time
from functools import lru_cache

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.measure import print_table, real_data
from driftline.graphs import SearchIndex, TermDependenceRanker
from driftline.graphs.search.average_precision import average_precision
from driftline.graphs.search.query_features import ORDERED, TERM, UNORDERED, WINDOW_PER_TERM, Feature, occurrences
from driftline.text.stopwords import stop_words_for
from driftline.text.tokenise import Tokenizer

COLLECTIONS = ("cranfield", "cacm", "cisi")
TOKENIZER = Tokenizer(stop_words="english", stemmer="english")
SEQUENTIAL = TermDependenceRanker("sequential", time=None)


def collection(name):
    """Return the texts of a collection, its queries, and the documents relevant to each."""
    docs, queries, judged = (
        pq.read_table(real_data(f"ir_{part}")).filter(pc.field("collection") == name).to_pydict()
        for part in ("docs", "queries", "qrels")
    )
    number = {identifier: i for i, identifier in enumerate(docs["id"])}
    texts = [joined(title or "", text or "") for title, text in zip(docs["title"], docs["text"])]
    relevant = {query: set() for query in queries["id"]}
    for query, doc, grade in zip(judged["query"], judged["doc"], judged["rel"]):
        if query in relevant and doc in number and grade > 0:
            relevant[query].add(number[doc])
    kept = [(text, relevant[q]) for q, text in zip(queries["id"], queries["text"]) if relevant[q]]
    return texts, [text.replace('"', " ") for text, _ in kept], [found for _, found in kept]


def joined(title, text):
    """Return title and text; the text of Cranfield contains the title."""
    return text if text.startswith(title[:40]) else f"{title}\n{text}"


class Naive(TermDependenceRanker):
    """Pairs as they are usually coded: a pair that occurs nowhere penalises long documents, too.

    "sequential" pairs all terms that follow each other, even where a stop word was between them; "full" pairs all.
    """

    def _parts(self, index, query, weights):
        words = query.words
        pairs = itertools.pairwise(words) if self.dependence == "sequential" else itertools.combinations(words, 2)
        features = [Feature(TERM, (word,)) for word in words]
        for pair in pairs:
            if pair[0] != pair[1]:
                features += [Feature(ORDERED, pair, (0, 1)), Feature(UNORDERED, pair, (0,), 2 * WINDOW_PER_TERM)]
        parts, matching = np.zeros((3, len(index))), np.zeros(len(index), dtype=bool)
        for feature in features:
            docs, counts, total = occurrences(feature, index.segments)
            parts[feature.kind] += index.length_scores(self.smoothing)
            if len(docs):
                parts[feature.kind, docs] += np.log1p(counts * (index.n_tokens / (self.smoothing * total)))
            if feature.kind == TERM:
                matching[docs] = True
        return parts, matching


def index_of(texts):
    return SearchIndex([("1970-01-01", text) for text in texts], tokenizer=TOKENIZER)


def precisions(ranker, index, queries, relevant):
    """Return the average precision of every query, and the milliseconds per query, without splitting it into terms."""
    found, parsed, begun = [], [index.parse(text) for text in queries], time.process_time()
    rankings = [ranker.rank(index, query) for query in parsed]
    took = 1000 * (time.process_time() - begun) / len(queries)
    for ranking, wanted in zip(rankings, relevant):
        found.append(average_precision(ranking.scores, np.isin(ranking.docs, list(wanted)), len(wanted)))
    return np.array(found), took


def peer(texts, queries, relevant):
    """Return the same of bm25s, with the same terms, and the largest difference between its scores and ours."""
    import bm25s

    ranked = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    ranked.index(TOKENIZER.tokens(texts).to_pylist(), show_progress=False)
    found, terms, begun = [], TOKENIZER.tokens(queries).to_pylist(), time.process_time()
    rows = [ranked.get_scores(words) for words in terms]
    orders = [np.argsort(-scores, kind="stable") for scores in rows]
    took = 1000 * (time.process_time() - begun) / len(queries)
    for scores, order, wanted in zip(rows, orders, relevant):
        order = order[scores[order] > 0]
        found.append(average_precision(-np.arange(len(order)), np.isin(order, list(wanted)), len(wanted)))
    return np.array(found), took, rows


def p_value(gains, n=10_000, seed=0):
    """Return the two-sided p of a mean gain when the sign of every query's gain is random."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n, len(gains)))
    return (1 + (np.abs(signs @ gains) >= abs(gains.sum()) - 1e-12).sum()) / (n + 1)


def print_terms(raw):
    """Print the MAP of bm25s by what is a term."""
    import bm25s
    import snowballstemmer
    from bm25s.stopwords import STOPWORDS_EN, STOPWORDS_EN_PLUS
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    stem = lru_cache(None)(snowballstemmer.stemmer("english").stemWord)
    ours = stop_words_for("english", ("en",))
    stops = {"none": (), "Lucene's 33": STOPWORDS_EN, "bm25s's 179": STOPWORDS_EN_PLUS}
    stops |= {"scikit-learn's 318": ENGLISH_STOP_WORDS, f"ours, {len(ours)}": ours}
    rows = []
    for (label, words), (shortest, pattern) in itertools.product(stops.items(), ((2, r"\w\w+"), (1, r"\w+"))):
        left_out, word = frozenset(words), re.compile(pattern)
        found = []
        for texts, queries, relevant in raw.values():
            terms, asked = (
                [[stem(each) for each in word.findall(text.lower()) if each not in left_out] for text in part]
                for part in (texts, queries)
            )
            ranked = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
            ranked.index(terms, show_progress=False)
            found.append(mean_precision(ranked, asked, relevant))
        rows.append([label, shortest, *(f"{each:.4f}" for each in found)])
    print_table("MAP of bm25s by its terms", ["stop words", "letters of a word, at least", *raw], rows)


def mean_precision(ranked, asked, relevant):
    found = []
    for words, wanted in zip(asked, relevant):
        scores = ranked.get_scores([word for word in words if word in ranked.vocab_dict])
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] > 0]
        found.append(average_precision(-np.arange(len(order)), np.isin(order, list(wanted)), len(wanted)))
    return np.mean(found)


def simulated(n=2000, seed=0):
    """Return documents of a Zipfian vocabulary in which the relevant ones contain a pair of words as a phrase."""
    rng = np.random.default_rng(seed)
    words = [f"word{i:04d}" for i in range(2000)]
    shares = 1 / np.arange(1, 2001)
    texts = [" ".join(rng.choice(words, 60, p=shares / shares.sum())) for _ in range(n)]
    queries, relevant = [], []
    for _ in range(40):
        pair = " ".join(rng.choice(words[20:200], 2, replace=False))
        chosen = {int(doc) for doc in rng.choice(n, 10, replace=False)}
        for doc in chosen:
            at = int(rng.integers(len(texts[doc])))
            texts[doc] = f"{texts[doc][:at]} {pair} {texts[doc][at:]}"
        queries.append(pair)
        relevant.append(chosen)
    return texts, queries, relevant


def tuned_elsewhere(name, loaded):
    """Return a ranker whose weights are the mean of those chosen on each of the other collections."""
    weights = [SEQUENTIAL.fit(*loaded[other]).weights for other in loaded if other != name]
    return dataclasses.replace(SEQUENTIAL, weights=tuple(np.mean(weights, axis=0)))


def print_collection(name, texts, index, queries, relevant, sequential):
    bm25 = TermDependenceRanker("independent", potentials="bm25", time=None)
    rankers = {
        "BM25 (1.2, 0.75)": bm25,
        "independent, Dirichlet (µ = 1,000)": TermDependenceRanker("independent", time=None),
        f"sequential, weights {sequential.weights[0]:.2f}, {sequential.weights[1]:.2f}, {sequential.weights[2]:.2f}"
        " (chosen elsewhere)": sequential,
        "sequential, default weights 0.8, 0.2, 0": SEQUENTIAL,
        "sequential, weights 0.85, 0.10, 0.05 (usual)": dataclasses.replace(SEQUENTIAL, weights=(0.85, 0.1, 0.05)),
        "sequential, BM25": TermDependenceRanker("sequential", potentials="bm25", time=None),
        "full": TermDependenceRanker("full", time=None, weights=(0.8, 0.1, 0.1)),
        "sequential as usually coded, 0.85, 0.10, 0.05": Naive("sequential", time=None, weights=(0.85, 0.1, 0.05)),
        "all pairs as usually coded, 0.8, 0.1, 0.1": Naive("full", time=None, weights=(0.8, 0.1, 0.1)),
    }
    rows, bases = [], {}
    for label, ranker in rankers.items():
        precisions(ranker, index, queries[:2], relevant[:2])
        found, took = precisions(ranker, index, queries, relevant)
        base = bases.setdefault(ranker.potentials, found)
        gain = "" if base is found else f"{100 * (found.mean() / base.mean() - 1):+.1f} %"
        p = f"{p_value(found - base):.3f}" if gain else ""
        rows.append((label, f"{found.mean():.4f}", gain, p, f"{took:.2f}"))
    try:
        found, took, scores = peer(texts, queries, relevant)
    except ImportError:
        rows.append(("bm25s (not installed)", "", "", "", ""))
    else:
        rows.insert(1, ("bm25s 1.2, 0.75", f"{found.mean():.4f}", "", "", f"{took:.2f}"))
        parts = [bm25._parts(index, index.parse(text), (1, 0, 0))[0][0] for text in queries]
        worst = max(np.abs(ours - theirs).max() for ours, theirs in zip(parts, scores))
        print(f"\nLargest difference between our BM25 scores and those of bm25s (32-bit floats): {worst:.1e}")
    print_table(
        f"{name}: {len(texts):,} documents, {len(queries)} queries; gain over the same potentials without pairs",
        ["ranking", "MAP", "gain", "p", "ms per query"],
        rows,
    )


def main():
    if "--row" in sys.argv:
        texts, queries, relevant = simulated()
        index = SearchIndex([("1970-01-01", text) for text in texts])
        for ranker in (TermDependenceRanker("independent", time=None), SEQUENTIAL):
            found, took = precisions(ranker, index, queries, relevant)
            print(f"{ranker.dependence}: MAP {found.mean():.3f}, {took:.2f} ms per query")
        return
    raw = {name: collection(name) for name in COLLECTIONS}
    if "--terms" in sys.argv:
        print_terms(raw)
        return
    loaded = {}
    for name, (texts, queries, relevant) in raw.items():
        loaded[name] = (index_of(texts), queries, relevant)
    for name, (texts, queries, relevant) in raw.items():
        print_collection(name, texts, loaded[name][0], queries, relevant, tuned_elsewhere(name, loaded))
    if importlib.util.find_spec("bm25s") is not None:
        print_terms(raw)


if __name__ == "__main__":
    main()
