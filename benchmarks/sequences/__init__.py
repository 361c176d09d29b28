"""Sequences: hidden Markov models, conditional random fields, turning points, taggers."""
