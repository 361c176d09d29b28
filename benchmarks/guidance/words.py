"""Topics by five words each: accuracy and AUC of the 20 newsgroups, against simple rivals; and what guidance costs.

A document is assigned to the group whose topic is its largest; the AUC of a group is that of its topic's share.
The words in `newsgroups.py`, the number of topics and the seed were fixed beforehand. Two settings were not: the size
of the first steps of a guided fit (1, 3 and 10 were tried) and tf-idf instead of counts for naive Bayes were chosen on
half of these documents, with their labels: the figures of the guided LDA, of `spread` and of naive Bayes are not held
out. Rivals get the same words: counting them; complement naive Bayes and logistic regression that learn from documents
in which the words of one group are commonest; a mixture of unigrams under the same guide; CorEx (``pip install
corextopic``), if it is installed.

    python -m benchmarks.guidance.words [--row]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.guidance.newsgroups import newsgroups
from benchmarks.measure import measure
from driftline.guidance import Guide
from driftline.guidance.pseudo_labels import seed_labels, seed_probabilities
from driftline.topics import LDA, MixtureOfUnigrams

SEED = 0
N_GROUPS = 20


def guide_of(data):
    """Return a guide with the words of every group."""
    guide = Guide()
    for k, name in enumerate(data.names):
        guide = guide.topic(name, [data.words[j] for j in data.columns[k]])
    return guide


def scores(shares, labels):
    """Return accuracy, mean AUC and least AUC of the groups."""
    shares = shares[:, :N_GROUPS]
    aucs = [roc_auc_score(labels == k, shares[:, k]) for k in range(N_GROUPS)]
    return float((shares.argmax(axis=1) == labels).mean()), float(np.mean(aucs)), float(min(aucs))


def top_ten(model, data):
    """Return the share of the given words that are among the first ten of their topic."""
    first = np.argsort(-model.components_, axis=1)[:N_GROUPS, :10]
    return float(np.mean([np.isin(data.columns[k], first[k]).mean() for k in range(N_GROUPS)]))


def lda(data, n_topics, **options):
    return LDA(n_topics, vocabulary=data.words, random_state=SEED, **options).fit(data.counts)


def counting(data):
    return np.column_stack([np.asarray(data.counts[:, data.columns[k]].sum(axis=1)).ravel() for k in range(N_GROUPS)])


def complement(data):
    topics, probabilities = seed_probabilities(data.counts, data.columns)
    found = np.zeros((len(data.labels), N_GROUPS))
    found[:, topics] = probabilities
    return found


def logistic(data):
    labels = seed_labels(data.counts, data.columns)
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(data.counts)
    return (
        LogisticRegression(C=10.0, max_iter=300).fit(weighted[labels >= 0], labels[labels >= 0]).predict_proba(weighted)
    )


def corex(data):
    from corextopic import corextopic

    model = corextopic.Corex(n_hidden=2 * N_GROUPS, seed=SEED)
    anchors = [[data.words[j] for j in data.columns[k]] for k in range(N_GROUPS)]
    model.fit((data.counts > 0).astype(np.float64), words=data.words, anchors=anchors, anchor_strength=3)
    return model.p_y_given_x


def rows(data):
    """Yield name, shares of topics, words among the first ten, and processor seconds."""
    guide, words = guide_of(data), {k: data.columns[k].tolist() for k in range(N_GROUPS)}
    for weight in (5.0, 50.0, 500.0):
        model, cost = measure(lambda weight=weight: lda(data, 20, seed_words=words, seed_weight=weight))
        yield (
            f"LDA, `seed_words`, weight {weight:g}, 20 topics",
            model.transform(data.counts),
            top_ten(model, data),
            cost,
        )
    for n_topics in (20, 40):
        model, cost = measure(lambda n=n_topics: lda(data, n, guide=guide))
        yield f"LDA, guide, {n_topics} topics", model.transform(data.counts), top_ten(model, data), cost
    model, cost = measure(lambda: lda(data, 40, guide=guide.spread()))
    yield "LDA, guide with `spread`, 40 topics", model.guided_shares(data.counts), top_ten(model, data), cost
    mixture, cost = measure(
        lambda: MixtureOfUnigrams(20, guide=guide, vocabulary=data.words, random_state=SEED).fit(data.counts)
    )
    yield "mixture of unigrams, guide", mixture.transform(data.counts), top_ten(mixture, data), cost
    rivals = {
        "counting the words": counting,
        "complement naive Bayes on the words' labels": complement,
        "logistic regression on the words' labels": logistic,
        "CorEx, anchored, 40 topics": corex,
    }
    for name, rival in rivals.items():
        try:
            found, cost = measure(lambda rival=rival: rival(data))
        except ImportError:
            yield f"{name} (not installed)", None, np.nan, None
            continue
        yield name, found, np.nan, cost


def main():
    warnings.simplefilter("ignore")
    quick = "--row" in sys.argv
    data = newsgroups(0.1 if quick else 1.0)
    lda(data, 20, max_epochs=1)  # compiled code
    print(f"{len(data.labels):,} documents, {len(data.words):,} words, five words for each of 20 groups\n")
    print("| method | accuracy | mean AUC | least AUC | words in the top ten | processor seconds |")
    print("|---|---|---|---|---|---|")
    for name, shares, first, cost in rows(data):
        if shares is None:
            print(f"| {name} | | | | | |")
            continue
        accuracy, auc, least = scores(shares, data.labels)
        shown = "" if np.isnan(first) else f"{first:.2f}"
        print(f"| {name} | {accuracy:.3f} | {auc:.3f} | {least:.3f} | {shown} | {cost.cpu_seconds:.1f} |", flush=True)
    print("\nCost of a guide, 40 topics, the least of three runs:\n")
    print("| fit | processor seconds | ratio |")
    print("|---|---|---|")
    guide = guide_of(data)
    labelled = guide.label(np.arange(0, len(data.labels), 10), data.names[0])
    bounded = guide.proportion(data.names[0], about=(0.03, 0.08))
    plain = None
    for name, wished in {"none": None, "words": guide, "words, labels": labelled, "words, proportion": bounded}.items():
        _, cost = measure(lambda wished=wished: lda(data, 40, guide=wished, tolerance=0.0), repeat=1 if quick else 3)
        plain = plain or cost.cpu_seconds
        print(f"| {name} | {cost.cpu_seconds:.1f} | {cost.cpu_seconds / plain:.2f} |", flush=True)


if __name__ == "__main__":
    main()
