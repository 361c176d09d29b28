"""Markov random fields: errors of message passing and Gibbs sampling by coupling, and searches for the best states.

Random fields of eight variables with three states, complete graphs, couplings drawn from a normal distribution of
standard deviation J: largest error of a probability against enumeration, mean and maximum of 30 fields. Then the best
states of grids, and with Cora's papers (2,708 nodes, 7 fields, coupling 1) of a large graph: score and seconds.

    python -m benchmarks.graphs.fields [--row]
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.graphs.linked import cora
from benchmarks.measure import measure, print_table
from driftline.graphs import MarkovRandomField
from driftline.inference.field_sampling import Field, climbed, sampled_marginals
from driftline.inference.integer_program import MOST_COLUMNS, improve
from driftline.inference.message_passing import FactorGraph, propagate

COUPLINGS = (0.25, 0.5, 1.0, 2.0)


def random_field(coupling, seed, n=8, n_states=3):
    rng = np.random.default_rng(seed)
    factors = [((v,), rng.normal(size=n_states)) for v in range(n)]
    return factors + [((i, j), coupling * rng.normal(size=(n_states, n_states))) for i in range(n) for j in range(i)]


def print_errors(n_fields):
    rows = []
    for coupling in COUPLINGS:
        errors, settled = {"messages": [], "messages, damping 0.5": [], "gibbs": []}, 0
        for seed in range(n_fields):
            field = MarkovRandomField(random_field(coupling, seed))
            exact = field.marginals("exact").probabilities
            for name, kept in errors.items():
                method, *_ = name.split(",")
                options = {"damping": 0.5} if "damping" in name else {}
                found = field.marginals(method, random_state=seed, n_sweeps=2000, **options)
                kept.append(max(np.abs(found.probabilities[v] - exact[v]).max() for v in exact))
                settled += found.converged if method == "messages" and options else 0
        cells = [f"{np.mean(kept):.3f} ({max(kept):.2f})" for kept in errors.values()]
        rows.append((coupling, *cells, f"{settled} of {n_fields}"))
    headings = ["J", "messages", "messages, damping 0.5", "Gibbs, 2,000 sweeps", "converged with damping"]
    print_table("Largest error of a probability: mean (maximum)", headings, rows)


def annealed(graph, n_steps, seed=0):
    """Return the score after annealed Gibbs sampling of about this many single draws."""
    from driftline.compute import current_kernels

    field, rng = Field.of(graph), np.random.default_rng(seed)
    states = field.start.copy()
    for temperature in np.geomspace(2.0, 0.02, max(n_steps // len(states), 1)):
        order = rng.permutation(len(states))
        current_kernels().fields.sweep(order, states, rng.random(len(order)), float(temperature), *field.arrays)
    return graph.score(states)


def print_search(label, graph, seconds):
    rng = np.random.default_rng(0)
    beliefs, passed = measure(lambda: propagate(graph, maximise=True, damping=0.5, max_steps=200))
    (_, score), local = measure(lambda: climbed(graph, beliefs.states, rng))
    gibbs, sampled = measure(lambda: annealed(graph, 2_000_000))
    solved, program = measure(lambda: improve(graph, score, seconds))
    n_columns = int(graph.sizes.sum() + np.diff(graph.table_pointers)[graph.table_of].sum())
    ending = "proven best" if solved.proven else "nothing better" if solved.states is None else "better"
    ending = "left out, too large" if n_columns > MOST_COLUMNS else ending
    after = score if solved.states is None else graph.score(solved.states)
    rows = [
        ("max-product", f"{graph.score(beliefs.states):.1f}", f"{passed.cpu_seconds:.2f}"),
        ("then local search", f"{score:.1f}", f"{local.cpu_seconds:.2f}"),
        (f"then HiGHS, at most {seconds} s: {ending}", f"{after:.1f}", f"{program.cpu_seconds:.2f}"),
        ("2 million annealed Gibbs draws", f"{gibbs:.1f}", f"{sampled.cpu_seconds:.2f}"),
    ]
    print_table(label, ["search", "score", "CPU s"], rows)


def grid(side, seed=0):
    rng = np.random.default_rng(seed)
    number = np.arange(side * side).reshape(side, side)
    links = np.concatenate([np.column_stack([number[:, :-1].ravel(), number[:, 1:].ravel()]),
                            np.column_stack([number[:-1].ravel(), number[1:].ravel()])])  # fmt: skip
    return FactorGraph.pairwise(rng.normal(size=(side * side, 3)), links, 0.6 * np.eye(3))


def cora_field():
    """Return Cora's papers with the probabilities of a classifier of the text and a coupling of one."""
    from sklearn.linear_model import LogisticRegression

    X, links, y, split = cora()
    known = split == "train"
    text = np.log(LogisticRegression(C=0.1, max_iter=1000).fit(X[known], y[known]).predict_proba(X))
    upper = np.column_stack(links.nonzero())
    return FactorGraph.pairwise(text, upper[upper[:, 0] < upper[:, 1]], np.eye(text.shape[1]))


def main():
    sampled_marginals(grid(3), n_sweeps=2, burn_in=0, rng=np.random.default_rng(0))
    if "--row" in sys.argv:
        print_errors(3)
        return
    print_errors(30)
    print_search("A grid of 20 × 20 with three states", grid(20), 20)
    print_search("Cora", cora_field(), 20)


if __name__ == "__main__":
    main()
