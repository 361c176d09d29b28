"""The hot loops, compiled by Numba for the processor."""
