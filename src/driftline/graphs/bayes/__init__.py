"""Bayesian networks over variables with finitely many states."""

from driftline.graphs.bayes.bayesian_network import BayesianNetwork

__all__ = ["BayesianNetwork"]
