"""A plan as plain values, as it is saved with a model."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

import numpy as np

from driftline.local.forward.reach import KINDS, Reach
from driftline.local.forward.rolling_origin import Plan

SavedPlan: TypeAlias = tuple[str, list[tuple[str, float, bool]], list[float], float]
"""Kind, reaches, penalties and the penalty of the base, as they are saved."""


def as_saved(plan: Plan) -> SavedPlan:
    """Return a plan as plain values."""
    kept = [(reach.kind, reach.size, reach.alone) for reach in plan.reaches]
    return plan.kind, kept, list(plan.penalties), plan.base_penalty


def from_saved(saved: SavedPlan) -> Plan:
    """Return the plan that was saved."""
    kind, kept, penalties, base_penalty = saved
    return Plan(kind, tuple(Reach(*reach) for reach in kept), tuple(penalties), base_penalty)


def is_plan(saved: SavedPlan, kinds: Collection[str]) -> bool:
    """Return whether a saved plan is of one of the kinds and can be carried out."""
    try:
        kind, kept, penalties, base_penalty = saved
        ok = kind in kinds and len(kept) == len(penalties) > 0
        return bool(
            ok
            and all(reach[0] in KINDS and reach[1] > 0 for reach in kept)
            and all(0 < C < np.inf for C in [*penalties, base_penalty])
        )
    except (TypeError, ValueError, IndexError):
        return False
