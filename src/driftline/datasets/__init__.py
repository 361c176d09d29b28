"""Simulated streams whose truth is known."""

from driftline.datasets.newswire import Burst, SimulatedNewswire, simulate_newswire

__all__ = ["Burst", "SimulatedNewswire", "simulate_newswire"]
