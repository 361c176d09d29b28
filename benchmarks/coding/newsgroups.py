"""20 Newsgroups by date: every representation under the same linear SVM; LCSC against K, h and loss.

Body only, lower-case letters, stop words out, Porter stems. All models are learned from the training documents alone,
three times with different seeds. Two things are chosen for every row on a quarter of the training documents: the
strength of the SVM and, for topics and codes, whether they are used unchanged or as √z·idf. The test documents are
scored once. ``python -m benchmarks.coding.newsgroups all`` takes all 20 groups instead of comp.*; names of parts (see
`PARTS`) run only these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import ShuffleSplit, cross_val_score
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from benchmarks.measure import print_table, real_data
from driftline.coding import LocalContextSparseCoding, SparseTopicalCoding
from driftline.text.counts import count_words
from driftline.text.sequences import TokenSequences, token_sequences
from driftline.text.tokenise import Tokenizer
from driftline.topics import LDA

STRENGTHS = (0.1, 0.3, 1.0)
PATTERN = "[a-z]{2,}"
TOPICS = 4000
SEEDS = range(3)
HEADINGS = ["representation", "features", "accuracy, %", "each seed"]


class News(NamedTuple):
    name: str
    texts: Any
    labels: np.ndarray
    train: np.ndarray
    vocabulary: Any
    words: TokenSequences

    @property
    def counts(self) -> sp.csr_matrix:
        return self.words.to_counts(len(self.vocabulary)).astype(float)


class Score(NamedTuple):
    validation: float
    test: float


def tokenizer(**options: Any) -> Tokenizer:
    return Tokenizer(pattern=PATTERN, stop_words="english", stemmer="porter", **options)


def load(groups: str, min_df: int) -> News:
    table = pq.read_table(real_data("20news_bydate"), columns=["label", "split", "text"])
    labels = np.array(table["label"].to_pylist())
    keep = np.char.startswith(labels, groups)
    table, labels = table.filter(keep), labels[keep]
    train = np.array(table["split"].to_pylist()) == "train"
    _, vocabulary = count_words(table["text"].filter(train), tokenizer(), min_df=min_df)
    words = token_sequences(table["text"], tokenizer(), vocabulary)
    return News(f"{groups}*" if groups else "all 20 groups", table["text"], labels, train, vocabulary, words)


def some(words: TokenSequences, rows: np.ndarray) -> list[np.ndarray]:
    return [words[int(row)] for row in np.flatnonzero(rows)]


def score(news: News, features: Any, splits: int = 1) -> Score:
    """Return the accuracy on held-out training documents with the best strength, and with it on the test documents."""
    features = sp.csr_matrix(features)
    X, y = features[news.train], news.labels[news.train]
    parts = ShuffleSplit(splits, test_size=0.25, random_state=0)
    tried = [cross_val_score(LinearSVC(C=strength), X, y, cv=parts).mean() for strength in STRENGTHS]
    model = LinearSVC(C=STRENGTHS[int(np.argmax(tried))]).fit(X, y)
    right = (model.predict(features[~news.train]) == news.labels[~news.train]).mean()
    return Score(100 * max(tried), 100 * float(right))


def better(news: News, codes: Any) -> float:
    """Return the accuracy of codes as they are or as √z·idf, whichever the held-out training documents prefer."""
    return max(score(news, normalize(codes)), score(news, root_idf(news, codes))).test


def root_idf(news: News, codes: Any) -> Any:
    codes = sp.csr_matrix(codes)
    codes.data = np.sqrt(codes.data)
    return normalize(TfidfTransformer(norm=None).fit(codes[news.train]).transform(codes))


def tf_idf(news: News, counts: Any) -> Any:
    return TfidfTransformer(sublinear_tf=True).fit(counts[news.train]).transform(counts)


def fitted(news: News, n_topics: int, seed: int = 0, **options: Any) -> LocalContextSparseCoding:
    model = LocalContextSparseCoding(
        n_topics,
        learning="mini-batch",
        max_positions=1000,
        n_words=len(news.vocabulary),
        random_state=seed,
        n_jobs=1,
        **options,
    )
    return model.fit(some(news.words, news.train))


def coded(news: News, n_topics: int, seed: int = 0, **options: Any) -> Any:
    return fitted(news, n_topics, seed, **options).transform(news.words)


def row(name: str, features: int, found: Sequence[float]) -> list[Any]:
    return [name, features, f"{np.mean(found):.1f}", ", ".join(f"{one:.1f}" for one in found)]


def grams(news: News, min_df: int = 3) -> tuple[Any, Any]:
    """Return the counts of all words and word pairs in at least `min_df` training documents, and these."""
    pairs = tokenizer(ngram_range=(1, 2))
    _, vocabulary = count_words(news.texts.filter(news.train), pairs, min_df=min_df)
    return count_words(news.texts, pairs, vocabulary=vocabulary)[0], vocabulary


def baselines(news: News) -> None:
    counts = news.counts
    both, pairs = grams(news)
    topics = [LDA(n_topics=100, random_state=seed).fit(counts[news.train]).transform(counts) for seed in SEEDS]
    rows = [
        row("counts", len(news.vocabulary), [score(news, normalize(counts)).test]),
        row("tf-idf", len(news.vocabulary), [score(news, tf_idf(news, counts)).test]),
        row("1–2-grams, tf-idf", len(pairs), [score(news, tf_idf(news, both)).test]),
        row("LDA", 100, [better(news, shares) for shares in topics]),
    ]
    print_table(f"Baselines on {news.name}, V = {len(news.vocabulary)}", HEADINGS, rows)


def topical(news: News) -> None:
    counts = news.counts
    rows = []
    for n_topics in (60, 200) if news.name == "comp.*" else (60,):
        found = []
        for seed in SEEDS:
            model = SparseTopicalCoding(n_topics, max_iter=30, tol=1e-3, code_tol=1e-3, random_state=seed, n_jobs=1)
            found.append(better(news, model.fit(counts[news.train]).transform(counts)))
        rows.append(row("STC", n_topics, found))
    print_table(f"Sparse topical coding on {news.name}", HEADINGS, rows)


def codes(news: News) -> None:
    weighted = tf_idf(news, news.counts)
    tries: dict[str, list[float]] = {}
    for seed in SEEDS:
        plain, rare = (coded(news, TOPICS, seed, weighting=weighting) for weighting in ("none", "idf"))
        tries.setdefault("LCSC, h = 1", []).append(better(news, plain))
        tries.setdefault("LCSC, h = 1, contexts weighted by idf", []).append(better(news, rare))
        for name, z in (("LCSC with tf-idf", plain), ("LCSC, contexts weighted by idf, with tf-idf", rare)):
            both = sp.hstack([root_idf(news, z), weighted])
            tries.setdefault(name, []).append(score(news, both).test)
    sizes = [TOPICS, TOPICS, TOPICS + len(news.vocabulary), TOPICS + len(news.vocabulary)]
    rows = [row(name, size, found) for (name, found), size in zip(tries.items(), sizes)]
    print_table(f"Local context codes on {news.name}, V = {len(news.vocabulary)}, K = {TOPICS}", HEADINGS, rows)


def sizes(news: News) -> None:
    """Figure 4: accuracy against the number of features; n-grams are the most frequent ones, as in the paper."""
    both, _ = grams(news)
    often = np.argsort(-np.asarray(both[news.train].sum(axis=0)).ravel(), kind="stable")
    rows = []
    for size in (50, 200, 1000, 4000, 8000):
        found = [better(news, coded(news, size, seed)) for seed in SEEDS]
        few = score(news, tf_idf(news, both[:, often[:size]])).test
        rows.append([size, f"{np.mean(found):.1f}", ", ".join(f"{one:.1f}" for one in found), f"{few:.1f}"])
    print_table(
        f"Accuracy on {news.name} against the number of features",
        ["K", "LCSC, h = 1, %", "each seed", "the K most frequent 1–2-grams, tf-idf, %"],
        rows,
    )


def against(what: str, label: str, values: tuple[Any, ...], n_topics: int) -> Callable[[News], None]:
    def part(news: News) -> None:
        rows = []
        for value in values:
            found = [better(news, coded(news, n_topics, seed, **{what: value})) for seed in SEEDS]
            rows.append([value, f"{np.mean(found):.1f}", ", ".join(f"{one:.1f}" for one in found)])
        print_table(
            f"Accuracy of LCSC on {news.name} against {label}, K = {n_topics}",
            [label, "accuracy, %", "each seed"],
            rows,
        )

    return part


def many_words(news: News) -> None:
    """The large vocabulary: all words of three training documents or more, and twice as many topics; one seed."""
    news = load("" if news.name.startswith("all") else news.name[:-1], 3)
    weighted, z = tf_idf(news, news.counts), coded(news, 2 * TOPICS)
    n_words = len(news.vocabulary)
    rows = [
        row("tf-idf", n_words, [score(news, weighted).test]),
        row("LCSC, h = 1", 2 * TOPICS, [better(news, z)]),
        row("LCSC with tf-idf", 2 * TOPICS + n_words, [score(news, sp.hstack([root_idf(news, z), weighted])).test]),
    ]
    print_table(f"{news.name}, V = {n_words}, K = {2 * TOPICS}, one seed", HEADINGS, rows)


PARTS: dict[str, Callable[[News], None]] = {
    "baselines": baselines,
    "codes": codes,
    "sizes": sizes,
    "bandwidths": against("bandwidth", "h", (0.0, 0.5, 1.0, 2.0, 4.0), 2000),
    "losses": against("loss", "loss", ("squared", "hellinger"), 1000),
    "many": many_words,
    "topical": topical,
}


def main(arguments: list[str] | None = None) -> None:
    arguments = sys.argv[1:] if arguments is None else arguments
    news = load("", 20) if "all" in arguments else load("comp.", 10)
    for part in [part for part in PARTS if part in arguments] or PARTS:
        PARTS[part](news)


if __name__ == "__main__":
    main()
