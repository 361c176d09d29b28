"""Forward-backward and Viterbi for Markov chains, plain or factored, in bounded memory.

The likelihoods of a long chain need not be held: they may be a function that gives those of a stretch of steps. Only
beliefs at the beginning of every stretch are kept, and a stretch is filtered again when the backward pass reaches it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from driftline.compute.cpu.markov import backward_steps, best_steps, forward_steps, trace_back
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput

Likelihoods = Floats | Callable[[int, int], Floats]
"""Log-likelihoods, steps × states; or a function of a stretch's begin and end that returns them."""

STRETCH_BYTES = 16 * 2**20


class MarkovChain(NamedTuple):
    """Where a chain begins and how it moves.

    `initial` is the distribution of the first state: one number a joint state. `transition` holds rows that sum to one:
    a matrix (L × L) for all steps and factors, or an array (1 or steps, 1 or factors, L, L), or a function that returns
    such an array for a stretch of steps. The matrix of step t leads into step t; that of the first step is not used.
    A joint state of several factors is a number in base L, the first factor's digit most significant.
    """

    initial: Floats
    transition: Floats | Callable[[int, int], Floats]
    n_factors: int = 1

    def matrices(self, begin: int, end: int) -> Floats:
        """Return the matrices of a stretch of steps, as the compiled loops want them."""
        if callable(self.transition):
            return np.ascontiguousarray(self.transition(begin, end), dtype=np.float64)
        found = np.asarray(self.transition, dtype=np.float64)
        found = found[(None,) * (4 - found.ndim)]
        return np.ascontiguousarray(found if len(found) == 1 else found[begin:end])

    def band(self) -> int:
        """Return how far a factor can move in one step; if the matrices come from a function, any distance."""
        if callable(self.transition):
            return self.matrices(0, 1).shape[-1] - 1
        found = np.asarray(self.transition)
        rows, columns = np.nonzero(found.reshape(-1, *found.shape[-2:]).max(axis=0))
        return int(np.abs(rows - columns).max(initial=0))


class SmoothedChain(NamedTuple):
    """What is known about every state when all has been seen.

    `probabilities` is p(state | everything), steps × states (empty if a consumer took it by stretches), `last` the
    filtered belief at the last step, `moves` the expected number of moves of each factor (factors × L × L).
    """

    log_evidence: float
    probabilities: Floats
    first: Floats
    last: Floats
    moves: Floats


class BestPath(NamedTuple):
    """The most probable sequence of states, and the logarithm of its joint probability with the data."""

    states: Ints
    log_probability: float


def smooth(
    chain: MarkovChain,
    log_likelihood: Likelihoods,
    n_steps: int,
    *,
    consume: Callable[[int, Floats], None] | None = None,
    count_moves: bool = False,
) -> SmoothedChain:
    """Return p(state | everything) for every step.

    With `consume`, stretches of it are handed over, last stretch first, as ``consume(begin, probabilities)``, and not
    kept: memory is then O(√steps · states) or less.

    >>> chain = MarkovChain(np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]]))
    >>> smooth(chain, np.log([[0.9, 0.1], [0.5, 0.5], [0.9, 0.1]]), 3).probabilities.round(3)
    array([[0.965, 0.035],
           [0.954, 0.046],
           [0.965, 0.035]])
    """
    run = _Run(chain, log_likelihood, n_steps)
    evidence, belief = 0.0, run.initial
    beliefs = [belief]
    for begin, end in run.stretches:
        likelihood, filtered = run.room(begin, end)
        evidence += forward_steps(
            run.given(begin, end), belief, begin > 0, *run.arguments(begin, end), likelihood, filtered
        )
        belief = filtered[-1].copy()
        beliefs.append(belief)
    message = np.ones(run.n_states)
    moves = np.zeros((chain.n_factors if count_moves else 0, run.n_levels, run.n_levels))
    kept = np.empty((0 if consume else n_steps, run.n_states))
    first = run.initial
    for number in reversed(range(len(run.stretches))):
        begin, end = run.stretches[number]
        likelihood, filtered = run.room(begin, end)
        steps = (beliefs[number], begin > 0, *run.arguments(begin, end))
        forward_steps(run.given(begin, end), *steps, likelihood, filtered)
        backward_steps(filtered, likelihood, *steps, message, moves)
        if consume:
            consume(begin, filtered)
        else:
            kept[begin:end] = filtered
        first = filtered[0].copy()
    return SmoothedChain(float(evidence), kept, first, belief, moves)


def best_path(chain: MarkovChain, log_likelihood: Likelihoods, n_steps: int) -> BestPath:
    """Return the most probable sequence of states (Viterbi).

    >>> chain = MarkovChain(np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]]))
    >>> best_path(chain, np.log([[0.9, 0.1], [0.2, 0.8], [0.9, 0.1]]), 3).states
    array([0, 0, 0])
    """
    run = _Run(chain, log_likelihood, n_steps)
    with np.errstate(divide="ignore"):
        score = np.log(run.initial)
    scores = []
    for begin, end in run.stretches:
        scores.append(score)
        score, _ = run.best(begin, end, score)
    path = np.empty(n_steps, dtype=np.int64)
    state = int(np.argmax(score))
    for (begin, end), entering in zip(reversed(run.stretches), reversed(scores)):
        _, origin = run.best(begin, end, entering)
        state = trace_back(origin, state, path[begin:end])
    return BestPath(path, float(score.max()) if n_steps else 0.0)


def digits(states: Any, n_levels: int, n_factors: int) -> Ints:
    """Return the level of every factor of joint states: one row a state.

    >>> digits([5], n_levels=3, n_factors=2)
    array([[1, 2]])
    """
    weights = n_levels ** np.arange(n_factors - 1, -1, -1)
    return (np.asarray(states)[:, None] // weights) % n_levels


class _Run:
    """One chain's stretches, and the likelihoods and matrices of each."""

    def __init__(self, chain: MarkovChain, log_likelihood: Likelihoods, n_steps: int) -> None:
        self.initial = np.ascontiguousarray(chain.initial, dtype=np.float64)
        self.n_states, self.n_levels = len(self.initial), chain.matrices(0, 1).shape[-1]
        if self.n_states != self.n_levels**chain.n_factors:
            raise InvalidInput(
                f"{self.n_states} initial probabilities do not fit {chain.n_factors} factors of {self.n_levels} "
                f"levels; "
                f"pass one for each of the {self.n_levels**chain.n_factors} joint states"
            )
        self._chain, self._likelihood, self._band = chain, log_likelihood, chain.band()
        length = int(np.clip(STRETCH_BYTES // (16 * self.n_states), 1, max(16, int(n_steps**0.5))))
        self.stretches = [(begin, min(begin + length, n_steps)) for begin in range(0, n_steps, length)]
        self._room = np.empty((2, length, self.n_states))

    def given(self, begin: int, end: int) -> Floats:
        part = self._likelihood(begin, end) if callable(self._likelihood) else self._likelihood[begin:end]
        return np.ascontiguousarray(part, dtype=np.float64)

    def room(self, begin: int, end: int) -> tuple[Floats, Floats]:
        return self._room[0, : end - begin], self._room[1, : end - begin]

    def arguments(self, begin: int, end: int) -> tuple[Floats, int, int]:
        return self._chain.matrices(begin, end), self._band, self._chain.n_factors

    def best(self, begin: int, end: int, entering: Floats) -> tuple[Floats, Any]:
        origin = np.empty((end - begin, self.n_states), dtype=np.int32)
        with np.errstate(divide="ignore"):
            logs = np.log(self._chain.matrices(begin, end))
        steps = (entering, begin > 0, logs, self._band, self._chain.n_factors)
        return best_steps(self.given(begin, end), *steps, origin), origin
