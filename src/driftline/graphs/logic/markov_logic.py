r"""A Markov logic network: weighted rules; a world that breaks one is less probable, but not impossible."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Mapping
from numbers import Integral
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import Array, Each, Layout, Optional, Text
from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.graphs.logic.domains import Atoms, domains_of, evidence_of, truth_of
from driftline.graphs.logic.formulas import Atom
from driftline.graphs.logic.ground_network import MOST_ATOMS_OF_A_FACTOR, GroundNetwork
from driftline.graphs.logic.mc_sat import sampled_worlds, solve
from driftline.graphs.logic.rule_grounding import ground
from driftline.graphs.logic.rule_parser import Program, parse_rules
from driftline.graphs.logic.rule_weights import learned_weights, truth_changes
from driftline.inference.elimination import eliminate
from driftline.inference.field_sampling import sampled_marginals
from driftline.inference.message_passing import propagate

METHODS = ("mcsat", "gibbs", "messages", "exact")
HARD_COST = 1e6
"""Cost of a broken hard rule in MaxWalkSAT, relative to the largest weight."""


class AtomProbabilities(NamedTuple):
    """Probabilities of unknown atoms, the method, whether messages converged, and the failed rounds of MC-SAT."""

    probabilities: dict[str, float]
    method: str
    converged: bool
    n_failed: int


class BestWorld(NamedTuple):
    """Truth of unknown atoms, the sum of the weights of true rules, and whether no other world has a higher one."""

    atoms: dict[str, bool]
    score: float
    proven: bool


class MarkovLogic(DriftEstimator):
    r"""Reason with weighted rules in first-order logic.

    The probability of a world x, which assigns a truth value to every ground atom, is

    .. math:: p(x) \propto \exp \sum_r w_r n_r(x),                                                                (1)

    with the number :math:`n_r` of true groundings of rule r; hard rules hold in every possible world.

    Parameters
    ----------
    rules : str
        Rules and declarations, one per line: ``1.5 Smokes(x) => Cancer(x)``; a hard rule ends in a dot.
    closed : collection of str
        Predicates that are completely known: atoms that the evidence does not list are false.
    max_groundings : int
        Maximum number of ground rules; a rule that would exceed it is rejected before it is grounded.

    Attributes
    ----------
    weights_ : ndarray, one weight per rule; NaN for hard rules.
    rules_ : str, the rules that the weights belong to.
    evidence_, truth_ : the atoms that are known, and whether each is true.

    Examples
    --------
    >>> rules = "1.5 Smokes(x) => Cancer(x)\n1.1 Friends(x, y) => (Smokes(x) <=> Smokes(y))"
    >>> model = MarkovLogic(rules, closed=["Friends"]).fit(["Smokes(Anna)", "Friends(Anna, Bob)"])
    >>> {atom: round(p, 2) for atom, p in model.marginals("exact").probabilities.items()}
    {'Smokes(Bob)': 0.65, 'Cancer(Anna)': 0.82, 'Cancer(Bob)': 0.71}
    """

    _state_layout: ClassVar[Layout | None] = {
        "weights_": Array("rules", missing=True),
        "rules_": Optional(Text()),
        "evidence_": Each(Text(), "known"),
        "truth_": Array("known", kind="b"),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "rules": [str],
        "closed": "no_validation",
        "max_groundings": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, rules: str, closed: Collection[str] = (), max_groundings: int = 1_000_000) -> None:
        self.rules = rules
        self.closed = closed
        self.max_groundings = max_groundings

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, evidence: Iterable[str] | Mapping[str, bool] = (), y: object = None) -> MarkovLogic:
        """Ground the rules over the constants of rules and evidence.

        Evidence is atoms, ``"Smokes(Anna)"`` or ``"!Smokes(Bob)"``, or a mapping from atoms to truth values. Learned
        weights are kept, unless `rules` have changed since.
        """
        program = self._program()
        changed = getattr(self, "rules_", self.rules) != self.rules  # models saved by earlier versions have no rules_
        if changed or getattr(self, "weights_", np.empty(0)).shape != (len(program.rules),):
            self.weights_ = _given_weights(program)
        self.rules_ = self.rules
        known = evidence_of(evidence)
        self.evidence_ = [str(atom) if _is_plain(atom) else _quoted(atom) for atom in known]
        self.truth_ = np.array(list(known.values()), dtype=np.bool_)
        self.__dict__.pop("_cached_grounded", None)
        self._grounded()
        return self

    def learn(self, world: Iterable[str] | Mapping[str, bool], penalty: float = 0.1) -> MarkovLogic:
        """Learn the weights from a completely known world: atoms that it does not list are false.

        Weights maximise the pseudo-likelihood; `penalty` shrinks them towards zero. Hard rules are not changed.
        """
        program = self._program()
        known = evidence_of(world)
        domains = domains_of(program, known)
        atoms = Atoms.of(domains.arguments)
        truth = truth_of(atoms, known, list(atoms.first))
        closed = frozenset(self.closed)
        fixed = np.full(atoms.n_atoms, -1, dtype=np.int64)
        for predicate in closed & set(atoms.first):
            part = slice(atoms.first[predicate], atoms.first[predicate] + int(np.prod(atoms.shape(predicate))))
            fixed[part] = truth[part]
        soft = [0.0 if rule.weight is None else 1.0 for rule in program.rules]
        grounded = ground(program, domains, atoms, fixed, soft, closed, self.max_groundings)
        changes = truth_changes(grounded.network, truth[grounded.unknown], len(program.rules))
        weights = learned_weights(changes, penalty)
        self.weights_ = np.where(np.isnan(_given_weights(program)), np.nan, weights)
        self.rules_ = self.rules
        self.__dict__.pop("_cached_grounded", None)
        if not hasattr(self, "evidence_"):
            self.fit(world)
        return self

    def marginals(
        self,
        method: str = "mcsat",
        *,
        n_rounds: int = 5000,
        burn_in: int = 100,
        damping: float = 0.0,
        max_steps: int = 200,
        random_state: Seed = None,
    ) -> AtomProbabilities:
        """Return the probability of every unknown atom.

        "mcsat" samples and is reliable under hard rules; "gibbs" samples and is not; "messages" is message passing;
        "exact" eliminates atoms, and raises an error if that is too expensive.
        """
        if method not in METHODS:
            raise InvalidInput(f"method must be one of {', '.join(map(repr, METHODS))}, not {method!r}")
        network, unknown, atoms = self._grounded()
        converged, n_failed = True, 0
        rng = generator(random_state)
        if network.n_atoms == 0:
            shares = np.empty(0)
        elif method == "mcsat":
            shares, n_failed = sampled_worlds(network, self._possible_world(rng), n_rounds, burn_in, rng)
        elif method == "gibbs":
            table = sampled_marginals(
                network.factor_graph(), n_sweeps=n_rounds, burn_in=burn_in, rng=rng, start=self._possible_world(rng)
            )
            shares = table[:, 1]
        elif method == "messages":
            beliefs = propagate(network.factor_graph(), damping=damping, max_steps=max_steps)
            shares, converged = np.exp(beliefs.log_probabilities[:, 1]), beliefs.converged
        else:
            shares = _exact(network)
        names = atoms.names(unknown)
        return AtomProbabilities(dict(zip(names, shares.tolist())), method, converged, n_failed)

    def map(self, *, time_limit: float = 10.0, n_flips: int = 100_000, random_state: Seed = 0) -> BestWorld:
        """Return the most probable truth of all unknown atoms together.

        Max-product gives an initial world if ground rules are small, MaxWalkSAT improves it, and an integer program
        (HiGHS) searches for a better one until `time_limit` seconds have passed; 0 leaves it out.
        """
        network, unknown, atoms = self._grounded()
        rng = generator(random_state)
        world = self._start(network, rng)
        largest = float(network.weights[np.isfinite(network.weights)].max(initial=1.0))
        costs = np.where(np.isinf(network.weights), HARD_COST * largest, network.weights)
        current_kernels().clauses.walk(rng, world, costs, n_flips, 0.2, *network.arrays)
        score, proven = network.score(world), False
        if time_limit > 0 and network.n_atoms:
            better, proven = network.improved(score, time_limit)
            if better is not None:
                world, score = better, network.score(better)
            elif proven and score == -np.inf:
                raise InvalidInput("the hard rules contradict each other, given the evidence: no world is possible")
        if score == -np.inf:
            raise InvalidInput("no world that satisfies all hard rules was found; raise n_flips or time_limit")
        truth = dict(zip(atoms.names(unknown), world.astype(bool).tolist()))
        return BestWorld(truth, score, proven or not network.n_atoms)

    def score(self, world: Iterable[str] | Mapping[str, bool]) -> float:
        """Return the exponent of (1) for a world: atoms that it lists are true, other unknown ones are false."""
        network, unknown, atoms = self._grounded()
        listed = {atoms.number(atom) for atom, truth in evidence_of(world).items() if truth}
        return network.score(np.array([int(number) in listed for number in unknown], dtype=np.int64))

    def _program(self) -> Program:
        program = parse_rules(self.rules)
        if not program.rules:
            raise InvalidInput("there are no rules; a rule begins with a weight or ends in a dot")
        return program

    def _grounded(self) -> tuple[GroundNetwork, Ints, Atoms]:
        check_is_fitted(self)
        if not hasattr(self, "_cached_grounded"):
            program = self._program()
            known = dict(zip(evidence_of(self.evidence_), self.truth_.tolist()))
            domains = domains_of(program, known)
            atoms = Atoms.of(domains.arguments)
            closed = frozenset(self.closed)
            truth = truth_of(atoms, known, closed)
            weights = [None if np.isnan(weight) else float(weight) for weight in self.weights_]
            found = ground(program, domains, atoms, truth, weights, closed, self.max_groundings)
            self._cached_grounded = (found.network, found.unknown, atoms)
        cached: tuple[GroundNetwork, Ints, Atoms] = self._cached_grounded
        return cached

    def _start(self, network: GroundNetwork, rng: np.random.Generator) -> Ints:
        """Return the states of max-product if formulas are small, otherwise a random world."""
        sizes = np.diff(network.clauses[network.formulas]) if len(network.weights) else np.empty(0)
        if 0 < sizes.max(initial=0) <= MOST_ATOMS_OF_A_FACTOR and len(sizes) < 200_000:
            # If messages show that no world is possible, the integer program proves it
            with contextlib.suppress(InvalidInput):
                graph = network.factor_graph()
                return propagate(graph, maximise=True, damping=0.5, max_steps=50).states.astype(np.int64)
        return rng.integers(0, 2, network.n_atoms)

    def _possible_world(self, rng: np.random.Generator) -> Ints:
        """Return a world that satisfies all hard rules."""
        network, _, _ = self._grounded()
        hard = np.isinf(network.weights)
        world = rng.integers(0, 2, network.n_atoms)
        if not hard.any() or solve(network, world, hard.astype(np.float64), rng):
            return world
        better, proven = network.improved(-np.inf, 60.0)
        if better is None:
            reason = "contradict each other, given the evidence" if proven else "could not be satisfied in a minute"
            raise InvalidInput(f"the hard rules {reason}: no world is possible")
        return better


def _exact(network: GroundNetwork) -> Floats:
    graph = network.factor_graph()
    factors: list[tuple[tuple[int, ...], Floats]] = [((v,), graph.unary[v]) for v in range(network.n_atoms)]
    for f in range(len(graph.table_of)):
        members = tuple(int(v) for v in graph.variables[graph.pointers[f] : graph.pointers[f + 1]])
        table = graph.tables[graph.table_pointers[f] : graph.table_pointers[f + 1]]
        factors.append((members, table.reshape((2,) * len(members))))
    found = eliminate(graph.sizes.tolist(), factors)
    shares: Floats = np.exp(np.array([row[1] for row in found.log_marginals]))
    return shares


def _given_weights(program: Program) -> Floats:
    return np.array([np.nan if rule.weight is None else rule.weight for rule in program.rules], dtype=np.float64)


def _is_plain(atom: Atom) -> bool:
    return all(term.name.isidentifier() or term.name.isalnum() for term in atom.terms)


def _quoted(atom: Atom) -> str:
    return f"{atom.predicate}({', '.join(chr(34) + term.name + chr(34) for term in atom.terms)})"
