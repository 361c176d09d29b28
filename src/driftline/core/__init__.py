"""Shared nouns: times, errors, randomness, array types, progress. Imports nothing else of driftline."""
