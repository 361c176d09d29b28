"""Parameters of the published method that its estimators have in common."""

from __future__ import annotations

from numbers import Integral, Real

from driftline.base.sklearn_private import Constraints, Interval, StrOptions

PAPER_PARAMETERS: Constraints = {
    "kernel": [StrOptions({"linear", "rbf", "cosine"})],
    "loss": [StrOptions({"squared", "hinge", "logistic"})],
    "gamma_a": [Interval(Real, 0, None, closed="neither")],
    "gamma_i": [Interval(Real, 0, None, closed="left")],
    "kernel_gamma": [Interval(Real, 0, None, closed="neither"), None],
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "graph_width": [Interval(Real, 0, None, closed="neither"), None],
    "laplacian": [StrOptions({"plain", "normalised"})],
    "weighting": [StrOptions({"auto", "tfidf"}), None],
    "n_jobs": [Integral, None],
}
"""Constraints of these parameters, for kernels that are computed from the documents."""
