"""Benchmarks, a folder per family: ours and the peers on the same work in one run, reported as ratios."""
