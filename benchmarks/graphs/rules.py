"""Markov logic: errors of MC-SAT, Gibbs sampling and messages, searches for the best world, and Cora as rules.

Smokers: four people, of whom some are friends; the largest error of a probability against enumeration after 5,000
rounds. Then worlds that hard rules separate, a hard disjunction whose atoms have probability 2/3, a larger circle of
smokers for the search, and rules that say what `LinkedClassifier` computes, on a part of Cora.

    python -m benchmarks.graphs.rules [--row]
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.graphs.linked import cora
from benchmarks.measure import measure, print_table
from driftline.graphs import LinkedClassifier, MarkovLogic
from driftline.graphs.logic.mc_sat import solve

SMOKERS = "1.5 Smokes(x) => Cancer(x)\n1.1 Friends(x, y) => (Smokes(x) <=> Smokes(y))\n-0.5 Smokes(x)"


def smokers(n, n_friends, seed=0):
    rng = np.random.default_rng(seed)
    pairs = {tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(n_friends)}
    evidence = [f"Friends(P{a}, P{b})" for a, b in sorted(pairs)]
    return evidence + [f"Smokes(P{person})" for person in range(0, n, 4)]


def largest_error(model, method, wanted, n_rounds=5000):
    found, taken = measure(lambda: model.marginals(method, n_rounds=n_rounds, random_state=0))
    error = max(abs(found.probabilities[atom] - p) for atom, p in wanted.items())
    return error, taken.cpu_seconds, found.n_failed


def error_of_sample_sat(model, wanted, n_rounds):
    """Return the error if SampleSAT, from a random world, gives the world of every round, as MC-SAT is published."""
    network, unknown, atoms = model._grounded()
    rng, sums = np.random.default_rng(0), np.zeros(network.n_atoms)
    world = model._possible_world(rng)
    for _ in range(n_rounds):
        true = network.satisfied(world)
        required = true & (rng.random(len(true)) < -np.expm1(-network.weights))
        found = rng.integers(0, 2, network.n_atoms)
        world = found if solve(network, found, required.astype(float), rng) else world
        sums += world
    return np.abs(sums / n_rounds - [wanted[atom] for atom in atoms.names(unknown)]).max()


def print_errors(n_rounds):
    rows = []
    for label, model in {
        "smokers": MarkovLogic(SMOKERS, closed=["Friends"]).fit(smokers(6, 8)),
        "H(A) v S(B).": MarkovLogic("H(A) v S(B).").fit(),
        "A(X) <=> B(X). B(X) <=> C(X).": MarkovLogic("A(X) <=> B(X).\nB(X) <=> C(X).").fit(),
        "-0.9 F(x, y) and hard symmetry": MarkovLogic(
            "thing = {P, Q, R}\nF(thing, thing)\n-0.9 F(x, y)\nF(x, y) => F(y, x)."
        ).fit(),
    }.items():
        wanted = model.marginals("exact").probabilities
        for method in ("mcsat", "gibbs", "messages"):
            error, seconds, failed = largest_error(model, method, wanted, n_rounds)
            rows.append((label, method, f"{error:.3f}", failed, f"{seconds:.2f}"))
        error, taken = measure(lambda model=model, wanted=wanted: error_of_sample_sat(model, wanted, n_rounds))
        rows.append((label, "SampleSAT in every round", f"{error:.3f}", "", f"{taken.cpu_seconds:.2f}"))
    headings = ["rules", "method", "largest error", "failed rounds", "CPU s"]
    print_table(f"Probabilities of atoms, {n_rounds:,} rounds", headings, rows)


def print_search(n, n_friends):
    model, grounding = measure(lambda: MarkovLogic(SMOKERS, closed=["Friends"]).fit(smokers(n, n_friends)))
    local, walked = measure(lambda: model.map(time_limit=0))
    best, solved = measure(lambda: model.map(time_limit=60))
    rows = [
        ("grounding", "", f"{grounding.cpu_seconds:.2f}"),
        ("max-product and MaxWalkSAT", f"{local.score:.2f}", f"{walked.cpu_seconds:.2f}"),
        (f"then HiGHS{' (proven)' if best.proven else ''}", f"{best.score:.2f}", f"{solved.cpu_seconds:.2f}"),
    ]
    n_ground = len(model._grounded()[0].weights)
    print_table(f"{n} smokers, {n_ground:,} ground rules", ["step", "score", "CPU s"], rows)


def print_cora(n_papers):
    """Rules whose Markov random field is that of LinkedClassifier, on the first papers and their links."""
    X, links, y, _ = cora()
    chosen = np.arange(n_papers)
    X, links, y = X[chosen], links[chosen][:, chosen], y[chosen]
    known = np.arange(n_papers) % 5 == 0
    base = LinkedClassifier(coupling=1.0, text_weight=1.0, max_steps=200).fit(X, np.where(known, y, -1), links=links)
    text = np.log(np.maximum(base.estimator_.predict_proba(X), 1e-12))
    lines = ["Link(paper, paper)", "Field(paper, field)"]
    lines += ["1 Link(x, y) ^ Field(x, f) ^ Field(y, f)"]
    lines += ["Field(x, f) ^ Field(x, g) => f = g.", "EXIST f Field(x, f)."]
    lines += [f"{text[d, k] - text[d].min():.6f} Field(D{d}, K{k})" for d in chosen for k in range(text.shape[1])]
    upper = [(a, b) for a, b in zip(*links.nonzero()) if a < b]
    evidence = [f"Link(D{a}, D{b})" for a, b in upper] + [f"Field(D{d}, K{y[d]})" for d in chosen[known]]
    model = MarkovLogic("\n".join(lines), closed=["Link"], max_groundings=5_000_000).fit(evidence)
    best, taken = measure(lambda: model.map(time_limit=400))
    fields = {d: int(np.searchsorted(base.classes_, y[d])) for d in chosen[known]}
    for atom, truth in best.atoms.items():
        if truth:
            paper, field = atom.removeprefix("Field(").removesuffix(")").split(", ")
            fields[int(paper[1:])] = int(field[1:])
    open_ones = np.flatnonzero(~known)
    labels = {
        "rules, most probable world": np.array([base.classes_[fields[d]] for d in chosen]),
        "LinkedClassifier.predict_jointly": base.predict_jointly(X, links=links, known=np.where(known, y, -1)),
        "LinkedClassifier, most probable label of each": base.labels_,
    }
    ours = labels["rules, most probable world"]
    rows = []
    for name, found in labels.items():
        codes = np.searchsorted(base.classes_, found)
        value = text[open_ones, codes[open_ones]].sum() + sum(codes[a] == codes[b] for a, b in upper)
        right, same = (100 * (found[open_ones] == other[open_ones]).mean() for other in (y, ours))
        seconds = f"{taken.cpu_seconds:.2f}" if found is ours else ""
        rows.append((name, f"{value:.4f}", f"{same:.1f}", f"{right:.1f}", seconds))
    title = f"Cora as rules: {n_papers} papers, {len(upper)} links{', proven best' if best.proven else ''}"
    heads = ["", "score of the labels together", "same label as by rules, %", "accuracy, %", "CPU s"]
    print_table(title, heads, rows)


def main():
    if "--row" in sys.argv:
        print_errors(500)
        return
    print_errors(5000)
    print_search(60, 300)
    print_search(400, 27_000)
    print_cora(400)


if __name__ == "__main__":
    main()
