"""Guided HDP on real documents: does it help to sample how many free topics there are?

A sixth of the 20 newsgroups, 3,000 documents of ten topics of Reuters and 2,500 messages of five mailing lists, by five
words per group, written down from the names of the groups. `HDP` (one chain from 60 topics, 60 sweeps and 5 samples)
with the guide, against LDA with the same guide and as many topics as the HDP ended with, and with twice as many topics
as groups, which needs no sampling. Rival: complement naive Bayes on the words' labels. Accuracy and AUC as in
`words.py`, means of two seeds; settings were fixed beforehand.

    python -m benchmarks.guidance.hdp [newsgroups | reuters | lists]
"""

from __future__ import annotations

import sys
import warnings
from functools import partial

import numpy as np

from benchmarks.guidance.choice_sets import mail, reuters
from benchmarks.guidance.newsgroups import newsgroups
from benchmarks.guidance.words import complement, guide_of, lda, scores
from benchmarks.measure import measure, print_table
from driftline.nonparametric import HDP

SEEDS = (0, 1)
OPTIONS = {"start": 60, "burn_in": 60, "n_samples": 5, "n_chains": 1}


def lists():
    """Return 500 messages of each list, by words of subject and text."""
    return mail(lambda row: f"{row['subject'] or ''}\n{row['text'] or ''}", 500)


def some_reuters():
    data = reuters()
    rows = np.sort(np.random.default_rng(0).permutation(len(data.labels))[:3000])
    return data._replace(counts=data.counts[rows], labels=data.labels[rows])


SETS = {"newsgroups": lambda: newsgroups(1 / 6), "reuters": some_reuters, "lists": lists}


def rows_of(data):
    """Return a row of name, topics, scores, wishes that were heeded and seconds for every method."""
    guide, n = guide_of(data), len(data.names)
    found = {}
    for seed in SEEDS:
        process = HDP(**OPTIONS, guide=guide, vocabulary=data.words, random_state=seed)
        model, cost = measure(partial(process.fit, data.counts))
        fits = {"`HDP`, guide": (model, cost)}
        for name, n_topics in {"`LDA`, guide, as many topics": len(model.components_), "`LDA`, guide": 2 * n}.items():
            fits[name] = measure(partial(lda, data, n_topics, guide=guide, random_state=seed))
        for name, (fitted, cost) in fits.items():
            heeded = np.mean([wish.heeded for wish in fitted.guide_report_])
            values = scores(fitted.transform(data.counts), data.labels, n)
            found.setdefault(name, []).append((len(fitted.components_), *values, heeded, cost.cpu_seconds))
    rows = []
    for name, values in found.items():
        topics, *shares, seconds = np.mean(values, axis=0)
        rows.append([name, f"{topics:.0f}", *(f"{value:.3f}" for value in shares), f"{seconds:.1f}"])
    values = scores(complement(data, n), data.labels, n)
    rows.append(["complement naive Bayes", "", *(f"{value:.3f}" for value in values), "", ""])
    return rows


def main():
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or SETS:
        data = SETS[name]()
        lda(data, 5, max_epochs=1)  # compiled code
        heading = f"{name}: {len(data.labels):,} documents, {len(data.words):,} words, {len(data.names)} groups"
        columns = ["method", "topics", "accuracy", "mean AUC", "least AUC", "wishes heeded", "processor seconds"]
        print_table(heading, columns, rows_of(data))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
