"""Links of a guide: passes over the documents between rounds, by the topics of documents against their known groups.

LDA learns without links, then in two rounds in which the shares of linked documents are a prior. These shares need not
have converged: rows are the largest number of passes over a document for them. Cora and two samples of the mailing
lists of `context/network.py`; as many topics as groups, and twice as many. Accuracy (best matching) and NMI of the
largest topic with links, the similarity of linked documents in the report, and processor seconds of a fit. Mean of 8
starts.

    python -m benchmarks.guidance.links
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp

from benchmarks.context.network import mail, scores
from benchmarks.graphs.linked import cora
from benchmarks.measure import measure, print_table
from driftline.guidance import Guide
from driftline.topics import LDA, guided_learning

PASSES = (100, 10, 5, 2)
SEEDS = range(8)


def fitted(X, guide, n_topics, seed):
    return LDA(n_topics, guide=guide, random_state=seed).fit(X)


def main():
    print(__doc__)
    warnings.simplefilter("ignore")
    default = guided_learning.LINK_PASSES
    for name, make in {"Cora": lambda: cora()[:3], "mail": mail, "other mail": lambda: mail(seed=1)}.items():
        X, links, truth = make()
        X, guide, groups = sp.csr_array(X).astype(float), Guide().link(sp.csr_array(links)), int(truth.max()) + 1
        rows = []
        for n_topics in (groups, 2 * groups):
            for passes in PASSES:
                guided_learning.LINK_PASSES, found = passes, []
                for seed in SEEDS:
                    model, cost = measure(partial(fitted, X, guide, n_topics, seed))
                    labels, report = model.guided_shares(X).argmax(axis=1), model.guide_report_[0]
                    found.append((*scores(labels, truth), report.with_guide, cost.cpu_seconds))
                cells = [f"{value:.4f}" for value in np.mean(found, axis=0)]
                rows.append([f"{n_topics} topics, {passes} passes{' (default)' * (passes == default)}", *cells])
        print_table(name, ["fit", "accuracy", "NMI", "similarity", "processor seconds"], rows)


if __name__ == "__main__":
    main()
