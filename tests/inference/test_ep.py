from __future__ import annotations

import numpy as np
import pytest

from driftline.engines.threads import Threads
from driftline.inference.ep import ExpectationPropagation
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop


def averaging(groups, engine):
    """Sites that go halfway to their own target plus a tenth of the total of all sites before the sweep."""

    def begin(targets, rng):
        return np.zeros(len(targets)), np.zeros(1)

    def refine(sites, targets, first, last):
        values, total = sites
        fresh = 0.5 * values[first:last] + 0.5 * (targets[first:last] + 0.1 * total[0])
        moved = np.abs(fresh - values[first:last]).max()
        values[first:last] = fresh
        return moved

    def combine(sites, targets):
        sites[1][0] = sites[0].sum()

    return ExpectationPropagation(begin, refine, combine, groups, engine)


TARGETS = np.array([1.0, 2.0, 3.0, -1.0])


@pytest.mark.parametrize("groups", [((0, 4),), ((0, 2), (2, 4)), ((0, 1), (1, 2), (2, 3), (3, 4))])
def test_groups_and_workers_do_not_matter(groups):
    stop = Stop(500, LittleMoved(1e-12))
    with Threads(2) as engine:
        done = run(averaging(groups, engine), TARGETS, stop=stop)
    alone = run(averaging(((0, 4),), Threads(1)), TARGETS, stop=stop)
    assert done.result[0].tobytes() == alone.result[0].tobytes()
    assert done.n_steps == alone.n_steps
    values = done.result[0]
    np.testing.assert_allclose(values, TARGETS + 0.1 * values.sum(), atol=1e-9)


def test_a_sweep_reports_the_largest_change():
    done = run(averaging(((0, 2), (2, 4)), Threads(1)), TARGETS, stop=Stop(1))
    assert done.infos[0][0].moved == 1.5
