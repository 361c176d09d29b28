"""After how many steps of EM to stop when topics of linked documents start from clusters of neighbours.

The start from neighbours finds groups of linked documents; do further steps of EM lead away from the groups? The number
of steps is chosen by the mean NMI of both models on two samples of mailing lists, other samples than that of
`network.py`, 5 starts each; then all numbers are reported on Cora and on the sample of `network.py`, which had no part
in the choice. The last line of every table is the simple rival, the start itself. "All" is 100 steps or convergence.

    python -m benchmarks.context.network_steps
"""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp

from benchmarks.context.network import SEEDS, mail, scores
from benchmarks.graphs.linked import cora
from benchmarks.measure import print_table
from driftline.topics import NetworkPLSA, NetworkTopics
from driftline.topics.networks.neighbour_start import neighbour_clusters

STEPS = (1, 2, 5, 10, 15, 20, 50, 100)
MODELS = {"`NetworkTopics`": NetworkTopics, "`NetworkPLSA`": NetworkPLSA}
CHOOSING = (1, 2)
"""Seeds of the samples of mail that choose."""


def scores_of(sets) -> dict[tuple[str, int], np.ndarray]:
    """Return accuracy and NMI of every model and number of steps, means over sets and starts; 0 steps: the rival."""
    found: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for X, links, truth in sets:
        K = int(truth.max()) + 1
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            labels = neighbour_clusters(sp.csr_array(X), sp.csr_array(links), K, rng)
            for name, kind in MODELS.items():
                found.setdefault((name, 0), []).append(scores(labels, truth))
                for steps in STEPS:
                    model = kind(K, max_steps=steps, random_state=seed).fit(X, links=links)
                    found.setdefault((name, steps), []).append(scores(model.labels_, truth))
    return {key: np.mean(values, axis=0) for key, values in found.items()}


def show(title: str, found: dict[tuple[str, int], np.ndarray]) -> None:
    rows = []
    for steps in (*STEPS, 0):
        name = {0: "k-means of tf-idf, averaged over 2 links", STEPS[-1]: "all"}.get(steps, str(steps))
        rows.append([name, *(f"{found[model, steps][0]:.3f} / {found[model, steps][1]:.3f}" for model in MODELS)])
    print_table(title, ["steps of EM", *MODELS], rows)


def main() -> None:
    warnings.simplefilter("ignore")
    print(__doc__)
    chosen_on = scores_of(mail(seed=seed) for seed in CHOOSING)
    show("Choosing: two samples of mail, accuracy / NMI", chosen_on)
    best = max(STEPS, key=lambda steps: np.mean([chosen_on[model, steps][1] for model in MODELS]))
    print(f"\nChosen: {best} steps")
    show("Reported: Cora, accuracy / NMI", scores_of([cora()[:3]]))
    show("Reported: the sample of mail of `network.py`, accuracy / NMI", scores_of([mail()]))


if __name__ == "__main__":
    main()
