"""The target that loads: saved models, their arrays and numbers changed and their hashes repaired."""

from __future__ import annotations

from tests.fuzz.saved_models import TARGETS

__all__ = ["TARGETS"]
