"""How `spread` assigns documents to the topics of their words: chosen on five sets, reported on the 20 newsgroups.

The sets are those of `choice_sets.py`; LDA with twice as many topics as groups. Cells have the sum of accuracy and mean
AUC, as in `words.py`, minus that of complement naive Bayes on the words' labels: its mean over the sets, every set, and
the worst. First the classifier alone: once; learning again from all documents by its own labels, to the power 10;
likewise, but documents with a label by their words keep it, once and twice; from the more certain half; without the
seeds themselves; and the geometric mean of two. Then LDA: the weight of the probabilities per word of the document
(rows) and the power that sharpens them while topics are learned; shares of documents have them unsharpened, or to the
power 2; last the earlier rule, 50 words whatever the length, to the power 5 in both. One seed.

Learning twice gains more here than once; it lowers the AUC of the newsgroups, which were known, so the default is once.
The rules of LDA with a weight of one to eight words per word are nearly equal here; the default of `Guide.spread` is
four, at the power 10, and 50 words more, as in the earlier rule: without these the newsgroups had an accuracy of 0.782
and a mean AUC of 0.979, so this choice is not independent of them.

    python -m benchmarks.guidance.spread
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.guidance.choice_sets import CHOICE_SETS
from benchmarks.guidance.words import guide_of, lda, scores
from benchmarks.measure import print_table
from driftline.guidance.pseudo_labels import complement_bayes, seed_labels, seed_probabilities, sharpened

POWER = 10.0
STRENGTHS, POWERS = (0.5, 1.0, 2.0, 4.0, 8.0), (5.0, 10.0)


class Classifiers:
    """Complement naive Bayes on the words' labels of a set, and what can be made of it."""

    def __init__(self, data):
        self.n = len(data.names)
        self.weighted = TfidfTransformer(sublinear_tf=True).fit_transform(data.counts)
        labels = seed_labels(data.counts, data.columns)
        self.decided = labels >= 0
        self.certain = (labels[:, None] == np.arange(self.n)).astype(np.float64)
        others = np.setdiff1d(np.arange(data.counts.shape[1]), np.concatenate(list(data.columns.values())))
        self.masked = TfidfTransformer(sublinear_tf=True).fit_transform(data.counts[:, others])
        self.once = complement_bayes(self.weighted, self.certain)

    def again(self, before, *, keep=True, surest=1.0):
        """Return what is learned from the labels before, of all documents or of the most certain ones."""
        labels = sharpened(before, POWER)
        labels[before.max(axis=1) < np.quantile(before.max(axis=1), 1 - surest)] = 0.0
        if keep:
            labels[self.decided] = self.certain[self.decided]
        return complement_bayes(self.weighted, labels)

    def all(self):
        """Return the probabilities of every classifier by name."""
        kept = self.again(self.once)
        return {
            "once": self.once,
            "again, no label kept": self.again(self.once, keep=False),
            "again, words' labels kept": kept,
            "the same, twice": self.again(kept),
            "again, from the more certain half, no label kept": self.again(self.once, keep=False, surest=0.5),
            "once, without the words themselves": complement_bayes(self.masked, self.certain),
            "geometric mean of once and again": np.sqrt(self.once * kept),
        }


def priors(data, probabilities, worth, power, n_topics):
    """Return rows α_d: 5 / n_topics, and the sharpened probabilities of groups times `worth`."""
    rows = np.full((len(data.labels), n_topics), 5.0 / n_topics)
    rows[:, : len(data.names)] += worth * sharpened(probabilities, power)
    return rows


def rules(data):
    """Yield the name of a rule and the shares of LDA by it."""
    n_topics, guide = 2 * len(data.names), guide_of(data)
    lengths = np.asarray(data.counts.sum(axis=1)).reshape(-1, 1)
    once, again = (
        seed_probabilities(data.counts, data.columns, power=POWER, again=again)[1] for again in (False, True)
    )
    settings = {
        f"{strength:g} words per word, power {power:g}": (again, strength * lengths, power, (1.0, 2.0))
        for strength in STRENGTHS
        for power in POWERS
    }
    settings |= {
        "4 words per word, power 10, learned once": (once, 4.0 * lengths, 10.0, (1.0,)),
        "50 words, power 5, learned once (earlier)": (once, 50.0, 5.0, (5.0,)),
    }
    for name, (probabilities, worth, power, shown) in settings.items():
        model = lda(data, n_topics, guide=guide, document_prior=priors(data, probabilities, worth, power, n_topics))
        for own in shown:
            rows = priors(data, probabilities, worth, own, n_topics)
            suffix = "" if own == 1.0 else f"; shares to the power {own:g}"
            yield name + suffix, model.transform(data.counts, document_prior=rows)


def main():
    warnings.simplefilter("ignore")
    tables = {"classifier alone": {}, "LDA": {}}
    for make in CHOICE_SETS.values():
        data = make()
        found, n = Classifiers(data).all(), len(data.names)
        base = sum(scores(found["once"], data.labels, n)[:2])
        for table, several in (("classifier alone", found.items()), ("LDA", rules(data))):
            for name, shares in several:
                tables[table].setdefault(name, []).append(sum(scores(shares, data.labels, n)[:2]) - base)
    for table, rows in tables.items():
        cells = [
            [name, f"{np.mean(gains):+.4f}", *(f"{gain:+.4f}" for gain in gains), f"{min(gains):+.4f}"]
            for name, gains in rows.items()
        ]
        print_table(
            f"Gains over naive Bayes on the words' labels: {table}", [table, "mean", *CHOICE_SETS, "worst"], cells
        )


if __name__ == "__main__":
    main()
