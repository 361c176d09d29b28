r"""The Dirichlet forest: a prior of topics in which words belong together or apart (Andrzejewski et al., 2009).

A *vertex* is a word, or a group of words that belong together. The shares of a topic are drawn along a tree. Vertices
that are not apart from any other are children of the root, with their words' weight β each. Vertices that are connected
by *apart* form a component; each topic chooses one of its maximal sets M of vertices no two of which are apart, and

.. math:: \text{root} \xrightarrow{\beta |C|} s, \qquad s \xrightarrow{\eta |M|} t, \qquad
          t \xrightarrow{\beta |v|} v \in M, \qquad s \xrightarrow{\beta |v|} v \notin M, \qquad
          v \xrightarrow{\eta b_w} w \qquad (1)

with sizes in words, and b the words' overall shares: within a group the words keep these shares, and a topic uses
hardly any words of a component except those of its set (the authors have ηβ|M|; without β the rule does not depend on
it). Given the counts of a topic, the share of a word is the product of :math:`(n + \gamma) / \sum (n + \gamma)` along
its path (2), and a set has the probability

.. math:: p(M) \propto \beta |M| \prod_{s, t} \frac{\Gamma(\sum \gamma)}{\Gamma(\sum \gamma + n)}
          \prod_{\text{edges}} \frac{\Gamma(\gamma + n)}{\Gamma(\gamma)} \qquad (3)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.inference.guide_arrays import WordGroups
from driftline.inference.word_maps import mapped_rows

MOST_SETS = 1000
"""Largest number of sets of a component."""


class Component(NamedTuple):
    """Vertices that are connected by *apart*, and the sets that a topic may choose, sets × vertices."""

    vertices: Ints
    sets: Bools


class Forest(NamedTuple):
    """The structure of (1): the vertex of every word (−1: none), ηb of words, words of vertices, components, β and η.

    `within` is zero for a word that is itself a vertex.
    """

    vertex: Ints
    within: Floats
    sizes: Floats
    components: tuple[Component, ...]
    beta: float
    strength: float

    @property
    def in_component(self) -> Ints:
        """The component of every vertex; −1 if it has none."""
        found = np.full(len(self.sizes), -1, dtype=np.int64)
        for number, component in enumerate(self.components):
            found[component.vertices] = number
        return found


def forest_of(groups: WordGroups, n_words: int, beta: float) -> Forest:
    """Return the forest of words that belong together and apart."""
    vertex, within = np.full(n_words, -1, dtype=np.int64), np.zeros(n_words)
    sizes: list[float] = []
    for group in groups.together:
        vertex[group] = len(sizes)
        said = groups.said[group]
        within[group] = groups.strength * (said / said.sum() if said.sum() > 0 else np.full(len(group), 1 / len(group)))
        sizes.append(float(len(group)))
    for word in mapped_rows(groups)[vertex[mapped_rows(groups)] < 0].tolist():
        vertex[word] = len(sizes)
        sizes.append(1.0)
    apart = np.unique(np.sort(vertex[groups.apart], axis=1), axis=0).reshape(-1, 2)
    return Forest(vertex, within, np.array(sizes), _components(apart, len(sizes)), beta, groups.strength)


def _components(apart: Ints, n_vertices: int) -> tuple[Component, ...]:
    barred: list[set[int]] = [set() for _ in range(n_vertices)]
    for a, b in apart.tolist():
        barred[a].add(b)
        barred[b].add(a)
    left, found = {v for v in range(n_vertices) if barred[v]}, []
    while left:
        reached, open_ = set(), [min(left)]
        while open_:
            v = open_.pop()
            if v not in reached:
                reached.add(v)
                open_ += barred[v]
        left -= reached
        vertices = sorted(reached)
        sets = largest_sets(vertices, barred)
        found.append(Component(np.array(vertices), np.array([[v in one for v in vertices] for one in sets])))
    return tuple(found)


def largest_sets(vertices: list[int], barred: list[set[int]]) -> list[set[int]]:
    """Return all maximal sets of vertices no two of which are barred from each other (Bron and Kerbosch).

    A search without a pivot would visit every subset of the maximal sets, 2^n of n words that are apart from one other.

    >>> largest_sets([0, 1, 2], [{1}, {0, 2}, {1}])
    [{0, 2}, {1}]
    """
    found: list[set[int]] = []
    stack: list[tuple[set[int], set[int], set[int]]] = [(set(), set(vertices), set())]
    while stack:
        chosen, open_, done = stack.pop()
        if not open_ and not done:
            found.append(chosen)
            if len(found) > MOST_SETS:
                raise InvalidInput(
                    f"words that are apart can be divided among topics in more than {MOST_SETS:,} ways; "
                    f"request fewer words apart, or use inference='online'"
                )
        if not open_:
            continue
        pivot = min(open_ | done, key=lambda v: (len(open_ & barred[v]), v))
        for v in sorted(open_ & (barred[pivot] | {pivot})):
            stack.append((chosen | {v}, open_ - barred[v] - {v}, done - barred[v]))
            open_, done = open_ - {v}, done | {v}
    return sorted(found, key=sorted)


def vertex_counts(counts: Floats, forest: Forest) -> Floats:
    """Return the counts of vertices × topics from those of words × topics."""
    found = np.zeros((len(forest.sizes), counts.shape[1]))
    rows = np.flatnonzero(forest.vertex >= 0)
    np.add.at(found, forest.vertex[rows], counts[rows])
    return found


def set_weights(component: Component, counts: Floats, forest: Forest) -> Floats:
    """Return ln p(M) (3) of every set and topic, sets × topics; `counts` are those of vertices × topics."""
    own = counts[component.vertices]  # vertices × topics
    prior = forest.beta * forest.sizes[component.vertices]
    edges = gammaln(prior[:, None] + own) - gammaln(prior)[:, None]
    total, found = own.sum(axis=0), []
    for inside in component.sets:
        mass, rest, chosen = prior[inside].sum(), prior[~inside].sum(), own[inside].sum(axis=0)
        to_set = forest.strength * forest.sizes[component.vertices][inside].sum()
        whole = to_set + rest
        found.append(
            np.log(mass)
            + gammaln(whole)
            - gammaln(whole + total)
            + gammaln(to_set + chosen)
            - gammaln(to_set)
            + gammaln(mass)
            - gammaln(mass + chosen)
            + edges.sum(axis=0)
        )
    return np.array(found)


def draw_sets(counts: Floats, forest: Forest, rng: np.random.Generator) -> Bools:
    """Draw the sets of every topic given its counts; return a mask of the vertices in them, vertices × topics."""
    chosen = np.ones(counts.shape, dtype=np.bool_)
    for component in forest.components:
        logs = set_weights(component, counts, forest)
        picked = (logs + rng.gumbel(size=logs.shape)).argmax(axis=0)
        chosen[component.vertices] = component.sets[picked].T
    return chosen


def forest_shares(counts: Floats, chosen: Bools, forest: Forest) -> Floats:
    """Return the shares (2) of words × topics, given counts of words × topics and the sets of the topics."""
    beta, vertex = forest.beta, forest.vertex
    totals = counts.sum(axis=0) + beta * len(counts)
    found: Floats = (counts + beta) / totals
    own, prior = vertex_counts(counts, forest), beta * forest.sizes[:, None]
    shares = (own + prior) / totals
    for component in forest.components:
        part, inside = component.vertices, chosen[component.vertices]
        n, gamma = own[part], prior[part]
        all_, mass, of_set = n.sum(axis=0), (gamma * inside).sum(axis=0), (n * inside).sum(axis=0)
        to_set = forest.strength * mass / beta
        below = all_ + to_set + gamma.sum() - mass
        through = (of_set + to_set) / below * (n + gamma) / (of_set + mass)
        shares[part] = (all_ + gamma.sum()) / totals * np.where(inside, through, (n + gamma) / below)
    rows = np.flatnonzero(vertex >= 0)
    split = forest.within[rows] > 0
    ratio = np.ones((len(rows), counts.shape[1]))
    grouped = rows[split]
    ratio[split] = (counts[grouped] + forest.within[grouped, None]) / (own[vertex[grouped]] + forest.strength)
    found[rows] = shares[vertex[rows]] * ratio
    return found
