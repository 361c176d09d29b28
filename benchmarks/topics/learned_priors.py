"""LDA with learned priors on short real documents: their sums, and the largest topic.

Learned priors of an earlier version grew on short documents until every document belonged to one topic. The sets are
the shortest of `preferred_sets`; one seed.

    python -m benchmarks.topics.learned_priors
"""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.measure import print_table
from benchmarks.topics.preferred_sets import documents
from driftline.topics import LDA

SHORT = ("headlines", "20news subjects", "tweets", "Reuters titles")
N_TOPICS = 20
LEARNED = (("learned", 0.01), ("learned", "learned"))
METHODS = ("online", "gibbs")


def main():
    rows = []
    for name in SHORT:
        X = documents(name).counts
        for method, (alpha, beta) in itertools.product(METHODS, LEARNED):
            lda = LDA(N_TOPICS, inference=method, doc_topic_prior=alpha, topic_word_prior=beta, random_state=0).fit(X)
            sizes = np.bincount(lda.transform(X).argmax(axis=1), minlength=N_TOPICS) / X.shape[0]
            which = "α" if beta != "learned" else "α and β"
            totals = float(lda.doc_topic_prior_.sum()), float(lda.topic_word_prior_)
            rows.append([name, X.shape[0], method, which, *totals, float(sizes.max())])
    headings = ["set", "documents", "method", "learned", "Σα", "β", "largest topic"]
    print_table(f"## Learned priors, {N_TOPICS} topics", headings, rows)


if __name__ == "__main__":
    main()
