"""Simulated streams with known truth."""

from driftline.datasets.newswire import Burst, SimulatedNewswire, simulate_newswire

__all__ = ["Burst", "SimulatedNewswire", "simulate_newswire"]
