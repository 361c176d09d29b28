"""Probabilistic relational models: attributes of objects that depend on attributes of related objects."""

from driftline.graphs.relational.relational_model import RelationalModel

__all__ = ["RelationalModel"]
