"""How much the clusters of the start should count in `NetworkTopics`: words per link of a document.

The start from neighbours finds groups of linked documents; EM can leave them. `start_strength` is chosen by the mean
NMI on two samples of mailing lists and reported on Cora, on the sample of `network.py`, and on CACM's citations. Other
values of this prior had been seen on Cora before, so that Cora is not quite untouched. CACM has no groups: a fifth of
its citations is hidden, and the cell is the share of hidden citations within a topic minus that expected by chance, for
20 topics. Three starts; the last line of every table is the simple rival, the start itself.

    python -m benchmarks.context.network_start
"""

from __future__ import annotations

import warnings
from unittest.mock import patch

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp

from benchmarks.context.network import mail, scores
from benchmarks.graphs.linked import cora, symmetric
from benchmarks.measure import print_table, real_data
from driftline.text import count_words
from driftline.text.stopwords import stop_words_of
from driftline.topics import NetworkPLSA, NetworkTopics
from driftline.topics.networks import network_model
from driftline.topics.networks.neighbour_start import neighbour_start

SEEDS = range(3)
STRENGTHS = (0.0, 1.0, 2.0, 5.0, 10.0)
CHOOSING = (1, 2)
"""Seeds of the samples of mail that choose."""
CACM_TOPICS, HIDDEN = 20, 0.2
RIVAL, OTHER = "k-means of tf-idf, averaged over 2 links", "`NetworkPLSA`"


def cacm():
    """Return counts and citations of the articles, without the hidden ones, and the pairs of the hidden ones."""
    rows = [row for row in pq.read_table(real_data("ir_docs")).to_pylist() if row["collection"] == "cacm"]
    place = {row["id"]: i for i, row in enumerate(rows)}
    pairs = {(place[row["id"]], place[end]) for row in rows for end in row["links"] or [] if end in place}
    pairs = np.array(sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}))
    hidden = np.random.default_rng(0).random(len(pairs)) < HIDDEN
    seen = pairs[~hidden]
    links = sp.csr_array((np.ones(len(seen)), seen.T), shape=(len(rows),) * 2)
    texts = [f"{row['title']}\n{row['text']}" for row in rows]
    counts, vocabulary = count_words(texts, min_df=5, max_df=0.3)
    words = np.array([str(word) for word in vocabulary.words])
    kept = np.flatnonzero(~np.isin(words, sorted(stop_words_of("en") or ())))
    return sp.csr_array(counts)[:, kept].astype(float), sp.csr_array(symmetric(links)), pairs[hidden]


def beyond_chance(labels, pairs) -> tuple[float]:
    """Return the share of pairs within a topic, minus that of pairs of documents at random."""
    together = (labels[pairs[:, 0]] == labels[pairs[:, 1]]).mean()
    return (float(together - ((np.bincount(labels) / len(labels)) ** 2).sum()),)


def scores_of(sets, score) -> dict[str, np.ndarray]:
    """Return the mean scores of every strength and of the start, over sets of documents, links and truth, and seeds."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for X, links, truth, n_topics in sets:
        for seed in SEEDS:
            start = neighbour_start(sp.csr_array(X), sp.csr_array(links), n_topics, np.random.default_rng(seed))
            models = {f"{s:g}": NetworkTopics(n_topics, start_strength=s, random_state=seed) for s in STRENGTHS}
            models[OTHER] = NetworkPLSA(n_topics, random_state=seed)
            with patch.object(network_model, "neighbour_start", lambda *_, start=start: start):
                for name, model in models.items():
                    found.setdefault(name, []).append(score(model.fit(X, links=links).labels_, truth))
            found.setdefault(RIVAL, []).append(score(start.shares.argmax(axis=1), truth))
    return {name: np.mean(values, axis=0) for name, values in found.items()}


def with_groups(X, links, truth):
    return X, links, truth, int(truth.max()) + 1


def main() -> None:
    warnings.simplefilter("ignore")
    print(__doc__)
    head = ["words per link", "accuracy", "NMI"]

    def show(title, found, head=head):
        print_table(title, head, [[name, *(f"{value:.3f}" for value in values)] for name, values in found.items()])

    chosen_on = scores_of([with_groups(*mail(seed=seed)) for seed in CHOOSING], scores)
    show("Choosing: two samples of mail", chosen_on)
    show("Reported: Cora", scores_of([with_groups(*cora()[:3])], scores))
    show("Reported: the sample of mail of `network.py`", scores_of([with_groups(*mail())], scores))
    show(
        "Reported: CACM, hidden citations within a topic beyond chance",
        scores_of([(*cacm(), CACM_TOPICS)], beyond_chance),
        ["words per link", "beyond chance"],
    )


if __name__ == "__main__":
    main()
