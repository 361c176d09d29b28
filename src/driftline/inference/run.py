"""The loop of all inference: burn-in, thinning, parallel chains, early stopping, checkpoints and interrupts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.interrupts import after_the_step
from driftline.core.progress import track
from driftline.core.randomness import Seed, generator, spawn
from driftline.engines.contract import Engine
from driftline.inference.checkpoint import Checkpoint, generator_state, restored_generator
from driftline.inference.contract import Info, Method
from driftline.inference.diagnostics import Diagnostics, diagnose
from driftline.inference.plain_values import Arrays, copied, digest, flatten, rebuild
from driftline.inference.stopping import Stop

Problem = TypeVar("Problem")
State = TypeVar("State")
Result = TypeVar("Result", covariant=True)


class Keep(NamedTuple):
    """The states kept for the summary.

    The first `burn_in` states are not kept; of the others, every `every`-th is. With `fold`, a chain keeps one value,
    ``fold(kept, state)``, beginning with ``fold(None, state)``: memory then does not grow with the number of samples.
    The fold owns `kept` but not `state`. Without one, copies of the states are kept. With `last`, only the final state
    of a chain is kept, and the other options are ignored.
    """

    burn_in: int = 0
    every: int = 1
    fold: Callable[[Any, Any], Any] | None = None
    last: bool = False


LAST = Keep(last=True)
"""Setting for optimisation methods: the final state of each chain."""


@dataclass(frozen=True)
class Run(Generic[Result]):
    """Report of a run.

    `result` is the method's summary. `infos` contains the reports of every step of every chain, `n_steps` and
    `converged` one value per chain. `interrupted` is True if Ctrl-C ended the run early and `keep_on_interrupt` was
    set.
    """

    result: Result
    infos: tuple[tuple[Info, ...], ...]
    n_steps: Ints
    converged: Bools
    interrupted: bool
    burn_in: int

    @property
    def objective(self) -> Floats:
        """The objective of every step, chains × steps; NaN after a chain has ended."""
        found = np.full((len(self.infos), int(self.n_steps.max(initial=0))), np.nan)
        for row, infos in zip(found, self.infos):
            row[: len(infos)] = [info.objective for info in infos]
        return found

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """R̂ and effective sample sizes of the objective after the burn-in."""
        return diagnose(self.objective[:, self.burn_in :])


def run(
    method: Method[Problem, State, Result],
    problem: Problem,
    *,
    stop: Stop,
    keep: Keep = LAST,
    chains: int = 1,
    rng: Seed = None,
    engine: Engine | None = None,
    checkpoint: Checkpoint | None = None,
    keep_on_interrupt: bool = False,
    progress: str = "inference",
    verbose: bool | int = False,
) -> Run[Result]:
    """Run a method until it stops.

    Parameters
    ----------
    method : Method
        The algorithm. Several chains may step at the same time, so it must not change itself.
    problem : anything
        The data and other fixed values.
    stop : Stop
        The stopping rule, applied to each chain separately.
    keep : Keep
        The states kept for the summary.
    chains : int
        The number of independent chains (or restarts). One chain uses `rng` itself, several have generators spawned
        from it, so the i-th chain does not depend on the number of workers.
    rng : int, Generator or None
        The seed.
    engine : Engine, optional
        Where chains run in parallel; by default they run sequentially.
    checkpoint : Checkpoint, optional
        Where the run is saved periodically. An existing checkpoint is resumed, with the same result as if it had never
        ended; a checkpoint of another method or problem is an error.
    keep_on_interrupt : bool
        End after the current step when Ctrl-C is pressed, and return the result so far, with `interrupted` set; pressed
        again, it ends at once. By default Ctrl-C is raised as usual, and nothing is returned.
    progress, verbose : str, bool
        Text of the progress bar, and whether to show it by default.

    >>> class Halving:
    ...     def init(self, problem, rng):
    ...         return problem
    ...     def step(self, state, problem, rng):
    ...         return state / 2, Info(objective=-state / 2)
    ...     def summary(self, states):
    ...         return states[-1]
    >>> run(Halving(), 8.0, stop=Stop(3)).result
    1.0
    """
    rng = generator(rng)
    rngs = [rng] if chains == 1 else spawn(rng, chains)
    signature = _signature(method, problem) if checkpoint else ""
    saved = checkpoint.load() if checkpoint else None
    if saved is not None:
        walks = _resumed(method, problem, saved, signature, chains, keep)
    else:
        walks = [_Walk(method.init(problem, one), one) for one in rngs]
    n_done = max(len(walk.infos) for walk in walks)
    with contextlib.ExitStack() as stack:
        interrupted = stack.enter_context(after_the_step()) if keep_on_interrupt else (lambda: False)
        for number in track(range(n_done, stop.max_steps), progress, total=stop.max_steps - n_done, verbose=verbose):
            live = [walk for walk in walks if not walk.settled]
            if not live or interrupted():
                break
            tasks = [(method, problem, walk.state, walk.rng) for walk in live]
            answers = [_advance(*task) for task in tasks] if engine is None else engine.map(_advance, tasks)
            for walk, (state, info, used) in zip(live, answers):
                walk.take(state, info, used, stop, keep)
            if checkpoint and (number + 1) % checkpoint.every == 0:
                checkpoint.save(_written(walks, signature))
        if checkpoint and n_done < max(len(walk.infos) for walk in walks):
            checkpoint.save(_written(walks, signature))
        ended = interrupted()
    kept = [state for walk in walks for state in walk.result(keep)]
    if ended and not kept:
        raise KeyboardInterrupt
    if not kept:
        raise InvalidInput(
            f"no state is kept: {stop.max_steps} steps with a burn-in of {keep.burn_in}; take more steps"
        )
    return Run(
        method.summary(kept),
        tuple(tuple(walk.infos) for walk in walks),
        np.array([len(walk.infos) for walk in walks]),
        np.array([walk.settled for walk in walks]),
        ended,
        0 if keep.last else keep.burn_in,
    )


def _advance(
    method: Any, problem: object, state: object, rng: np.random.Generator
) -> tuple[object, Info, np.random.Generator]:
    """Do one step; the generator is returned too, since a worker elsewhere uses a copy of it."""
    state, info = method.step(state, problem, rng)
    return state, info, rng


class _Walk:
    """A running chain."""

    def __init__(self, state: object, rng: np.random.Generator) -> None:
        self.state, self.rng = state, rng
        self.infos: list[Info] = []
        self.kept: list[Any] = []
        self.settled = False

    def take(self, state: object, info: Info, rng: np.random.Generator, stop: Stop, keep: Keep) -> None:
        """Record a step."""
        self.state, self.rng = state, rng
        self.infos.append(info)
        self.settled = stop.rule(self.infos)
        after = len(self.infos) - keep.burn_in
        if keep.last or after <= 0 or after % keep.every:
            return
        if keep.fold is None:
            self.kept.append(copied(state))
        else:
            self.kept = [keep.fold(self.kept[0] if self.kept else None, state)]

    def result(self, keep: Keep) -> list[Any]:
        return [self.state] if keep.last else self.kept


def _signature(method: object, problem: object) -> str:
    """Return the identity of a checkpoint: the class and plain parameters of the method, and the problem."""
    values = {}
    if is_dataclass(method):
        values = {field.name: getattr(method, field.name) for field in fields(method)}
    plain = {name: value for name, value in values.items() if value is None or isinstance(value, str | int | float)}
    return digest((type(method).__qualname__, repr(plain), problem))


def _written(walks: list[_Walk], signature: str) -> Arrays:
    found: Arrays = flatten({"signature": signature, "n_chains": len(walks)})
    for number, walk in enumerate(walks):
        infos = np.array(walk.infos, dtype=np.float64).reshape(len(walk.infos), len(Info._fields))
        chain = {"infos": infos, "settled": walk.settled, "n_kept": len(walk.kept), "rng": generator_state(walk.rng)}
        found.update(flatten(chain, str(number)))
        found.update(flatten(walk.state, f"{number}.state"))
        for i, kept in enumerate(walk.kept):
            found.update(flatten(kept, f"{number}.kept.{i}"))
    return found


def _resumed(
    method: Any, problem: object, saved: Mapping[str, np.ndarray], signature: str, chains: int, keep: Keep
) -> list[_Walk]:
    """Restore chains from a checkpoint; a new initial state provides the structure."""
    found = rebuild({"signature": "", "n_chains": 0}, saved)
    if found["signature"] != signature or found["n_chains"] != chains:
        raise InvalidInput(
            "the checkpoint belongs to another problem, method or number of chains; "
            "run the matching one, or remove it to start again"
        )
    template = method.init(problem, np.random.default_rng(0))
    walks = []
    for number in range(chains):
        part: dict[str, Any] = {
            "infos": np.empty((0, 0)),
            "settled": False,
            "n_kept": 0,
            "rng": np.empty(0, dtype=np.uint8),
        }
        chain = rebuild(part, saved, str(number))
        walk = _Walk(rebuild(template, saved, f"{number}.state"), restored_generator(chain["rng"]))
        walk.infos = [Info(*row) for row in chain["infos"].tolist()]
        walk.settled = chain["settled"]
        shape = template if keep.fold is None else keep.fold(None, template)
        walk.kept = [rebuild(shape, saved, f"{number}.kept.{i}") for i in range(chain["n_kept"])]
        walks.append(walk)
    return walks
