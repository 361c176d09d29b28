"""Models whose size is inferred from the data."""

from driftline.nonparametric.dirichlet_process_mixture import DirichletProcessMixture

__all__ = ["DirichletProcessMixture"]
