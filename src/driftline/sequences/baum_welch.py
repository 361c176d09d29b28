r"""Baum-Welch: EM for hidden Markov models of several sequences, in which some states may be known."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.engines.contract import Engine
from driftline.inference.bounded_counts import CountBound
from driftline.inference.contract import Info
from driftline.inference.em import EM
from driftline.inference.guide_arrays import WordStart
from driftline.inference.guided_em import EmWishes, started_shares
from driftline.inference.run import run
from driftline.inference.stopping import SmallRise, Stop
from driftline.sequences.bounded_states import BoundedChains, ChainSteps, bounded_expectations
from driftline.sequences.emissions import KINDS, Emissions

EMPTY = 0.1
"""Expected number of emitted observations below which a state counts as empty."""
RESTARTS = 3
"""Maximum number of times that a run moves an empty state to the observations that the others explain worst."""

NO_STATES = np.empty(0, dtype=np.int64)


class Parameters(NamedTuple):
    """π, A (states × states), the emissions (numbers × states; words × states), and the number of moved states."""

    initial: Floats
    transition: Floats
    emission: Floats
    restarts: int = 0


class Whole(NamedTuple):
    """The number of times that each value was observed, and the parameters of all observations together."""

    often: Floats
    centre: Floats


class Sequences(NamedTuple):
    """The problem.

    Observation t is ``values[rows[t]]`` (−1: not observed), and sequences begin at `offsets`; words have no values, and
    their rows are their columns. `known` contains the state of every step, −1 if it is unknown, or is empty. A guide
    adds `wishes` about words, their initial states (`start`), and `bounds` on the expected numbers of states.
    """

    rows: Ints
    offsets: Ints
    n_states: int
    values: Floats
    smoothing: float
    known: Ints = NO_STATES
    kind: str = "categorical"
    whole: Whole | None = None
    wishes: EmWishes | None = None
    start: WordStart | None = None
    bounds: tuple[CountBound, ...] = ()

    @property
    def emissions(self) -> Emissions:
        """The kind of emission of the states."""
        return KINDS[self.kind]

    def summary(self) -> Whole:
        """Return the summary of all observations; `prepared` stores it."""
        if self.whole is not None:
            return self.whole
        often = np.bincount(self.rows[self.rows >= 0], minlength=len(self.values)).astype(np.float64)
        return Whole(often, self.emissions.together(self.values, often))

    def prepared(self) -> Sequences:
        """Return the same problem, with its summary."""
        return self._replace(whole=self.summary())


def begin(problem: Sequences, rng: np.random.Generator) -> Parameters:
    """Return a random start: every state is halfway between all observations and random ones."""
    n, (often, centre) = problem.n_states, problem.summary()
    if problem.kind == "categorical":
        drawn = rng.dirichlet(np.ones(len(often)), n).T
        emission = np.ascontiguousarray(0.5 * centre + 0.5 * drawn)
        if problem.start is not None:
            emission = started_shares(emission, often, problem.start)
    else:
        chosen = rng.choice(len(often), n, p=often / often.sum())
        emission = np.hstack([_near(problem, value) for value in chosen])
    return Parameters(np.full(n, 1 / n), rng.dirichlet(np.ones(n), n), emission)


def expect(parameters: Parameters, problem: Sequences, rng: np.random.Generator) -> tuple[Parameters, float]:
    """Return the expected counts and the log posterior."""
    counts, evidence = expected_counts(parameters, problem)
    prior = 0.0 if problem.wishes is None else problem.wishes.log_prior(parameters.emission)
    prior += problem.emissions.log_prior(parameters.emission, problem.summary().centre, problem.smoothing)
    prior += problem.smoothing * float(np.log(parameters.initial).sum() + np.log(parameters.transition).sum())
    return counts, float(evidence.sum()) + prior


def maximise(counts: Parameters, before: Parameters, problem: Sequences) -> Parameters:
    """Return the most probable parameters given the counts; a state that emits nothing is moved elsewhere."""
    starts, moves = counts.initial + problem.smoothing, counts.transition + problem.smoothing
    often, centre = problem.summary()
    if problem.wishes is None:
        emission = problem.emissions.estimate(problem.values, counts.emission, centre, problem.smoothing)
    else:
        emission = problem.wishes.word_shares(counts.emission, problem.smoothing)
    emitted, restarts = np.einsum("rs->s", counts.emission), before.restarts  # a product by BLAS would use all threads
    if problem.wishes is None and restarts < RESTARTS and emitted.min() < EMPTY and often.sum() > 2 * problem.n_states:
        state, restarts = int(emitted.argmin()), restarts + 1
        fit = problem.emissions.log_likelihood(problem.values, before.emission)
        explained = np.logaddexp.reduce(fit + np.log(emitted + problem.smoothing), axis=1)
        emission[:, [state]] = _near(problem, int(np.where(often > 0, explained, np.inf).argmin()))
        moves[state], moves[:, state] = moves.mean(axis=0), moves.mean(axis=1)
    return Parameters(starts / starts.sum(), moves / moves.sum(axis=1, keepdims=True), emission, restarts)


def expected_counts(
    parameters: Parameters, problem: Sequences, *, evidence_only: bool = False
) -> tuple[Parameters, Floats]:
    """Return the expected counts (none with `evidence_only`), and the log-likelihood of every sequence.

    Under bounds, the counts are those of the nearest distribution that satisfies them, and the likelihood is one
    number: the lower bound that EM then maximises.
    """
    n = problem.n_states
    counts = Parameters(np.zeros(n), np.zeros((n, n)), np.zeros((0 if evidence_only else len(problem.values), n)))
    if problem.bounds and not evidence_only:
        found = bounded_states(parameters, problem)
        seen = problem.rows >= 0
        np.add.at(counts.emission, problem.rows[seen], found.beliefs[seen])
        return Parameters(found.starts, found.moves, counts.emission), np.array([found.value])
    evidence = _expect(parameters, problem, counts, np.empty((0, n)))
    return counts, evidence


def bounded_states(parameters: Parameters, problem: Sequences) -> BoundedChains:
    """Return the states of every step under the bounds of the problem."""
    logs = problem.emissions.log_likelihood(problem.values, parameters.emission)
    steps = np.where((problem.rows >= 0)[:, None], logs[problem.rows], 0.0)
    chains = ChainSteps(steps, problem.offsets, problem.known, parameters.initial, parameters.transition)
    return bounded_expectations(chains, problem.bounds)


def state_probabilities(parameters: Parameters, problem: Sequences) -> list[Floats]:
    """Return p(state | sequence) of every step, one array per sequence."""
    n = problem.n_states
    beliefs = np.empty((len(problem.rows), n))
    _expect(parameters, problem, Parameters(np.zeros(n), np.zeros((n, n)), np.zeros((0, n))), beliefs)
    return [beliefs[begin:end] for begin, end in itertools.pairwise(problem.offsets)]


def best_paths(parameters: Parameters, problem: Sequences) -> list[Ints]:
    """Return the most probable states of every sequence (Viterbi)."""
    paths = np.empty(len(problem.rows), dtype=np.int64)
    logs = problem.emissions.log_likelihood(problem.values, parameters.emission)
    current_kernels().hidden_markov.best_sequences(
        problem.rows, problem.offsets, np.log(parameters.initial), np.log(parameters.transition), logs, paths
    )
    return [paths[begin:end] for begin, end in itertools.pairwise(problem.offsets)]


@dataclass(frozen=True)
class Converged:
    """Converged when the log posterior hardly increases, unless a state was moved in one of the last two steps."""

    tolerance: float

    def __call__(self, infos: Sequence[Info]) -> bool:
        """Check the last steps."""
        return not any(info.moved > 0 for info in infos[-2:]) and SmallRise(self.tolerance)(infos)


def _expect(parameters: Parameters, problem: Sequences, counts: Parameters, beliefs: Floats) -> Floats:
    evidence = np.empty(len(problem.offsets) - 1)
    logs = problem.emissions.log_likelihood(problem.values, parameters.emission)
    current_kernels().hidden_markov.expect_sequences(
        *(problem.rows, problem.offsets, problem.known, parameters.initial, parameters.transition, logs),
        *(evidence, counts.initial, counts.transition, counts.emission, beliefs),
    )
    return evidence


def _near(problem: Sequences, value: int) -> Floats:
    """Return parameters halfway between those of all observations and of one value."""
    often, centre = problem.summary()
    counts = 0.5 * often / often.sum()
    counts[value] += 0.5
    return problem.emissions.estimate(problem.values, counts[:, None], centre, problem.smoothing)


def _moved(before: Parameters, after: Parameters) -> float:
    return float(after.restarts - before.restarts)


BAUM_WELCH = EM(begin, expect, maximise, _moved)
"""EM for (1) of `driftline.sequences.hidden_markov_model.HiddenMarkovModel`."""


class Estimate(NamedTuple):
    """The parameters of the best start, its log posterior before every step, and that of all starts before the last."""

    parameters: Parameters
    objective: Floats
    restarts: Floats


def estimate(
    problem: Sequences,
    stop: Stop,
    n_restarts: int,
    rng: np.random.Generator,
    engine: Engine,
    *,
    ordered: bool,
    verbose: bool = False,
) -> Estimate:
    """Run EM from several starts; with `ordered`, states that emit numbers are in the order of the first of them."""
    if len(problem.known) and (problem.known >= 0).all():
        n_restarts, stop = 1, stop._replace(max_steps=2)  # the estimate is a count, whatever the start
    done = run(
        BAUM_WELCH, problem, stop=stop, chains=n_restarts, rng=rng, engine=engine, progress="EM", verbose=verbose
    )
    found = done.result
    if ordered and problem.kind != "categorical":
        order = np.argsort(found.emission[0], kind="stable")
        found = Parameters(found.initial[order], found.transition[np.ix_(order, order)], found.emission[:, order])
    restarts = np.array([infos[-1].objective for infos in done.infos])
    objective = np.array([info.objective for info in done.infos[int(restarts.argmax())]])
    return Estimate(found, objective, restarts)
