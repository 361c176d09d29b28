"""Markov random fields: distributions given by factors; rules in logic are a special case."""

from driftline.graphs.fields.markov_random_field import MarkovRandomField

__all__ = ["MarkovRandomField"]
