"""The hierarchical Dirichlet process on AP against LDA, gensim and tomotopy, and on simulated documents from any start.

AP: 400 documents are held out; the score is the mean negative log-likelihood, in nats, of a word in the second half of
a document given the first half, each model under its own prior of topics. The settings are the defaults. Simulated: 20
topics, 1,000 documents of 80 words, η = 0.05 in truth; a topic is found if a topic of the model overlaps it by at least
0.5.

    python -m benchmarks.nonparametric.hdp [--row | ap | simulated] [--peers]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import scipy.sparse as sp

from benchmarks.topics.ap import shuffled_documents
from driftline.evaluation.perplexity import document_completion
from driftline.nonparametric import HDP
from driftline.topics import LDA

HELD_OUT = 400
SEEDS = (0, 1, 2)
MODELS = {
    "LDA, online, K = 100": lambda seed: LDA(100, random_state=seed, n_jobs=1),
    "LDA, online, K = 200": lambda seed: LDA(200, random_state=seed, n_jobs=1),
    "LDA, Gibbs, K = 100": lambda seed: LDA(100, inference="gibbs", random_state=seed, n_jobs=1),
    "LDA, Gibbs, K = 200": lambda seed: LDA(200, inference="gibbs", random_state=seed, n_jobs=1),
    "LDA, Gibbs, K = 400": lambda seed: LDA(400, inference="gibbs", random_state=seed, n_jobs=1),
    "HDP, start 100": lambda seed: HDP(100, n_chains=1, random_state=seed, n_jobs=1),
    "HDP, start 200": lambda seed: HDP(200, n_chains=1, random_state=seed, n_jobs=1),
    "HDP, start 1": lambda seed: HDP(1, n_chains=1, random_state=seed, n_jobs=1),
    "HDP, start 100, no merges and splits": lambda seed: HDP(
        100, n_chains=1, restructure=False, random_state=seed, n_jobs=1
    ),
}


def ap():
    """Return the documents to learn from and those held out."""
    X = shuffled_documents()
    return X[HELD_OUT:], X[:HELD_OUT]


def simulated(seed, n_topics=20, n=1000, n_words=1000, length=80):
    """Return documents and the word shares of their topics."""
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(n_words, 0.05), n_topics)
    theta = rng.dirichlet(np.full(n_topics, 0.1), n)
    return sp.csr_matrix(np.array([rng.multinomial(length, row) for row in theta @ phi], dtype=float)), phi


def print_ap(names, seeds):
    """Print a row per model."""
    known, held_out = ap()
    print(f"AP: {int(known.sum()):,} tokens of {known.shape[0]:,} documents, {HELD_OUT} held out\n")
    print("| | nats per word (seeds) | topics | of these with 99 % of the tokens | CPU s |\n|" + "---|" * 5)
    LDA(2, max_epochs=1, random_state=0).fit(known[:20])  # compiled before it is timed
    HDP(2, burn_in=10, n_samples=1, random_state=0).fit(known[:20])
    for name in names:
        scores, spent, numbers = [], 0.0, []
        for seed in seeds:
            begun = time.process_time()
            model = MODELS[name](seed).fit(known)
            spent += time.process_time() - begun
            scores.append(-model.score(held_out))
            if isinstance(model, HDP):
                numbers.append((model.n_topics_.median, model.n_topics_99_.median))
        print_row(name, scores, numbers, spent / len(seeds))


def print_row(name, scores, numbers, spent):
    """Print the mean over seeds, and every seed."""
    each = ", ".join(f"{score:.3f}" for score in scores)
    found = [", ".join(str(pair[i]) for pair in numbers) or "as given" for i in range(2)]
    print(f"| {name} | {np.mean(scores):.3f} ({each}) | {found[0]} | {found[1]} | {spent:.1f} |", flush=True)


def print_peers(seeds):
    """Print the rows of gensim and tomotopy, where they are installed."""
    known, held_out = ap()
    documents = [np.repeat(row.indices, row.data.astype(int)) for row in known]
    try:
        from gensim.models import HdpModel

        scores, begun = [], time.process_time()
        bags = [[*zip(row.indices.tolist(), row.data.astype(int).tolist())] for row in known]
        for seed in seeds:
            names = {i: str(i) for i in range(known.shape[1])}
            model = HdpModel(bags, names, random_state=seed)
            alpha, beta = model.hdp_to_lda()
            shares = beta / beta.sum(axis=1, keepdims=True)
            scores.append(document_completion(shares, held_out, doc_topic_prior=alpha).nats_per_word)
        print_row("gensim HdpModel", scores, [(150, 150)] * len(seeds), (time.process_time() - begun) / len(seeds))
    except ImportError:
        print("| gensim HdpModel | not installed | | | |")
    try:
        import tomotopy

        scores, numbers, begun = [], [], time.process_time()
        for seed in seeds:
            model = tomotopy.HDPModel(seed=seed + 1, initial_k=100)
            for tokens in documents:
                if len(tokens):
                    model.add_doc([str(word) for word in tokens])
            model.train(100, workers=1)
            live = [k for k in range(model.k) if model.is_live_topic(k)]
            columns = np.array([int(word) for word in model.used_vocabs])
            shares = np.full((len(live), known.shape[1]), 1e-9)
            for row, k in enumerate(live):
                shares[row, columns] = model.get_topic_word_dist(k)
            shares /= shares.sum(axis=1, keepdims=True)
            sizes = np.array(model.get_count_by_topics())[live]
            prior = model.alpha * sizes / sizes.sum()
            scores.append(document_completion(shares, held_out, doc_topic_prior=prior).nats_per_word)
            numbers.append((len(live), int(np.searchsorted(np.sort(sizes)[::-1].cumsum(), 0.99 * sizes.sum())) + 1))
        print_row("tomotopy HDPModel", scores, numbers, (time.process_time() - begun) / len(seeds))
    except ImportError:
        print("| tomotopy HDPModel | not installed | | | |")


def print_simulated(seeds):
    """Print what is found from several starts."""
    print("\nSimulated: 20 topics; the number found with 99 % of the tokens (and all), and the least overlap\n")
    print("| start | η | topics, seeds | true topics lost | least overlap | CPU s |\n|" + "---|" * 6)
    for start in (1, 20, 60):
        for eta in (0.05, 0.01):
            cells, lost, least, begun = [], 0, 1.0, time.process_time()
            for seed in seeds:
                X, phi = simulated(seed)
                model = HDP(start, n_chains=1, topic_word_prior=eta, random_state=seed, n_jobs=1).fit(X)
                overlap = np.array([np.minimum(row, model.components_).sum(axis=1).max() for row in phi])
                lost += int((overlap < 0.5).sum())
                least = min(least, float(overlap.min()))
                cells.append(f"{model.n_topics_99_.median} ({model.n_topics_.median})")
            spent = (time.process_time() - begun) / len(seeds)
            print(f"| {start} | {eta} | {', '.join(cells)} | {lost} | {least:.2f} | {spent:.1f} |", flush=True)


def main():
    quick = "--row" in sys.argv
    if quick:
        print_ap(["LDA, online, K = 100", "HDP, start 100"], SEEDS[:1])
        return
    if "--peers" in sys.argv:
        print_peers(SEEDS)
        return
    if "simulated" not in sys.argv:
        print_ap(MODELS, SEEDS)
    if "ap" not in sys.argv:
        print_simulated(SEEDS)


if __name__ == "__main__":
    main()
