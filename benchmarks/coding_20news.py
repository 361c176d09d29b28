"""20 Newsgroups by date: every representation under the same linear SVM; LCSC against K, h and loss.

Body only, lower-case letters, stop words out, Porter stems. The regularisation of the SVM is chosen for every
representation on a quarter of the training documents. ``python -m benchmarks.coding_20news all`` takes all 20 groups
instead of comp.*; names of parts (baselines, topical, codes, combined, topics, bandwidths, losses) run only these.
"""

from __future__ import annotations

import sys
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
HEADINGS = ["representation", "features", "accuracy, %"]


class News(NamedTuple):
    texts: Any
    labels: np.ndarray
    train: np.ndarray
    tokenizer: Tokenizer
    vocabulary: Any
    words: TokenSequences


def load(groups: str, min_df: int) -> News:
    table = pq.read_table(real_data("20news_bydate"), columns=["label", "split", "text"])
    labels = np.array(table["label"].to_pylist())
    keep = np.char.startswith(labels, groups)
    table, labels = table.filter(keep), labels[keep]
    train = np.array(table["split"].to_pylist()) == "train"
    tokenizer = Tokenizer(pattern=PATTERN, stop_words="english", stemmer="porter")
    _, vocabulary = count_words(table["text"].filter(train), tokenizer, min_df=min_df)
    words = token_sequences(table["text"], tokenizer, vocabulary)
    return News(table["text"], labels, train, tokenizer, vocabulary, words)


def some(words: TokenSequences, rows: np.ndarray) -> list[np.ndarray]:
    return [words[int(row)] for row in np.flatnonzero(rows)]


def accuracy(news: News, features: Any) -> float:
    features = sp.csr_matrix(features)
    X, y = features[news.train], news.labels[news.train]
    scores = [
        cross_val_score(LinearSVC(C=strength), X, y, cv=ShuffleSplit(1, test_size=0.25, random_state=0)).mean()
        for strength in STRENGTHS
    ]
    model = LinearSVC(C=STRENGTHS[int(np.argmax(scores))]).fit(X, y)
    return 100 * float((model.predict(features[~news.train]) == news.labels[~news.train]).mean())


def root_idf(news: News, codes: Any) -> Any:
    codes = sp.csr_matrix(codes)
    codes.data = np.sqrt(codes.data)
    return normalize(TfidfTransformer(norm=None).fit(codes[news.train]).transform(codes))


def tf_idf(news: News, counts: Any) -> Any:
    return TfidfTransformer(sublinear_tf=True).fit(counts[news.train]).transform(counts)


def coded(news: News, n_topics: int, seed: int = 0, **options: Any) -> Any:
    model = LocalContextSparseCoding(
        n_topics,
        learning="mini-batch",
        max_positions=1000,
        n_words=len(news.vocabulary),
        random_state=seed,
        n_jobs=2,
        **options,
    )
    return root_idf(news, model.fit(some(news.words, news.train)).transform(news.words))


def baselines(news: News, name: str) -> None:
    counts = news.words.to_counts(len(news.vocabulary)).astype(float)
    bigrams = Tokenizer(pattern=PATTERN, stop_words="english", stemmer="porter", ngram_range=(1, 2))
    _, pairs = count_words(news.texts.filter(news.train), bigrams, min_df=3)
    grams = count_words(news.texts, bigrams, vocabulary=pairs)[0]
    lda = LDA(n_topics=100, random_state=0).fit(counts[news.train])
    rows = [
        ["counts", len(news.vocabulary), accuracy(news, normalize(counts))],
        ["tf-idf", len(news.vocabulary), accuracy(news, tf_idf(news, counts))],
        ["1–2-grams, tf-idf", len(pairs), accuracy(news, tf_idf(news, grams))],
        ["LDA", 100, accuracy(news, lda.transform(counts))],
    ]
    print_table(f"Baselines on {name}, V = {len(news.vocabulary)}", HEADINGS, rows)


def topical(news: News, name: str) -> None:
    counts = news.words.to_counts(len(news.vocabulary)).astype(float)
    n_topics = 60 if len(news.labels) < 6000 else 30
    model = SparseTopicalCoding(n_topics, max_iter=8, code_tol=1e-3, random_state=0, n_jobs=2).fit(counts[news.train])
    rows = [["STC", n_topics, accuracy(news, normalize(model.transform(counts)))]]
    print_table(f"Sparse topical coding on {name}", HEADINGS, rows)


def codes(news: News, name: str, seeds: range) -> None:
    weighted = tf_idf(news, news.words.to_counts(len(news.vocabulary)).astype(float))
    tries: dict[str, list[float]] = {}
    for seed in seeds:
        plain, rare = coded(news, TOPICS, seed), coded(news, TOPICS, seed, weighting="idf")
        for what, features in (
            ("LCSC, h = 1", plain),
            ("LCSC, h = 1, contexts weighted by idf", rare),
            ("LCSC, h = 1, weighted by idf, with tf-idf", sp.hstack([rare, weighted])),
        ):
            tries.setdefault(what, []).append(accuracy(news, features))
    sizes = [TOPICS, TOPICS, TOPICS + len(news.vocabulary)]
    rows = [
        [what, size, f"{np.mean(got):.1f} ({', '.join(f'{x:.1f}' for x in got)})"]
        for (what, got), size in zip(tries.items(), sizes)
    ]
    print_table(f"Local context codes on {name}, K = {TOPICS}, {len(seeds)} seeds", HEADINGS, rows)


def combined(news: News, name: str) -> None:
    weighted = tf_idf(news, news.words.to_counts(len(news.vocabulary)).astype(float))
    near = coded(news, TOPICS, weighting="idf")
    wide = coded(news, TOPICS // 2, bandwidth=3.0, weighting="idf")
    peaks = coded(news, TOPICS, weighting="idf", pooling="max")
    rows = [
        [what, features.shape[1], accuracy(news, features)]
        for what, features in (
            ("h = 1 and h = 3", sp.hstack([near, 0.5 * wide])),
            ("h = 1, mean and max pooling", sp.hstack([near, peaks])),
            ("h = 1 and 3, mean and max, with tf-idf", sp.hstack([near, 0.5 * wide, 0.5 * peaks, weighted])),
        )
    ]
    print_table(f"Trying to beat 1–2-grams on {name}: codes with idf-weighted contexts", HEADINGS, rows)


def against(news: News, name: str, what: str, label: str, values: tuple[Any, ...], **options: Any) -> None:
    rows = []
    for value in values:
        chosen = {"n_topics": 2000, **options, what: value}
        rows.append([value, accuracy(news, coded(news, chosen.pop("n_topics"), **chosen))])
    print_table(f"Accuracy of LCSC on {name} against {label}, one seed", [label, "accuracy, %"], rows)


PARTS = {
    "baselines": baselines,
    "topical": topical,
    "codes": lambda news, name: codes(news, name, range(2 if name == "comp.*" else 1)),
    "combined": combined,
    "topics": lambda news, name: against(news, name, "n_topics", "K", (50, 200, 1000, 4000)),
    "bandwidths": lambda news, name: against(news, name, "bandwidth", "h (K = 2000)", (0.0, 0.5, 1.0, 2.0, 4.0)),
    "losses": lambda news, name: against(
        news, name, "loss", "loss (K = 1000, one pass)", ("squared", "hellinger"), n_topics=1000, max_iter=1
    ),
}


def main(arguments: list[str] | None = None) -> None:
    arguments = sys.argv[1:] if arguments is None else arguments
    everything = "all" in arguments
    news = load("", 20) if everything else load("comp.", 10)
    for part in [part for part in PARTS if part in arguments] or PARTS:
        PARTS[part](news, "all 20 groups" if everything else "comp.*")


if __name__ == "__main__":
    main()
