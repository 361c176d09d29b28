"""Documents of groups whose topic shares are known."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp

SHARES = np.array([[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]])


def two_groups(n_documents=400, n_words=12, seed=0, shares=SHARES):
    """Return a model with the true topics, counts and groups; documents scatter around the shares of their group."""
    rng = np.random.default_rng(seed)
    topics = 0.7 * rng.dirichlet(np.full(60, 0.1), len(shares[0])) + 0.3 / 60
    group = np.arange(n_documents) % len(shares)
    by_document = np.array([rng.dirichlet(4 * shares[g]) for g in group])
    counts = sp.csr_array(np.array([rng.multinomial(n_words, row) for row in by_document @ topics], dtype=float))
    return SimpleNamespace(components_=topics), counts, group


def authors_of_unequal_size(seed):
    """Return a model, counts, authors and a random half of them; four of thirty authors wrote most documents.

    Every author has own shares, and nothing differs between the halves.
    """
    rng = np.random.default_rng(seed)
    topics = 0.7 * rng.dirichlet(np.full(60, 0.1), 3) + 0.3 / 60
    author = np.repeat(np.arange(30), [90, 90, 60, 40] + [3] * 26)
    shares = rng.dirichlet(np.full(3, 1.0), 30)[author]
    counts = sp.csr_array(np.array([rng.multinomial(12, row) for row in shares @ topics], dtype=float))
    in_half = np.isin(author, rng.permutation(30)[:15])
    return SimpleNamespace(components_=topics), counts, author, in_half
