"""Candidates of a forward validation as plain values, which can be saved and printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from driftline.local.forward.rolling_origin import Scored


def as_dict(scored: Scored, *, dated: bool) -> dict[str, object]:
    """Return a scored candidate as plain values; `dated` is whether times are dates."""
    return {
        "name": scored.plan.described(dated=dated),
        "kind": scored.plan.kind,
        "parts": [reach.described(dated=dated) for reach in scored.plan.reaches],
        "C": list(scored.plan.penalties),
        "accuracy": scored.accuracy,
        "log_loss": scored.log_loss,
        "accuracy_behind": [float(value) for value in scored.accuracy_behind],
        "loss_behind": [float(value) for value in scored.loss_behind],
        "wins": scored.wins,
    }


def lead_in_words(rival: Mapping[str, Any]) -> str:
    """Return a phrase for the distance of the best other candidate behind the chosen one, or ahead of it.

    >>> lead_in_words({"accuracy_behind": [0.012, 0.003, 0.021]})
    '1.2 points of accuracy behind (0.3 to 2.1)'
    >>> lead_in_words({"accuracy_behind": [-0.012, -0.021, -0.003]})
    '1.2 points of accuracy ahead (0.3 to 2.1)'
    """
    mean, low, high = (100 * value for value in rival["accuracy_behind"])
    if mean < 0:
        return f"{_points(-mean)} points of accuracy ahead ({_points(-high)} to {_points(-low)})"
    return f"{_points(mean)} points of accuracy behind ({_points(low)} to {_points(high)})"


def _points(value: float) -> str:
    """Return a number to one decimal, without a minus sign before zero.

    >>> _points(-0.01), _points(-0.06)
    ('0.0', '-0.1')
    """
    return f"{round(value, 1) + 0.0:.1f}"
