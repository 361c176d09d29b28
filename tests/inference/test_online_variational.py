from __future__ import annotations

from driftline.inference.online_variational import OnlineVariational
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop


def recording(seen):
    def learn(factors, problem, epoch, rng):
        seen.append((epoch.number, epoch.step))
        return factors + 1, 1.0 / (1 + epoch.number)

    return OnlineVariational(lambda problem, rng: problem, learn)


def test_steps_are_bold_at_first_and_never_below_one():
    seen = []
    done = run(recording(seen), 100, stop=Stop(12))
    assert [number for number, _ in seen] == list(range(12))
    assert [step for _, step in seen[:3]] == [10.0, 5.0, 10 / 3]
    assert [step for _, step in seen[9:]] == [1.0, 1.0, 1.0]
    assert done.result == 112


def test_it_ends_when_little_moves():
    done = run(recording([]), 0, stop=Stop(50, LittleMoved(0.25, first=2)))
    assert done.result == 4
    assert [info.moved for info in done.infos[0]] == [1.0, 0.5, 1 / 3, 0.25]
