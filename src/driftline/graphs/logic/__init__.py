"""Markov logic: weighted rules in first-order logic, grounded over finite domains."""

from driftline.graphs.logic.markov_logic import MarkovLogic

__all__ = ["MarkovLogic"]
