from __future__ import annotations

import threading

import pytest

from driftline.engines.threads import Threads


def test_results_keep_their_order_and_threads_work_together():
    barrier = threading.Barrier(2, timeout=20)

    def meet(i):
        barrier.wait()
        return i

    with Threads(2) as engine:
        assert engine.map(meet, [(0,), (1,)]) == [0, 1]


def test_one_worker_is_the_calling_thread():
    with Threads(1) as engine:
        assert set(engine.map(threading.get_ident, [(), ()])) == {threading.get_ident()}
    with Threads(None) as engine:
        assert engine.n_workers == 1


def test_errors_come_through():
    with Threads(2) as engine, pytest.raises(ZeroDivisionError):
        engine.map(divmod, [(1, 1), (1, 0), (2, 1)])


def test_states_and_results_come_apart():
    with Threads(1) as engine:
        assert engine.advance(divmod, [(7, 2), (9, 4)]) == ([3, 2], [1, 1])
        assert engine.keep((1, 2)) == [1, 2]
        assert engine.share("x") == "x"
        assert engine.derive(len, [("abc",)]) == [3]
