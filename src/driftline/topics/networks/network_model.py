"""Base of the topic models of linked documents: the fit, the links and the attributes."""

from __future__ import annotations

import warnings
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from driftline.base.state_layout import Layout, Number
from driftline.core.arrays import Ints, Matrix
from driftline.core.randomness import generator
from driftline.inference.pairs import Pairs
from driftline.inference.stopping import LittleMoved
from driftline.topics.em_topics import EM_STATE, EmTopics
from driftline.topics.networks.link_weights import checked_links, number_of_self_links, row_weights
from driftline.topics.networks.linked_em import METHOD, Linked
from driftline.topics.networks.neighbour_start import neighbour_start, random_start


class NetworkModel(EmTopics):
    """Base of `NetworkTopics` and `NetworkPLSA`."""

    start: str

    _state_layout: ClassVar[Layout | None] = {
        **EM_STATE,
        "n_links_": Number(least=0, whole=True),
        "n_self_links_": Number(least=0, whole=True),
    }

    def _learn(
        self,
        X: Matrix,
        links: Matrix | None,
        *,
        strength: float,
        inner_steps: int,
        directed: bool,
        plain_steps: int = 0,
        start_strength: float = 0.0,
    ) -> None:
        X = self._check_counts(X, reset=True)
        rng = generator(self.random_state)
        given = checked_links(links, X.shape[0])
        self.n_self_links_ = number_of_self_links(links)
        self.n_links_ = int(given.nnz)
        if self.n_self_links_:
            warnings.warn(
                f"{self.n_self_links_} documents are linked to themselves; these links are left out", stacklevel=3
            )
        begun = neighbour_start(X, given, self.n_topics, rng) if self.start == "neighbours" else None
        used = given if directed else sp.csr_array(given + given.T)
        worth = start_strength * np.diff(used.indptr)[:, None]
        problem = Linked(
            Pairs.of(sp.csr_matrix(X)),
            np.asarray(X.sum(axis=1)).ravel(),
            row_weights(used),
            random_start(X, self.n_topics, rng) if begun is None else begun,
            float(strength),
            inner_steps,
            plain_steps,
            float(self.smoothing),
            None if begun is None or not worth.any() else worth * begun.shares,
        )
        found = self._run_em(METHOD, problem, LittleMoved(self.tolerance), rng)
        self.components_, self.document_shares_ = np.ascontiguousarray(found.topics.T), found.shares

    @property
    def labels_(self) -> Ints:
        """The main topic of every document of the fit."""
        found: Ints = self.document_shares_.argmax(axis=1)
        return found
