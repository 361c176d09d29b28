"""The posterior of binary features of a few rows, by writing down every matrix."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.stats import multivariate_normal

from driftline.nonparametric.priors.indian_buffet_process import IndianBuffetProcess


def as_class(Z):
    """Return a binary matrix up to the order of its columns; empty columns are left out."""
    return tuple(sorted(tuple(int(value) for value in column) for column in np.asarray(Z).T if column.any()))


def log_rows(X, Z, noise, effect):
    """Return the log-density of rows: every column is normal with covariance ZZ' effect + noise."""
    covariance = effect * Z @ Z.T + noise * np.eye(len(X))
    return float(sum(multivariate_normal(np.zeros(len(X)), covariance).logpdf(column) for column in np.asarray(X).T))


def feature_posterior(X, mass, noise, effect, most):
    """Return the probability of every class of matrices with at most this number of features."""
    columns = [column for column in itertools.product((0, 1), repeat=len(X)) if any(column)]
    found = {}
    for n in range(most + 1):
        for chosen in itertools.combinations_with_replacement(columns, n):
            Z = np.array(chosen, dtype=float).reshape(n, len(X)).T
            found[as_class(Z)] = IndianBuffetProcess(mass).log_probability(Z) + log_rows(X, Z, noise, effect)
    logs = np.array([*found.values()])
    shares = np.exp(logs - np.logaddexp.reduce(logs))
    return dict(zip(found, shares))
