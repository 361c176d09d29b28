"""Shared concepts: times, errors, randomness, array types, progress. It imports no other layer of driftline."""
