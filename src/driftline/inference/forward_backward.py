"""Forward-backward, Viterbi and path sampling for Markov chains, plain or factored, in bounded memory.

The likelihoods of a long chain need not be in memory: they may be a function that returns those of a block of steps.
Only beliefs at the beginning of every block are kept, and a block is filtered again when the backward pass reaches it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput

Likelihoods = Floats | Callable[[int, int], Floats]
"""Log-likelihoods, steps × states; or a function of a block's begin and end that returns them."""

SEGMENT_BYTES = 16 * 2**20
"""Memory for the likelihoods and beliefs of one block."""


class MarkovChain(NamedTuple):
    """The initial distribution and the transitions of a chain.

    `initial` is the distribution of the first state: one number per joint state. `transition` has rows that sum to one:
    a matrix (L × L) for all steps and factors, an array (1 or steps, 1 or factors, L, L), a list of one matrix per
    factor, or a function that returns such an array for a block of steps. The matrix of step t leads into step t; that
    of the first step is not used. `factors` is the number of factors of L levels each, or a tuple with the number of
    levels of each; arrays then have the largest as L, and a smaller factor uses the corner of its matrix.

    With `logs`, both contain log-potentials instead of probabilities: any numbers, −∞ for impossible states or
    transitions. The evidence is then the logarithm of the partition function.

    A joint state is a number with one digit per factor, the first factor's digit most significant.
    """

    initial: Floats
    transition: Floats | Sequence[Floats] | Callable[[int, int], Floats]
    factors: int | tuple[int, ...] = 1
    logs: bool = False

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of every factor."""
        if isinstance(self.factors, tuple):
            return self.factors
        return (self.given(0, 1).shape[-1],) * self.factors

    def given(self, begin: int, end: int) -> Floats:
        """Return the given transitions of a block of steps, as (1 or steps, 1 or factors, L, L)."""
        if callable(self.transition):
            return np.ascontiguousarray(self.transition(begin, end), dtype=np.float64)
        if isinstance(self.transition, list | tuple):
            return _stacked(self.transition, -np.inf if self.logs else 0.0)
        found = np.asarray(self.transition, dtype=np.float64)
        found = found[(None,) * (4 - found.ndim)]
        return np.ascontiguousarray(found if len(found) == 1 else found[begin:end])

    def matrices(self, begin: int, end: int) -> tuple[Floats, float]:
        """Return the matrices of a block, and the logarithm of their normalisation, for all its steps."""
        given = self.given(begin, end)
        if not self.logs:
            return given, 0.0
        largest = given.max(axis=(2, 3), keepdims=True)
        used = largest[1:] if begin == 0 and len(largest) > 1 else largest
        times = (end - max(begin, 1) if len(largest) == 1 else 1) * (len(self.sizes) if largest.shape[1] == 1 else 1)
        return np.exp(given - largest), times * float(used.sum())

    def log_matrices(self, begin: int, end: int) -> Floats:
        """Return the logarithms of the matrices of a block."""
        with np.errstate(divide="ignore"):
            return self.given(begin, end) if self.logs else np.log(self.given(begin, end))

    def first(self) -> tuple[Floats, float]:
        """Return the initial distribution, and the logarithm of its normalisation."""
        initial = np.ascontiguousarray(self.initial, dtype=np.float64)
        if not self.logs:
            return initial, 0.0
        return np.exp(initial - initial.max()), float(initial.max())

    def band(self) -> int:
        """Return the largest level change of a factor in one step; unlimited if the matrices come from a function."""
        if callable(self.transition):
            return int(self.given(0, 1).shape[-1] - 1)
        found = self.given(0, len(self.transition))
        possible = (found > -np.inf) if self.logs else (found != 0)
        rows, columns = np.nonzero(possible.any(axis=(0, 1)))
        return int(np.abs(rows - columns).max(initial=0))


class SmoothedChain(NamedTuple):
    """The posterior of every state given all observations.

    `probabilities` is p(state | all observations), steps × states (empty if a consumer received it by blocks), `last`
    the filtered belief at the last step, `moves` the expected number of transitions of each factor (factors × L × L).
    """

    log_evidence: float
    probabilities: Floats
    first: Floats
    last: Floats
    moves: Floats


class BestPath(NamedTuple):
    """The most probable sequence of states, and the logarithm of its joint probability with the data.

    If every sequence has probability zero, the logarithm is −∞, and the states are arbitrary.
    """

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
    """Return p(state | all observations) for every step.

    A predicted belief is at least 1e-300. If transitions are impossible, and single steps favour one state over another
    by more than about 690 nats, the only path that later steps allow may have a smaller one: the evidence is then too
    high.

    With `consume`, blocks of it are passed on, the last block first, as ``consume(begin, probabilities)``, and not
    kept: memory is then O(√steps · states) or less.

    >>> chain = MarkovChain(np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]]))
    >>> smooth(chain, np.log([[0.9, 0.1], [0.5, 0.5], [0.9, 0.1]]), 3).probabilities.round(3)
    array([[0.965, 0.035],
           [0.954, 0.046],
           [0.965, 0.035]])
    """
    run = _Run(chain, log_likelihood, n_steps)
    evidence, beliefs = run.filtered()
    message = np.ones(run.n_states)
    moves = np.zeros((len(run.sizes) if count_moves else 0, run.sizes.max(), run.sizes.max()))
    kept = np.empty((0 if consume else n_steps, run.n_states))
    first = run.initial
    for number in reversed(range(len(run.blocks))):
        begin, end = run.blocks[number]
        likelihood, filtered = run.room(begin, end)
        steps = (beliefs[number], begin > 0, *run.arguments(begin, end))
        current_kernels().markov.forward_steps(run.given(begin, end), *steps, likelihood, filtered)
        current_kernels().markov.backward_steps(filtered, likelihood, *steps, message, moves)
        if consume:
            consume(begin, filtered)
        else:
            kept[begin:end] = filtered
        first = filtered[0].copy()
    return SmoothedChain(evidence, kept, first, beliefs[-1], moves)


def best_path(chain: MarkovChain, log_likelihood: Likelihoods, n_steps: int) -> BestPath:
    """Return the most probable sequence of states (Viterbi).

    >>> chain = MarkovChain(np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]]))
    >>> best_path(chain, np.log([[0.9, 0.1], [0.2, 0.8], [0.9, 0.1]]), 3).states
    array([0, 0, 0])
    """
    run = _Run(chain, log_likelihood, n_steps)
    with np.errstate(divide="ignore"):
        score = np.ascontiguousarray(chain.initial if chain.logs else np.log(run.initial), dtype=np.float64)
    scores = []
    for begin, end in run.blocks:
        scores.append(score)
        score, _ = run.best(begin, end, score)
    path = np.empty(n_steps, dtype=np.int64)
    state = int(np.argmax(score))
    for (begin, end), entering in zip(reversed(run.blocks), reversed(scores)):
        _, origin = run.best(begin, end, entering)
        state = current_kernels().markov.trace_back(origin, state, path[begin:end])
    return BestPath(path, float(score.max()) if n_steps else 0.0)


def sample_paths(
    chain: MarkovChain, log_likelihood: Likelihoods, n_steps: int, rng: np.random.Generator, n_paths: int = 1
) -> Ints:
    """Draw whole sequences of states from their posterior, steps × paths: filter forwards, sample backwards.

    >>> chain = MarkovChain(np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> sample_paths(chain, np.log([[0.9, 0.1], [0.5, 0.5]]), 2, np.random.default_rng(0), 5)
    array([[0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0]])
    """
    run = _Run(chain, log_likelihood, n_steps)
    _, beliefs = run.filtered()
    paths = np.empty((n_steps, n_paths), dtype=np.int64)
    states = np.array(
        [current_kernels().markov.draw_state(beliefs[-1], uniform) for uniform in rng.random(n_paths)], dtype=np.int64
    )
    for number in reversed(range(len(run.blocks))):
        begin, end = run.blocks[number]
        likelihood, filtered = run.room(begin, end)
        current_kernels().markov.forward_steps(
            run.given(begin, end), beliefs[number], begin > 0, *run.arguments(begin, end), likelihood, filtered
        )
        matrices, _ = chain.matrices(begin, end)
        uniforms = rng.random((end - begin, n_paths))
        current_kernels().markov.sample_steps(
            filtered, beliefs[number], begin > 0, matrices, run.sizes, uniforms, states, paths[begin:end]
        )
    return paths


def digits(states: npt.ArrayLike, sizes: Sequence[int]) -> Ints:
    """Return the level of every factor of joint states, one row per state; factors have these numbers of levels.

    >>> digits([5, 7], sizes=(4, 3))
    array([[1, 2],
           [2, 1]])
    """
    weights = np.cumprod([1, *reversed(sizes[1:])])[::-1]
    found: Ints = (np.asarray(states)[:, None] // weights) % np.asarray(sizes)
    return found


class _Run:
    """The blocks of one chain, and the likelihoods and matrices of each."""

    def __init__(self, chain: MarkovChain, log_likelihood: Likelihoods, n_steps: int) -> None:
        self.initial, self._scale = chain.first()
        self.n_states, self.sizes = len(self.initial), np.array(chain.sizes, dtype=np.int64)
        if self.n_states != self.sizes.prod():
            raise InvalidInput(
                f"{self.n_states} initial probabilities do not fit {len(self.sizes)} factors of "
                f"{' × '.join(map(str, chain.sizes))} levels; pass one for each of the {self.sizes.prod()} joint states"
            )
        self._chain, self._likelihood, self._band = chain, log_likelihood, chain.band()
        length = int(np.clip(SEGMENT_BYTES // (16 * self.n_states), 1, max(16, int(n_steps**0.5))))
        self.blocks = [(begin, min(begin + length, n_steps)) for begin in range(0, n_steps, length)]
        self._room = np.empty((2, length, self.n_states))

    def filtered(self) -> tuple[float, list[Floats]]:
        """Return the log-evidence and the beliefs before every block and at the end."""
        evidence, belief = self._scale if self.blocks else 0.0, self.initial
        beliefs = [belief]
        for begin, end in self.blocks:
            likelihood, filtered = self.room(begin, end)
            matrices, scale = self._chain.matrices(begin, end)
            steps = (belief, begin > 0, self._packed(matrices), self._band, self.sizes)
            given = self.given(begin, end)
            evidence += current_kernels().markov.forward_steps(given, *steps, likelihood, filtered) + scale
            if np.isnan(evidence):
                _refuse(given, begin)
            belief = filtered[-1].copy()
            beliefs.append(belief)
        return float(evidence), beliefs

    def given(self, begin: int, end: int) -> Floats:
        part = self._likelihood(begin, end) if callable(self._likelihood) else self._likelihood[begin:end]
        return np.ascontiguousarray(part, dtype=np.float64)

    def room(self, begin: int, end: int) -> tuple[Floats, Floats]:
        return self._room[0, : end - begin], self._room[1, : end - begin]

    def arguments(self, begin: int, end: int) -> tuple[Floats, int, Ints]:
        return self._packed(self._chain.matrices(begin, end)[0]), self._band, self.sizes

    def _packed(self, matrices: Floats) -> Floats:
        found: Floats = current_kernels().markov.packed(matrices, self._band, self.sizes)
        return found

    def best(self, begin: int, end: int, entering: Floats) -> tuple[Floats, npt.NDArray[np.int32]]:
        origin = np.empty((end - begin, self.n_states), dtype=np.int32)
        steps = (entering, begin > 0, self._chain.log_matrices(begin, end), self._band, self.sizes)
        given = self.given(begin, end)
        score = current_kernels().markov.best_steps(given, *steps, origin)
        if not np.isfinite(score.max()):
            _refuse(given, begin)
        return score, origin


def _refuse(given: Floats, begin: int) -> None:
    """Raise if a step of a block is impossible in every state, or has a likelihood that is not a number."""
    impossible = ~np.isfinite(given.max(axis=1))
    if impossible.any():
        row = int(np.argmax(impossible))
        what = "is not a number" if np.isnan(given[row]).any() else "is zero or infinite in every state"
        raise InvalidInput(
            f"the likelihood of step {begin + row} {what}; "
            f"pass a row of zeros (logarithms) for a step at which nothing was observed"
        )


def _stacked(matrices: Sequence[Floats], empty: float) -> Floats:
    """Return one matrix per factor as one array, each in the upper left corner."""
    size = max(len(matrix) for matrix in matrices)
    found = np.full((1, len(matrices), size, size), empty)
    for f, matrix in enumerate(matrices):
        found[0, f, : len(matrix), : len(matrix)] = matrix
    return found
