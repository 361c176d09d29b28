from __future__ import annotations

import os
import signal
from dataclasses import dataclass

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.engines.threads import Threads
from driftline.inference.contract import Info
from driftline.inference.diagnostics import diagnose
from driftline.inference.run import Keep, run
from driftline.inference.stopping import LittleMoved, SmallRise, Stop
from tests.inference.walkers import Approach, Memory, Place, RandomWalk

pytestmark = pytest.mark.usefixtures("standard_interrupts")


def steps_kept(found):
    return [n for _, n in found.result]


def test_states_after_the_burn_in_are_kept_as_they_were():
    found = run(RandomWalk(), [0.0, 0.0], stop=Stop(7), keep=Keep(burn_in=3), rng=0)
    assert steps_kept(found) == [4, 5, 6, 7]
    places = [at.sum() for at, _ in found.result]
    np.testing.assert_array_equal(places, found.objective[0, 3:])
    assert len(set(places)) == 4, "copies, although the walk writes into its state"


def test_thinning_keeps_every_so_manieth_state():
    assert steps_kept(run(RandomWalk(), [0.0], stop=Stop(11), keep=Keep(burn_in=2, every=4), rng=0)) == [6, 10]


def test_a_fold_sees_the_same_states():
    def add(kept, state):
        return state.at.copy() if kept is None else kept + state.at

    keep = Keep(burn_in=3, every=2)
    samples = run(RandomWalk(), [0.0, 1.0], stop=Stop(9), keep=keep, rng=4).result
    folded = run(RandomWalk(), [0.0, 1.0], stop=Stop(9), keep=keep._replace(fold=add), rng=4).result
    assert len(folded) == 1
    np.testing.assert_allclose(folded[0], sum(at for at, _ in samples))


def test_only_the_last_state_is_kept_by_default():
    assert steps_kept(run(RandomWalk(), [0.0], stop=Stop(5), chains=3, rng=0)) == [5, 5, 5]


def test_no_state_kept_is_an_error():
    with pytest.raises(InvalidInput, match="burn-in of 5"):
        run(RandomWalk(), [0.0], stop=Stop(5), keep=Keep(burn_in=5), rng=0)


def test_one_chain_uses_the_generator_itself_and_several_use_spawned_ones():
    rng = np.random.default_rng(9)
    one = run(RandomWalk(), [0.0], stop=Stop(4), rng=rng)
    by_hand = np.random.default_rng(9)
    assert one.result[0][0] == sum(by_hand.normal(size=5))
    assert rng.random() == by_hand.random()
    several = run(RandomWalk(), [0.0], stop=Stop(4), rng=9, chains=3)
    for (at, _), own in zip(several.result, np.random.default_rng(9).spawn(3)):
        assert at == sum(own.normal(size=5))


def test_workers_do_not_matter():
    alone = run(RandomWalk(), [0.0, 1.0], stop=Stop(20), keep=Keep(burn_in=4), chains=4, rng=1)
    with Threads(3) as engine:
        together = run(RandomWalk(), [0.0, 1.0], stop=Stop(20), keep=Keep(burn_in=4), chains=4, rng=1, engine=engine)
    assert alone.objective.tobytes() == together.objective.tobytes()
    assert str(alone.result) == str(together.result)


def test_chains_end_by_themselves_and_say_so():
    found = run(Approach(), 0.0, stop=Stop(50, LittleMoved(1.0)), chains=4, rng=3)
    assert found.converged.all()
    assert len(set(found.n_steps)) > 1, "from different starts"
    assert np.isnan(found.objective[found.n_steps.argmin(), -1])
    for infos in found.infos:
        assert [info.moved > 1.0 for info in infos] == [True] * (len(infos) - 1) + [False]
    unfinished = run(Approach(), 0.0, stop=Stop(2, LittleMoved(1e-9)), chains=2, rng=3)
    assert not unfinished.converged.any()
    assert unfinished.n_steps.tolist() == [2, 2]


@pytest.mark.parametrize("size", [1.0, 1e5])
def test_the_tolerance_is_relative_to_the_objective(size):
    @dataclass(frozen=True)
    class Climb:
        def init(self, problem, rng):
            return 0

        def step(self, state, problem, rng):
            return state + 1, Info(objective=-problem[state])

        def summary(self, states):
            return states[-1]

    objectives = size * np.array([2000.0, 1100.0, 1020.0, 1010.0, 1000.0, 999.9999])
    found = run(Climb(), objectives, stop=Stop(6, SmallRise(0.015)))
    assert found.result == 4, "1020 → 1010 is the first rise of less than 1.5 %, whatever the unit"
    assert found.objective.tolist() == [(-objectives[:4]).tolist()]


def test_diagnostics_are_those_of_the_objective_after_the_burn_in():
    found = run(RandomWalk(), [0.0], stop=Stop(40), keep=Keep(burn_in=10), chains=2, rng=0)
    assert found.diagnostics == diagnose(found.objective[:, 10:])
    assert found.diagnostics.r_hat > 1.1, "a random walk does not settle"


class Broken(Exception):
    pass


@dataclass(frozen=True)
class FailsAt(RandomWalk):
    """Fails in one step, after it has written into the state."""

    when: int = 7

    def step(self, state, problem, rng):
        found = super().step(state, problem, rng)
        if found[0].n == self.when:
            raise Broken
        return found


def summed(kept, state):
    return Place(state.at.copy(), 1) if kept is None else Place(kept.at + state.at, kept.n + 1)


@pytest.mark.parametrize("fold", [None, summed])
@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("chains", [1, 2])
def test_a_resumed_run_ends_as_if_it_had_never_stopped(fold, every, chains, monkeypatch):
    keep = Keep(burn_in=2, every=2, fold=fold)
    whole = run(FailsAt(when=-1), np.array([0.0, 1.0]), stop=Stop(12), keep=keep, chains=chains, rng=8)
    memory = Memory(every)
    failing = FailsAt(when=-1)
    original, calls = FailsAt.step, []

    def step(self, state, problem, rng):
        calls.append(1)
        if len(calls) == 7 * chains:
            state.at[...] = np.nan  # half of a step
            raise Broken
        return original(self, state, problem, rng)

    monkeypatch.setattr(FailsAt, "step", step)
    with pytest.raises(Broken):
        run(failing, np.array([0.0, 1.0]), stop=Stop(12), keep=keep, chains=chains, rng=8, checkpoint=memory)
    assert memory.n_saves == 6 // every
    again = run(failing, np.array([0.0, 1.0]), stop=Stop(12), keep=keep, chains=chains, rng=99, checkpoint=memory)
    assert again.objective.tobytes() == whole.objective.tobytes()
    assert str(again.result) == str(whole.result)


def test_a_finished_run_can_be_made_longer():
    memory = Memory(every=100)
    run(RandomWalk(), np.array([0.0]), stop=Stop(5), rng=2, checkpoint=memory)
    assert memory.n_saves == 1
    longer = run(RandomWalk(), np.array([0.0]), stop=Stop(9), rng=None, checkpoint=memory)
    assert longer.objective.tobytes() == run(RandomWalk(), [0.0], stop=Stop(9), rng=2).objective.tobytes()


def test_a_chain_that_has_settled_is_not_resumed():
    memory = Memory()
    first = run(Approach(), 0.0, stop=Stop(50, LittleMoved(1.0)), rng=3, checkpoint=memory)
    again = run(Approach(), 0.0, stop=Stop(50, LittleMoved(1.0)), rng=3, checkpoint=memory)
    assert again.result == first.result
    assert again.converged.all()
    assert str(again.infos) == str(first.infos)


@pytest.mark.parametrize(
    ("method", "problem", "chains"),
    [(RandomWalk(2.0), [0.0], 1), (RandomWalk(), [1.0], 1), (RandomWalk(), [0.0], 2), (FailsAt(), [0.0], 1)],
)
def test_the_checkpoint_of_another_run_is_refused(method, problem, chains):
    memory = Memory()
    run(RandomWalk(), np.array([0.0]), stop=Stop(3), rng=2, checkpoint=memory)
    with pytest.raises(InvalidInput, match="another problem, method or number of chains"):
        run(method, np.array(problem), stop=Stop(3), rng=2, chains=chains, checkpoint=memory)


@dataclass(frozen=True)
class PressedAt(RandomWalk):
    """A walk in which Ctrl-C is pressed in the middle of some steps."""

    when: tuple[int, ...] = (3,)

    def step(self, state, problem, rng):
        state.at[...] *= 1024.0
        if state.n + 1 in self.when:
            os.kill(os.getpid(), signal.SIGINT)
        state.at[...] /= 1024.0
        return super().step(state, problem, rng)


def test_an_interrupt_is_raised_by_default():
    with pytest.raises(KeyboardInterrupt):
        run(PressedAt(), [0.0], stop=Stop(9), rng=0)


def test_the_result_so_far_is_kept_on_request():
    found = run(PressedAt(), [0.0], stop=Stop(9), keep=Keep(burn_in=1), rng=0, keep_on_interrupt=True)
    assert found.interrupted
    assert steps_kept(found) == [2, 3], "the step in which it was pressed is done to its end"
    assert all(abs(at) < 50 for at, _ in found.result)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not run(RandomWalk(), [0.0], stop=Stop(9), rng=0, keep_on_interrupt=True).interrupted


def test_an_interrupted_run_is_saved_and_can_be_resumed():
    memory = Memory(every=100)
    run(PressedAt(), np.array([0.0]), stop=Stop(9), rng=5, keep_on_interrupt=True, checkpoint=memory)
    assert memory.n_saves == 1
    again = run(PressedAt(), np.array([0.0]), stop=Stop(9), rng=0, checkpoint=memory)
    assert again.objective.tobytes() == run(RandomWalk(), [0.0], stop=Stop(9), rng=5).objective.tobytes()


def test_an_interrupt_before_anything_is_kept_is_raised():
    with pytest.raises(KeyboardInterrupt):
        run(PressedAt(), [0.0], stop=Stop(9), keep=Keep(burn_in=5), rng=0, keep_on_interrupt=True)


def test_pressed_twice_it_ends_at_once():
    @dataclass(frozen=True)
    class Impatient(RandomWalk):
        def step(self, state, problem, rng):
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            raise AssertionError("not reached")

    with pytest.raises(KeyboardInterrupt):
        run(Impatient(), [0.0], stop=Stop(9), rng=0, keep_on_interrupt=True)


def test_errors_come_through():
    with pytest.raises(Broken):
        run(FailsAt(), [0.0], stop=Stop(9), rng=0)
