"""Bayesian networks: the distributions of all variables given evidence, beside pgmpy's variable elimination.

Random networks of variables with three states and up to two parents; the evidence is three variables. pgmpy answers
one variable after the other (`VariableElimination`), or from its junction tree (`BeliefPropagation`); ours from one
tree for all variables, or variable by variable on the part that bears on it. The last network consists of two
parts. pgmpy's tree is not run on the larger network, where it takes minutes.

    python -m benchmarks.graphs.networks [--row]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

from benchmarks.measure import measure, print_table
from driftline.graphs import BayesianNetwork


def network(n, n_parts=1, seed=0, most_parents=2, reach=4):
    """Return parents and tables of a random network."""
    rng = np.random.default_rng(seed)
    parents, tables = {}, {}
    for v in range(n):
        first = max(v - reach, v // (n // n_parts) * (n // n_parts))
        n_above = min(int(rng.integers(1, most_parents + 1)), v - first)
        above = sorted(int(one) for one in rng.permutation(np.arange(first, v))[:n_above])
        parents[f"v{v}"] = [f"v{one}" for one in above]
        tables[f"v{v}"] = rng.dirichlet(np.ones(3), [3] * len(above))
    return parents, tables


def theirs(parents, tables):
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork([(one, child) for child, above in parents.items() for one in above])
    model.add_nodes_from(parents)
    for name, table in tables.items():
        values = table.reshape(-1, 3).T
        above = {"evidence": parents[name], "evidence_card": [3] * len(parents[name])} if parents[name] else {}
        model.add_cpds(TabularCPD(name, 3, values, **above))
    return model


def asked_of_pgmpy(kind, model, names, evidence):
    """Return distributions by name, or the error that pgmpy raises."""
    from pgmpy import inference

    def work():
        engine = getattr(inference, kind)(model)
        return {name: engine.query([name], evidence=evidence, show_progress=False) for name in names}

    try:
        found, taken = measure(work)
    except Exception as error:
        return None, f"{type(error).__name__}: {str(error)[:50]}"
    numbers = {}
    for name, factor in found.items():
        order = [factor.state_names[name].index(state) for state in range(3)] if factor.state_names else range(3)
        numbers[name] = factor.values[list(order)]
    return numbers, taken.cpu_seconds


def row_of(label, parents, tables, evidence, with_peer=True, with_tree=True):
    names = [name for name in parents if name not in evidence]
    ours = BayesianNetwork(parents).set_tables(tables)
    ours.query(evidence)
    found, whole = measure(lambda: ours.query(evidence), repeat=3)
    _, single = measure(lambda: [ours.query(evidence, [name]) for name in names])
    cells = [label, len(names), f"{whole.cpu_seconds:.4f}", f"{single.cpu_seconds:.4f}"]
    if not with_peer:
        return cells
    model = theirs(parents, tables)
    worst = 0.0
    for kind in ("VariableElimination", "BeliefPropagation"):
        if kind == "BeliefPropagation" and not with_tree:
            cells.append("not run")
            continue
        values, seconds = asked_of_pgmpy(kind, model, names, evidence)
        cells.append(seconds if values is None else f"{seconds:.4f} ({seconds / whole.cpu_seconds:.0f} ×)")
        for name in values or {}:
            worst = max(worst, np.abs(values[name] - list(found[name].values())).max())
    return [*cells, f"{worst:.0e}"]


def main():
    warnings.simplefilter("ignore")
    evidence = {"v2": 0, "v9": 1, "v17": 2}
    if "--row" in sys.argv:
        print_table(
            "Distributions of all variables",
            ["network", "variables", "one tree, CPU s", "one by one"],
            [row_of("20 variables", *network(20), evidence, with_peer=False)],
        )
        return
    rows = [
        row_of("20 variables", *network(20), evidence),
        row_of("60 variables", *network(60, seed=1), evidence, with_tree=False),
        row_of("20 variables in two parts", *network(20, 2, seed=2), evidence),
    ]
    headings = ["network", "variables", "ours: one tree, CPU s", "ours: one by one"]
    headings += ["pgmpy: elimination", "pgmpy: junction tree", "largest difference"]
    print_table("Distributions of all variables given three (times: a multiple of one tree)", headings, rows)


if __name__ == "__main__":
    main()
