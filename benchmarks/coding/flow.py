"""How long topics last along one text: local context coding against LDA's token assignments, raw and smoothed.

python -m benchmarks.coding.flow
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.parquet as pq
from scipy.ndimage import convolve1d

from benchmarks.measure import measure, print_table, real_data
from driftline.analysis.curve_times import grid
from driftline.analysis.findings.long_documents import describe_long_documents
from driftline.coding import LocalContextSparseCoding
from driftline.coding.local_contexts import kernel_weights
from driftline.coding.segments import run_lengths
from driftline.coding.text_flow import split_passages, text_flow
from driftline.streams.corpus import Corpus
from driftline.text.counts import count_words
from driftline.text.sequences import token_sequences
from driftline.text.tokenise import Tokenizer
from driftline.topics import LDA

TOPICS = 8
BANDWIDTHS = (10.0, 30.0, 60.0)
SEEDS = range(3)


def texts() -> dict[str, list[str]]:
    kafka = pq.read_table(real_data("kafka_metamorphosis"))["text"].to_pylist()
    addresses = pq.read_table(real_data("sotu_1790_2024"), columns=["year", "text"]).to_pylist()
    address = next(row["text"] for row in addresses if row["year"] == 1990)
    return {"The Metamorphosis": kafka, "State of the Union 1990": [p for p in address.split("\n\n") if p.strip()]}


def lda_posteriors(passages: list[str], tokenizer: Tokenizer, vocabulary: Any, seed: int) -> np.ndarray:
    """Return p(topic | word, passage) of every token, from LDA on the passages as documents."""
    counts, _ = count_words(passages, tokenizer, vocabulary=vocabulary)
    model = LDA(n_topics=TOPICS, random_state=seed).fit(counts)
    words = model.components_ / model.components_.sum(axis=1, keepdims=True)
    sequences = token_sequences(passages, tokenizer, vocabulary)
    document = np.repeat(np.arange(len(sequences)), sequences.lengths())
    joint = model.transform(counts)[document] * words.T[sequences.ids]
    return joint / joint.sum(axis=1, keepdims=True)


def smoothed(posteriors: np.ndarray, bandwidth: float) -> np.ndarray:
    half = kernel_weights("gaussian", bandwidth)
    return convolve1d(posteriors, np.concatenate([half[:0:-1], half]), axis=0, mode="constant")


def compare(name: str, paragraphs: list[str]) -> list[list[Any]]:
    passages = [passage for paragraph in paragraphs for passage in split_passages(paragraph)]
    tokenizer = Tokenizer(stop_words="english")
    _, vocabulary = count_words(passages, tokenizer, min_df=2)
    tokens = token_sequences(passages, tokenizer, vocabulary).ids
    posteriors = [lda_posteriors(passages, tokenizer, vocabulary, seed) for seed in SEEDS]
    raw = np.mean([run_lengths(p.argmax(axis=1)).mean() for p in posteriors])
    rows = []
    for bandwidth in BANDWIDTHS:
        alike = np.mean([run_lengths(smoothed(p, bandwidth).argmax(axis=1)).mean() for p in posteriors])
        for loss in ("squared", "hellinger"):
            lengths = []
            for seed in SEEDS:
                model = LocalContextSparseCoding(
                    TOPICS,
                    bandwidth=bandwidth,
                    loss=loss,
                    learning="batch",
                    max_positions=300,
                    max_iter=15,
                    tol=1e-3,
                    code_tol=1e-5,
                    n_words=len(vocabulary),
                    random_state=seed,
                ).fit([tokens])
                # Every third token: a run of n places lasts 3n words.
                lengths.append(3 * run_lengths(model.flow(tokens, step=3).toarray().argmax(axis=1)).mean())
            ours = np.mean(lengths)
            rows.append([name, bandwidth, loss, ours, raw, alike, ours / raw, ours / alike])
    return rows


def addresses() -> None:
    """The report on long documents: how long themes lead in the yearly addresses, and the time it takes."""
    table = pq.read_table(real_data("sotu_1790_2024"), columns=["time", "text"])
    corpus = Corpus.from_texts(table["text"], table["time"].to_numpy(), min_df=2, max_features=30_000)
    when = grid(corpus.times, 160)
    describe_long_documents(corpus[:20], when)  # compile before timing
    found, taken = measure(lambda: describe_long_documents(corpus, when))
    assert found is not None
    rows = [
        [f"{era.start[:4]}–{era.end[:4]}", era.n_documents, era.run_words, f"{era.run_lower:.0f}–{era.run_upper:.0f}"]
        for era in found.eras
    ]
    print_table(
        f"{len(corpus)} yearly addresses, median {found.median_words:,.0f} words, {found.n_used} read "
        f"({taken.cpu_seconds:.1f} processor seconds)",
        ["written", "documents", "words before another theme leads", "95 % band"],
        rows,
    )
    print_table(
        "Their themes, as they follow each other",
        ["share, %", "characteristic words"],
        [[100 * theme.share, ", ".join(theme.words)] for theme in found.themes],
    )


def main() -> None:
    rows = [row for name, paragraphs in texts().items() for row in compare(name, paragraphs)]
    headings = ["text", "h", "loss", "LCSC", "LDA raw", "LDA smoothed", "LCSC / raw", "LCSC / smoothed"]
    print_table(f"Mean run of the leading topic, in words (K = {TOPICS}, {len(SEEDS)} seeds)", headings, rows)
    for name, paragraphs in texts().items():
        flow, taken = measure(lambda p=paragraphs: text_flow(p))
        found = [[int(flow.words[turn.start]), ", ".join(turn.words)] for turn in flow.turns]
        print_table(
            f"{name}: segments ({taken.cpu_seconds:.1f} processor seconds)",
            ["from word", "characteristic words"],
            found,
        )
    addresses()


if __name__ == "__main__":
    main()
