"""Models whose size is found in the data."""

from driftline.nonparametric.dirichlet_process_mixture import DirichletProcessMixture

__all__ = ["DirichletProcessMixture"]
