"""The AP corpus: perplexity over the number of topics, by document completion.

Published figures for this corpus (Blei, Ng and Jordan 2003, figure 9) are perplexities of whole held-out documents
under a variational bound, on another vocabulary, so only their shape can be compared: the mixture of unigrams and PLSA
are worse than LDA, and LDA gains from more topics.

    python -m benchmarks.topics_ap
"""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp

from benchmarks.measure import print_table, real_data
from driftline.evaluation.perplexity import document_completion
from driftline.topics import LDA, PLSA, MixtureOfUnigrams


def counts():
    table = pq.read_table(real_data("ap_counts"))
    words, counts = table["term_ids"].combine_chunks(), table["counts"].combine_chunks()
    parts = counts.values.to_numpy().astype(float), words.values.to_numpy().copy(), words.offsets.to_numpy().copy()
    X = sp.csr_matrix(parts)
    X.sum_duplicates()
    order = np.random.default_rng(0).permutation(X.shape[0])
    cut = X.shape[0] // 10
    return X[order[cut:]], X[order[:cut]]


def main():
    train, held_out = counts()
    frequency = np.asarray(train.sum(axis=0)) + 0.01
    rows = [["unigrams", 1, document_completion(frequency, held_out).perplexity]]
    for n_topics in (20, 50):
        models = {
            "mixture of unigrams": MixtureOfUnigrams(n_topics, random_state=0, max_steps=25),
            "PLSA": PLSA(n_topics, random_state=0, max_steps=25),
            "PLSA, tempered": PLSA(n_topics, random_state=0, max_steps=25, temperature=0.8),
            "LDA, online": LDA(n_topics, random_state=0),
            "LDA, gibbs": LDA(n_topics, inference="gibbs", random_state=0),
            "LDA, vb": LDA(n_topics, inference="vb", max_epochs=8, random_state=0) if n_topics == 20 else None,
        }
        for name, model in models.items():
            if model is not None:
                rows.append([name, n_topics, model.fit(train).perplexity(held_out)])
    print_table("AP, a tenth of the documents held out", ["model", "K", "perplexity of the second halves"], rows)


if __name__ == "__main__":
    main()
