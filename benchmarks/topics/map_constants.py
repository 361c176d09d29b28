"""How the constants of topic maps were chosen: starts, words rule and mergers, on the sets for choosing alone.

Nats per word are those of held-out documents, completed half by half; agreement is the adjusted Rand index between the
two seeds; NPMI is that of ten shown words in held-out documents. Nothing else was looked at on the other sets.

With embeddings (`preferred_peers`) 80 clusters are merged to 20 topics by several rules; the scores
are those of the topics after EM, and of the merged clusters before it. The two labelled sets for choosing decide; the
other three show how far the decision holds. `few` compares numbers of topics in 1,000 documents. `words` compares words
rules on 700 and 3,000 documents, in many held-out documents and in a third as many as are fitted.

    python -m benchmarks.topics.map_constants [mergers [SET …] | few | words]
"""

from __future__ import annotations

import itertools
import sys

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks.measure import print_table
from benchmarks.topics.preferred import LEVELS, held_npmi, purity
from benchmarks.topics.preferred_peers import embedded
from benchmarks.topics.preferred_sets import CHOSEN_ON, documents
from driftline.engines.threads import Threads
from driftline.topics import TopicMap, shown_words
from driftline.topics.cluster_merging import _merged_by_distance as merged_by_distance
from driftline.topics.cluster_merging import merged_labels
from driftline.topics.cluster_start import clusters, memberships, unit_rows
from driftline.topics.embedding_view import EmbeddingView
from driftline.topics.map_candidates import (
    CANDIDATES,
    FINE_CLUSTERS,
    LARGEST,
    Documents,
    Validation,
    starts,
)
from driftline.topics.topic_number import supported_topics
from driftline.topics.topic_states import topic_states
from driftline.topics.view_mixture import Views, fit_views, posterior, topics_of_clusters

N_TOPICS, SEEDS = 20, (0, 1)
RULES = ((0.0, 0, 0, 60), (0.1, 0, 3, 60), (0.5, 20, 0, 60), (0.1, 10, 3, 60), (0.3, 10, 5, 60), (0.3, 5, 3, 60))
"""Power of exclusivity, weights of expected NPMI and of association, candidates; first, the most probable words."""
SIZES = 700, 3000
SMALL_RULES = (
    (0.0, 0, 0, 60, 0.3, 1.0),
    (0.3, 10, 5, 60, 0.3, 1.0),
    (0.3, 10, 8, 60, 0.3, 1.0),
    (0.3, 10, 5, 60, 0.3, 1 / 3),
    (0.3, 10, 8, 60, 0.3, 1 / 3),
    (0.3, 15, 10, 60, 0.3, 1 / 3),
    (0.3, 10, 5, 60, 1.0, 1 / 3),
    (0.3, 20, 5, 60, 1.0, 1 / 3),
)
"""The same, with the shape of the prior and the share of documents in which two words should meet again."""
LABELLED = ("20news subjects", "Reuters bodies", "Reuters titles", "20news bodies", "mail")
GRAPH = 15
"""Nearest neighbours of a document in the graph."""
FEW, NUMBERS = 1000, (5, 10, 20)
"""Number of documents, and numbers of topics, from which the default for few documents was chosen."""


def fits(data, seed, engine):
    """Return the fits by name; LDA also from the plain clusters."""
    given = Documents(Views.of(data.counts), N_TOPICS, np.random.default_rng(seed), engine)
    started = starts(given)
    found = {name: fit(given, started) for name, fit in CANDIDATES.items()}
    found["lda, plain start"] = CANDIDATES["lda"](given, {"merged": started["plain"]})
    return found


def words(components, counts, rule):
    """Return the shown words under other constants."""
    names = "EXCLUSIVITY", "TOGETHER", "LIFT", "CANDIDATES", "TO_CHANCE", "OTHER_DOCUMENTS"
    kept = [getattr(shown_words, name) for name in names]
    for name, value in zip(names, rule):
        setattr(shown_words, name, value)
    try:
        return shown_words.shown_columns(components, counts, 10)
    finally:
        for name, value in zip(names, kept):
            setattr(shown_words, name, value)


def junk(columns, data):
    """Return the mean number of topics whose words are no more coherent in held-out documents than random ones."""
    states = [topic_states(one, data.counts, [(one, data.held)], np.random.default_rng(0), LEVELS) for one in columns]
    return float(np.mean([one.count("junk") for one in states]))


def few_documents():
    """Print the coherence of several numbers of topics in few documents."""
    rows = []
    for name in CHOSEN_ON:
        data = documents(name, n=FEW)
        for k in NUMBERS:
            maps = [TopicMap(k, random_state=seed, n_jobs=1).fit(data.counts) for seed in SEEDS]
            columns = [np.array([card.words for card in one.topics_]) for one in maps]
            npmi = np.mean([held_npmi(one.tolist(), data.held) for one in columns])
            rows.append([name, data.counts.shape[0], k, float(npmi), junk(columns, data) / k])
    print_table("## Few documents", ["set", "documents", "topics", "held NPMI", "share of junk"], rows)


def words_of_few_documents():
    """Print the coherence of the words by several rules in few documents, means over two models and two seeds."""
    found = {}
    for name, n in itertools.product(CHOSEN_ON, SIZES):
        data = documents(name, n=n)
        fitted, rng = data.counts.shape[0], np.random.default_rng(5)
        thirds = [data.held[rng.permutation(data.held.shape[0])[: fitted // 3]] for _ in range(3)]
        with Threads(1) as engine:
            for seed in SEEDS:
                n_topics = supported_topics(data.counts, None)[0]
                given = Documents(Views.of(data.counts), n_topics, np.random.default_rng(seed), engine)
                started = starts(given)
                fitted_topics = [CANDIDATES[model](given, started).topics.components for model in ("lda", "merged")]
                for components, rule in itertools.product(fitted_topics, SMALL_RULES):
                    columns = words(components, data.counts, rule)
                    in_thirds = float(np.mean([held_npmi(columns.tolist(), third) for third in thirds]))
                    scores = held_npmi(columns.tolist(), data.held), in_thirds, junk([columns], data) / n_topics
                    different = len(np.unique(columns)) / columns.size
                    found.setdefault((n, rule), []).append([*scores, different])
    rows = [[n, *rule, *np.mean(found[n, rule], axis=0).tolist()] for n, rule in sorted(found)]
    headings = ["documents", "exclusivity", "expected NPMI", "association", "candidates", "prior", "documents again"]
    scores = ["held NPMI", "in a third", "share of junk", "different"]
    print_table("## Words of few documents, means over the four sets", [*headings, *scores], rows)


def root_distances(counts):
    """Return the squared distances between the square roots of the shares of words, clusters × clusters."""
    roots = np.sqrt(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-9))
    return 2.0 - 2.0 * roots @ roots.T


def cosine_distances(sums):
    units = unit_rows(sums)
    return 1.0 - units @ units.T


def graph_distances(embeddings, labels, n):
    """Return 1 − edges between clusters / root of the product of their edges, in the graph of nearest neighbours."""
    units, rows = unit_rows(embeddings), len(embeddings)
    nearest = [np.argpartition(-(units[i : i + 1000] @ units.T), GRAPH, axis=1) for i in range(0, rows, 1000)]
    ends = np.concatenate(nearest)[:, : GRAPH + 1].ravel()  # each document is one of its own neighbours
    graph = sp.csr_array((np.ones(len(ends)), (np.repeat(np.arange(rows), GRAPH + 1), ends)), shape=(rows, rows))
    member = memberships(labels, n)
    edges = np.asarray((member.T @ graph @ member).todense())
    edges = edges + edges.T
    total = edges.sum(axis=1)
    return 1.0 - edges / np.sqrt(np.outer(total, total))


def merged_by(distances, labels):
    """Merge clusters by the mean distances between them, none above the largest share."""
    sizes = np.bincount(labels).astype(np.float64)
    parent = merged_by_distance(distances, sizes, N_TOPICS, LARGEST * len(labels))
    return np.unique(parent[labels], return_inverse=True)[1]


def mergers(sets):
    """Print the scores of rules of merging clusters with embeddings."""
    rows = []
    for name in sets:
        data = documents(name)
        embeddings, _ = embedded(data)
        views = Views(data.counts, EmbeddingView.of(embeddings).vectors(embeddings))
        found = {}
        for seed in SEEDS:
            fine = clusters(views.vectors, FINE_CLUSTERS, np.random.default_rng(seed))
            fine = posterior(fit_views(views, topics_of_clusters(views, fine, FINE_CLUSTERS)), views).argmax(axis=1)
            fine = np.unique(fine, return_inverse=True)[1]
            member = memberships(fine, int(fine.max()) + 1)
            words = root_distances((data.counts.T @ member).toarray().T)
            centred = cosine_distances(np.asarray(member.T @ views.vectors))
            merged = {
                "words and sizes": merged_labels(Views.of(data.counts), fine, N_TOPICS, largest=LARGEST),
                "centred vectors": merged_by(centred, fine),
                "words and centred vectors": merged_labels(views, fine, N_TOPICS, largest=LARGEST),
                "embeddings as given": merged_by(cosine_distances(np.asarray(member.T @ unit_rows(embeddings))), fine),
                "nearest neighbours": merged_by(graph_distances(embeddings, fine, member.shape[1]), fine),
            }
            assert (merged["words and centred vectors"] == merged_by(words + centred, fine)).all()
            for rule, labels in merged.items():
                topics = fit_views(views, topics_of_clusters(views, labels, int(labels.max()) + 1))
                after = posterior(topics, views).argmax(axis=1)
                measures = normalized_mutual_info_score, adjusted_rand_score, purity
                scores = [*(score(data.labels, after) for score in measures), np.bincount(after).max() / len(after)]
                unchanged = [score(data.labels, labels) for score in measures[:2]]
                found.setdefault(rule, []).append([*scores, *unchanged])
        for rule, scores in found.items():
            where = "for choosing" if name in CHOSEN_ON else "not for choosing"
            rows.append([name, where, rule, *np.mean(scores, axis=0).tolist()])
    headings = ["set", "", "by", "NMI", "ARI", "purity", "largest", "NMI before EM", "ARI before EM"]
    print_table("## Mergers with embeddings", headings, rows)


def main():
    if sys.argv[1:]:
        if sys.argv[1] == "mergers":
            mergers(sys.argv[2:] or LABELLED)
        else:
            {"few": few_documents, "words": words_of_few_documents}[sys.argv[1]]()
        return
    by_start, by_rule = [], []
    for name in CHOSEN_ON:
        data = documents(name)
        validation = Validation.of(Views.of(data.held))
        with Threads(1) as engine:
            runs = [fits(data, seed, engine) for seed in SEEDS]
            for model in runs[0]:
                found = [one[model] for one in runs]
                labels = [fit.shares(Views.of(data.counts), engine).argmax(axis=1) for fit in found]
                shown = [shown_words.shown_columns(fit.topics.components, data.counts, 10) for fit in found]
                nats = np.mean([validation.nats(fit, engine) for fit in found])
                npmi = np.mean([held_npmi(columns.tolist(), data.held) for columns in shown])
                by_start.append([name, model, float(nats), float(npmi), float(adjusted_rand_score(*labels))])
        chosen = [one["merged" if name == "20news subjects" else "lda"].topics.components for one in runs]
        for rule in RULES:
            columns = [words(components, data.counts, rule) for components in chosen]
            npmi = np.mean([held_npmi(one.tolist(), data.held) for one in columns])
            different = np.mean([len(np.unique(one)) / one.size for one in columns])
            by_rule.append([name, *rule, float(npmi), float(different), junk(columns, data)])
    print_table("## Models and starts", ["set", "model", "nats", "held NPMI", "agreement"], by_start)
    headings = ["set", "exclusivity", "expected NPMI", "association", "candidates", "held NPMI", "different", "junk"]
    print_table("## Words", headings, by_rule)


if __name__ == "__main__":
    main()
