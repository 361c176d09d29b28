"""The target that loads: saved models, their bytes changed and their hashes repaired."""

from __future__ import annotations

import importlib.util

from tests.fuzz.targets import Target

TARGETS: list[Target] = []
if importlib.util.find_spec("tests.fuzz.saved_models") is not None:
    TARGETS += importlib.import_module("tests.fuzz.saved_models").TARGETS
