"""Kernels of message passing: one factor by plain sums, exponentials and logarithms alike, and damping."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from driftline.compute.cpu.message_passing import log_partition, send_messages


def one_factor(table, unary):
    """Return the arguments of the kernels for one factor over all variables, with messages that say nothing."""
    sizes = np.array(table.shape)
    widest, n = int(sizes.max()), len(sizes)
    sums, impossible = np.zeros((n, widest)), np.zeros((n, widest), dtype=np.int64)
    for v, row in enumerate(unary):
        impossible[v, : len(row)] = np.isneginf(row)
        sums[v, : len(row)] = np.where(np.isneginf(row), 0.0, row)
    fixed = (sizes, np.array([0, n]), np.arange(n), np.zeros(1, dtype=np.int64), np.array([0, table.size]))
    return (*fixed, table.ravel()), np.zeros((n, widest)), sums, impossible


def expected(table, unary, own, maximise):
    """Return the normalised message of the factor to one variable."""
    joint = table.copy()
    for v, row in enumerate(unary):
        if v != own:
            joint = joint + np.reshape(row, [-1 if u == v else 1 for u in range(table.ndim)])
    others = tuple(v for v in range(table.ndim) if v != own)
    found = joint.max(axis=others) if maximise else logsumexp(joint, axis=others)
    return found - (found.max() if maximise else logsumexp(found))


@pytest.mark.parametrize("maximise", [False, True])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (4, 2), (2, 3, 2)])
@pytest.mark.parametrize("scale", [1.0, 900.0])
def test_messages_of_one_factor(shape, maximise, scale):
    rng = np.random.default_rng(len(shape))
    table, unary = scale * rng.normal(size=shape), [scale * rng.normal(size=n) for n in shape]
    fixed, messages, sums, impossible = one_factor(table, unary)
    moved = send_messages(np.array([0]), maximise, 0.0, *fixed, messages, sums, impossible)
    for v, n in enumerate(shape):
        message = expected(table, unary, v, maximise)
        np.testing.assert_allclose(messages[v, :n], message, atol=1e-10 * scale)
        np.testing.assert_allclose(sums[v, :n], unary[v] + message, atol=1e-10 * scale)
    changes = [abs(np.exp(messages[v, :n]) - 1).max() for v, n in enumerate(shape)]
    assert moved == pytest.approx(max(changes))


def test_impossible_states_are_counted():
    unary = [np.array([0.0, -np.inf]), np.zeros(2)]
    table = np.array([[0.0, -np.inf], [0.0, 0.0]])
    fixed, messages, sums, impossible = one_factor(table, unary)
    send_messages(np.array([0]), False, 0.0, *fixed, messages, sums, impossible)
    assert messages[1].tolist() == [0.0, -np.inf]
    assert impossible.tolist() == [[0, 1], [0, 1]]
    beliefs = np.empty((2, 2))
    total = log_partition(False, *fixed, messages, sums, impossible, beliefs)
    assert total == pytest.approx(0.0)
    assert np.exp(beliefs).tolist() == [[1.0, 0.0], [1.0, 0.0]]


def test_damping_keeps_a_part_of_the_logarithm():
    rng = np.random.default_rng(0)
    table, unary = rng.normal(size=(3, 3)), [rng.normal(size=3) for _ in range(2)]
    fixed, messages, sums, impossible = one_factor(table, unary)
    send_messages(np.array([0]), True, 0.25, *fixed, messages, sums, impossible)
    np.testing.assert_allclose(messages[0], 0.75 * expected(table, unary, 0, True))


def test_contradictions_are_reported():
    table = np.full((2, 2), -np.inf)
    fixed, messages, sums, impossible = one_factor(table, [np.zeros(2), np.zeros(2)])
    assert np.isnan(send_messages(np.array([0]), False, 0.0, *fixed, messages, sums, impossible))
