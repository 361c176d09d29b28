"""Weights in time: kernels and their moments, running sums, bandwidth choice, bands."""
