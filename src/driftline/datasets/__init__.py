"""Simulated streams whose truth is known."""
