"""The AP corpus: perplexity over the number of topics, by document completion and under the published protocol.

Blei, Ng and Jordan (2003, section 7.1) hold out a tenth of an AP corpus of 16,333 documents and 23,075 terms, and give
the perplexity of whole held-out documents: exact for the (mixture of) unigrams, from the variational bound for LDA, and
for PLSA summed over the topic shares of all training documents, p(w) = Σ_d p(d) Π_n Σ_k p(w_n | k) p(k | d). Here it is
computed on the part of that corpus that is public as counts, 2,246 documents and 10,473 terms. With fewer terms every
perplexity is lower than theirs, so what can be compared is what they conclude: a mixture of unigrams overfits and gets
worse with every topic, PLSA likewise but more slowly; LDA gets better with every topic and is the best.

    python -m benchmarks.topics.ap [numbers of topics]
"""

from __future__ import annotations

import sys

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from scipy.special import logsumexp

from benchmarks.measure import real_data
from driftline.evaluation.perplexity import document_completion
from driftline.inference.pairs import Pairs
from driftline.topics import LDA, PLSA, MixtureOfUnigrams
from driftline.topics.lda_vb import expectation


def shuffled_documents():
    """Return the documents of the Associated Press in random order."""
    table = pq.read_table(real_data("ap_counts"))
    words, counts = table["term_ids"].combine_chunks(), table["counts"].combine_chunks()
    parts = counts.values.to_numpy().astype(float), words.values.to_numpy().copy(), words.offsets.to_numpy().copy()
    X = sp.csr_matrix(parts)
    X.sum_duplicates()
    return X[np.random.default_rng(0).permutation(X.shape[0])]


def counts():
    X = shuffled_documents()
    cut = X.shape[0] // 10
    return X[cut:], X[:cut]


def bound_perplexity(components, prior, held_out):
    """Return the perplexity of whole documents from the variational bound, the topics being known."""
    prior = np.broadcast_to(np.asarray(prior, dtype=np.float64), (len(components),)).copy()
    answer = expectation(Pairs.of(held_out), np.ascontiguousarray(components.T, dtype=np.float64), prior)
    return np.exp(-answer.bound / held_out.sum())


def mixture_perplexity(model, held_out):
    """Return the exact perplexity of whole documents under a mixture of unigrams."""
    joint = held_out @ np.log(model.components_).T + np.log(model.weights_)
    return np.exp(-logsumexp(joint, axis=1).sum() / held_out.sum())


def plsa_perplexity(model, train, held_out):
    """Return the perplexity of whole documents if each has the topic shares of some training document."""
    shares = np.log(model.transform(train) @ model.components_)
    return np.exp(-(logsumexp(held_out @ shares.T, axis=1) - np.log(train.shape[0])).sum() / held_out.sum())


def main():
    train, held_out = counts()
    frequency = np.asarray(train.sum(axis=0)) + 0.01
    frequency /= frequency.sum()
    whole = np.exp(-(held_out @ np.log(frequency.T)).sum() / held_out.sum())
    print("AP, a tenth of the documents held out\n")
    print("| model | K | perplexity of whole documents | of the second halves |\n|---|---|---|---|")

    def row(name, n_topics, published, completed):
        print(f"| {name} | {n_topics} | {published:.0f} | {completed:.0f} |", flush=True)

    row("unigrams", 1, whole, document_completion(frequency, held_out).perplexity)
    for n_topics in map(int, sys.argv[1:] or (10, 20, 50, 100)):
        mixture = MixtureOfUnigrams(n_topics, random_state=0, max_steps=25).fit(train)
        row("mixture of unigrams", n_topics, mixture_perplexity(mixture, held_out), mixture.perplexity(held_out))
        for name, temperature in (("PLSA", 1.0), ("PLSA, tempered", 0.8)):
            plsa = PLSA(n_topics, random_state=0, max_steps=25, temperature=temperature).fit(train)
            row(name, n_topics, plsa_perplexity(plsa, train, held_out), plsa.perplexity(held_out))
        for inference in ("online", "gibbs", "vb"):
            if inference == "vb" and n_topics != 20:
                continue
            lda = LDA(n_topics, inference=inference, max_epochs=8 if inference == "vb" else 30, random_state=0)
            lda.fit(train)
            published = bound_perplexity(lda.components_, lda.doc_topic_prior_, held_out)
            row(f"LDA, {inference}", n_topics, published, lda.perplexity(held_out))


if __name__ == "__main__":
    main()
