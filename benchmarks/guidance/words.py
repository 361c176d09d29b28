"""Topics by five words each: accuracy and AUC of the 20 newsgroups, against simple rivals; and what guidance costs.

A document is assigned to the group whose topic is its largest; the AUC of a group is that of its topic's share. Means
of five seeds, with the standard error of accuracy and mean AUC; the rivals do not depend on a seed, but CorEx, which is
slow and has one. The words in `newsgroups.py` and the number of topics were fixed beforehand. `spread` was chosen on
other documents (`spread.py`), and among rules that are equally good there on these: the classifier learns once more,
not twice, and its probabilities have the weight of 50 words and four per word, not two per word. Two other settings
were chosen on half of these documents, with their labels: the size of the first steps of a guided fit (1, 3 and 10 were
tried) and tf-idf instead of counts for naive Bayes. The figures of the guided LDA, of `spread` and of naive Bayes are
therefore not held out. With `other`, the groups have five other words each, which were written down after all settings
had been fixed. Rivals get the same words: counting them; complement naive Bayes and logistic regression that learn from
documents in which the words of one group are most frequent; a mixture of unigrams under the same guide; CorEx (``pip
install corextopic``), if it is installed. "Start alone" is GuidedLDA's idea: the words start in their topic with a
prior of a millionth of a count. Topics without words are matched with the groups so that accuracy is highest, which
needs the labels. With `half`, rows of half of the documents are printed. With `losses`, the AUC of every group's topic
in every fit with 40 topics: which topics are lost, and to which other topic their documents go. Costs are those of a
seed whose fit loses no topic; in the last two rows, of one in which a topic starts again two epochs before the end
(these rows alone: `again`).

    python -m benchmarks.guidance.words [other | half] [--row | cost | again | losses | PART OF A MODEL'S NAME]
"""

from __future__ import annotations

import sys
import warnings
from functools import partial

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.guidance.newsgroups import OTHER_SEEDS, newsgroups
from benchmarks.guidance.newsgroups import SEEDS as FIRST_SEEDS
from benchmarks.measure import measure
from driftline.guidance import Guide
from driftline.guidance.guide import SPREAD_POWER
from driftline.guidance.pseudo_labels import seed_labels, seed_probabilities
from driftline.topics import LDA, MixtureOfUnigrams

SEEDS = range(5)
LOST = 0.85
"""AUC below which the topic of a group counts as lost."""
HOLDING, LOSING = 2, 0
"""Seeds of the costs: one whose fit loses no topic, and one in which a topic starts again."""
N_GROUPS = 20
UNSEEDED = "LDA without words, best matching, 20 topics"
ALMOST_NOTHING = 1e-6


def guide_of(data, weight=None):
    """Return a guide with the words of every group, with their own counts as a prior, or this weight."""
    guide = Guide()
    for k, name in enumerate(data.names):
        words = [data.words[j] for j in data.columns[k]]
        guide = guide.topic(name, words if weight is None else dict.fromkeys(words, weight))
    return guide


def matched(shares, labels):
    """Return the shares of the topics that match the groups best: a document belongs to its largest topic."""
    table = np.zeros((N_GROUPS, shares.shape[1]))
    np.add.at(table, (labels, shares.argmax(axis=1)), 1)
    return shares[:, linear_sum_assignment(-table)[1]]


def scores(shares, labels, n_groups=N_GROUPS):
    """Return accuracy, mean AUC and least AUC of the groups."""
    shares = shares[:, :n_groups]
    aucs = [roc_auc_score(labels == k, shares[:, k]) for k in range(n_groups)]
    return float((shares.argmax(axis=1) == labels).mean()), float(np.mean(aucs)), float(min(aucs))


def top_ten(model, data):
    """Return the share of the given words that are among the first ten of their topic."""
    first = np.argsort(-model.components_, axis=1)[:N_GROUPS, :10]
    return float(np.mean([np.isin(data.columns[k], first[k]).mean() for k in range(N_GROUPS)]))


def lda(data, n_topics, document_prior=None, **options):
    model = LDA(n_topics, vocabulary=data.words, **{"random_state": 0, **options})
    return model.fit(data.counts, document_prior=document_prior)


def counting(data):
    return np.column_stack([np.asarray(data.counts[:, data.columns[k]].sum(axis=1)).ravel() for k in range(N_GROUPS)])


def complement(data, n_groups=N_GROUPS, again=False):
    topics, probabilities = seed_probabilities(data.counts, data.columns, power=SPREAD_POWER, again=again)
    found = np.zeros((len(data.labels), n_groups))
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

    model = corextopic.Corex(n_hidden=2 * N_GROUPS, seed=0)
    anchors = [[data.words[j] for j in data.columns[k]] for k in range(N_GROUPS)]
    model.fit((data.counts > 0).astype(np.float64), words=data.words, anchors=anchors, anchor_strength=3)
    return model.p_y_given_x


def models(data):
    """Yield the name of a model, a function that fits it with a seed, and one that returns its shares."""
    guide, words = guide_of(data), {k: data.columns[k].tolist() for k in range(N_GROUPS)}

    def plain(model):
        return model.transform(data.counts)

    yield UNSEEDED, partial(lda, data, 20), lambda model: matched(plain(model), data.labels)
    for weight in (5.0, 50.0, 500.0):
        fit = partial(lda, data, 20, seed_words=words, seed_weight=weight)
        yield f"LDA, `seed_words`, weight {weight:g}, 20 topics", fit, plain
    for n_topics in (20, 40):
        yield f"LDA, guide, {n_topics} topics", partial(lda, data, n_topics, guide=guide), plain
    fit = partial(lda, data, 40, guide=guide_of(data, ALMOST_NOTHING))
    yield "LDA, start alone, 40 topics", fit, plain
    fit = partial(lda, data, 40, guide=guide.spread())
    yield "LDA, guide with `spread`, 40 topics", fit, lambda model: model.guided_shares(data.counts)

    def mixture(random_state):
        model = MixtureOfUnigrams(20, guide=guide, vocabulary=data.words, random_state=random_state)
        return model.fit(data.counts)

    yield "mixture of unigrams, guide", mixture, plain


RIVALS = {
    "counting the words": counting,
    "complement naive Bayes on the words' labels": complement,
    "the same, learning once more from all documents": partial(complement, again=True),
    "logistic regression on the words' labels": logistic,
    "CorEx, anchored, 40 topics": corex,
}


def with_error(values, digits=4):
    """Return a mean, and its standard error if there are several values."""
    if len(values) < 2:
        return f"{values[0]:.{digits}f}"
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.{digits}f}"


def print_scores(data, seeds, wanted=""):
    """Print a row for every model whose name contains `wanted`, and for every rival."""
    print("| method | accuracy | mean AUC | least AUC | words in the top ten | processor seconds |")
    print("|---|---|---|---|---|---|")
    for name, fit, shares in (model for model in models(data) if wanted in model[0]):
        found, first, seconds = [], [], []
        for seed in seeds:
            model, cost = measure(partial(fit, random_state=seed))
            found.append(scores(shares(model), data.labels))
            first.append(np.nan if name == UNSEEDED else top_ten(model, data))
            seconds.append(cost.cpu_seconds)
        accuracy, auc, least = zip(*found)
        cells = [with_error(accuracy), with_error(auc), f"{np.mean(least):.4f}"]
        cells.append("" if name == UNSEEDED else f"{np.mean(first):.2f}")
        print(f"| {name} | {' | '.join(cells)} | {np.mean(seconds):.1f} |", flush=True)
    for name, rival in RIVALS.items():
        try:
            found, cost = measure(partial(rival, data))
        except ImportError:
            print(f"| {name} (not installed) | | | | | |")
            continue
        cells = " | ".join(f"{value:.4f}" for value in scores(found, data.labels))
        print(f"| {name} | {cells} | | {cost.cpu_seconds:.1f} |", flush=True)


def print_losses(data):
    """Print the AUC of every group whose topic is lost in a fit, and the topic that has most of its documents."""
    print(
        "| seed | group | AUC of its topic | share of the words' uses | largest topic of most documents | its words |"
    )
    print("|---|---|---|---|---|---|")
    for seed in SEEDS:
        model = lda(data, 40, guide=guide_of(data), random_state=seed)
        shares, top = model.transform(data.counts), model.top_words(5)
        for k, name in enumerate(data.names):
            auc = roc_auc_score(data.labels == k, shares[:, k])
            if auc < LOST:
                topic = int(np.bincount(shares[data.labels == k].argmax(axis=1), minlength=40).argmax())
                cells = [f"{auc:.3f}", f"{model.guide_report_[k].with_guide:.2f}", model.topic_names_[topic]]
                print(f"| {seed} | {name} | {' | '.join(cells)} | {', '.join(top[topic])} |", flush=True)


def print_costs(data, repeat, again_only=False):
    """Print the cost of guides as a ratio to the same fit without one."""
    print("\nCost of a guide, 40 topics, as many epochs; processor seconds, the least of three runs:\n")
    print("| fit | processor seconds | ratio |")
    print("|---|---|---|")
    guide = guide_of(data)
    every = guide
    for k, name in enumerate(data.names):
        every = every.proportion(name, exactly=0.8 * float((data.labels == k).mean()))
    rng, plain = np.random.default_rng(0), 0.0
    members = [np.flatnonzero(data.labels == k) for k in range(N_GROUPS)]
    links = [(i, int(rng.choice(members[k]))) for i, k in enumerate(data.labels) for _ in range(2)]
    guides = {
        "none": None,
        "words": guide,
        "words, labels": guide.label(np.arange(0, len(data.labels), 10), data.names[0]),
        "words, two links per document": guide.link(links),
        "words, proportion of a topic": guide.proportion(data.names[0], about=(0.03, 0.08)),
        "words, exact proportions of 20 topics": every,
    }
    fits = [(name, wished, HOLDING) for name, wished in guides.items() if not again_only]
    again = [("none, another seed", None, LOSING), ("words; a topic starts again", guide, LOSING)]
    for name, wished, seed in [*fits, *again]:
        fit = partial(lda, data, 40, guide=wished, tolerance=0.0, random_state=seed)
        _, cost = measure(fit, repeat=repeat)
        plain = cost.cpu_seconds if wished is None else plain
        print(f"| {name} | {cost.cpu_seconds:.1f} | {cost.cpu_seconds / plain:.2f} |", flush=True)


WAYS = ("--row", "cost", "again", "other", "half", "losses")


def main():
    warnings.simplefilter("ignore")
    quick = "--row" in sys.argv
    share = 0.1 if quick else 0.5 if "half" in sys.argv else 1.0
    data = newsgroups(share, OTHER_SEEDS if "other" in sys.argv else FIRST_SEEDS)
    lda(data, 20, max_epochs=1)  # compiled code
    print(f"{len(data.labels):,} documents, {len(data.words):,} words, five words for each of 20 groups\n")
    wanted = next((argument for argument in sys.argv[1:] if argument not in WAYS), "")
    if "losses" in sys.argv:
        print_losses(data)
        return
    if "cost" not in sys.argv and "again" not in sys.argv:
        print_scores(data, range(1) if quick else SEEDS, wanted)
    if not wanted and "half" not in sys.argv:
        print_costs(data, 1 if quick else 3, again_only="again" in sys.argv)


if __name__ == "__main__":
    main()
