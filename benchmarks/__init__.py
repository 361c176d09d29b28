"""Ours and the peers on the same work in one run, reported as ratios; `python -m benchmarks` lists and runs them."""
