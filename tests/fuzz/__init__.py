"""Fuzzing: structure-aware mutations of everything that driftline reads, for as many minutes as there are.

`python -m tests.fuzz --minutes 5` (or ``make fuzz MINUTES=5``) runs every target in turn. A case that fails is
minimised and kept in ``regressions/``, which the default suite replays.
"""
