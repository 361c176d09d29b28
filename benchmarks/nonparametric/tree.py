"""Hierarchical LDA on AP: held-out prediction and coherence of its nodes, against flat LDA of equal size.

A fifth of the documents is held out; the score is the negative log-likelihood, in nats, of a word in the second half of
a document given the first half. LDA has as many topics as the tree has leaves, or nodes. Coherence is the mean NPMI of
the ten most probable words of topics (of leaves, of all nodes), on the fitted documents. All settings are the defaults,
with one chain and 60 sweeps.

    python -m benchmarks.nonparametric.tree [--row]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp

from benchmarks.measure import real_data
from driftline.evaluation.coherence import coherence
from driftline.nonparametric import HierarchicalLDA
from driftline.topics import LDA

SEEDS = (0, 1, 2)
N_DOCUMENTS = 400
SWEEPS = {"burn_in": 50, "n_samples": 10, "n_chains": 1}


def documents(seed):
    """Return the documents to learn from, those held out, and the words, which ten documents have."""
    table = pq.read_table(real_data("ap_counts"))
    words, counts = table["term_ids"].combine_chunks(), table["counts"].combine_chunks()
    parts = counts.values.to_numpy().astype(float), words.values.to_numpy().copy(), words.offsets.to_numpy().copy()
    X = sp.csr_matrix(parts)
    X.sum_duplicates()
    X = X[np.random.default_rng(seed).permutation(X.shape[0])[:N_DOCUMENTS]]
    used = np.flatnonzero(np.asarray((X > 0).sum(axis=0)).ravel() >= 10)
    names = np.array(pq.read_table(real_data("ap_vocab"))["term"].to_pylist())
    X = X[:, used].tocsr()
    return X[N_DOCUMENTS // 5 :], X[: N_DOCUMENTS // 5], names[used].tolist()


def print_row(name, rows):
    """Print the means over seeds, and every seed's score."""
    found = np.array(rows)
    each = ", ".join(f"{value:.3f}" for value in found[:, 0])
    mean = found.mean(axis=0)
    sizes = ", ".join(f"{value:.0f}" for value in found[:, 1])
    print(f"| {name} | {mean[0]:.3f} ({each}) | {sizes} | {mean[2]:.3f} | {mean[3]:.1f} |", flush=True)


def main():
    seeds = SEEDS[:1] if "--row" in sys.argv else SEEDS
    rows: dict[str, list] = {}
    for seed in seeds:
        known, held_out, words = documents(seed)
        begun = time.process_time()
        tree = HierarchicalLDA(vocabulary=words, random_state=seed, n_jobs=1, **SWEEPS).fit(known)
        spent = time.process_time() - begun
        npmi, leaves = coherence(tree, known), tree.node_levels_ == 2
        score = -tree.score(held_out)
        rows.setdefault("tree, leaves", []).append((score, leaves.sum(), np.nanmean(npmi[leaves]), spent))
        rows.setdefault("tree, all nodes", []).append((score, len(leaves), np.nanmean(npmi), spent))
        for name, n_topics in (("as many topics as leaves", int(leaves.sum())), ("as nodes", len(leaves))):
            begun = time.process_time()
            flat = LDA(n_topics, inference="gibbs", random_state=seed, n_jobs=1).fit(known)
            spent = time.process_time() - begun
            row = (-flat.score(held_out), n_topics, np.nanmean(coherence(flat, known)), spent)
            rows.setdefault(f"LDA, Gibbs, {name}", []).append(row)
    sizes = f"{int(known.sum()):,} tokens of {known.shape[1]:,} words"
    print(f"AP: {known.shape[0]} documents, {sizes}; {held_out.shape[0]} held out\n")
    print("| | nats per word (seeds) | nodes or topics | NPMI | CPU s |\n|" + "---|" * 5)
    for name, each in rows.items():
        print_row(name, each)
    if len(seeds) > 1:
        drawing = tree.tree_.drawing(min_documents=20)
        print(f"\nThe tree of the last seed, nodes of at least 20 documents:\n\n```text\n{drawing}\n```")


if __name__ == "__main__":
    main()
