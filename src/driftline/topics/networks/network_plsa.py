r"""Topics of linked documents by regularised PLSA: shares of documents are averaged with those of their neighbours."""

from __future__ import annotations

import numbers
from typing import ClassVar

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.core.arrays import Labels, Matrix
from driftline.core.randomness import Seed
from driftline.text.vocabulary import WordList
from driftline.topics.em_topics import EM_PARAMETERS
from driftline.topics.networks.network_model import NetworkModel


class NetworkPLSA(NetworkModel):
    r"""Find topics that change little along links.

    After every step of EM for PLSA, the shares of a document are averaged with those of linked documents,
    :math:`\theta_d \leftarrow (1 - \gamma)\,\theta_d + \gamma \sum_j w_{dj}\,\theta_j`, `inner_steps` times (NetPLSA,
    Mei et al. 2008). Links have no direction. Documents without links keep their own shares.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    strength : float
        γ.
    inner_steps : int
        Number of averaging steps after every step of EM; more is not better.
    start : {"neighbours", "random"}
        ``"neighbours"`` starts from clusters of tf-idf rows averaged over two links, which alone already recover groups
        of linked documents well; ``"random"`` is the start of the paper.
    max_steps, tolerance : int, float
        Maximum number of EM steps, and the mean change in the shares of a document below which EM stops.
    smoothing : float
        Added to the count of every word in every topic.
    n_jobs, vocabulary, random_state, verbose
        Number of threads for the scores; the words of the columns; the seed; whether to show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_words)
        φ; rows sum to one.
    document_shares_ : ndarray of shape (n_documents, n_topics)
        θ of the documents of the fit, shrunk towards their neighbours.
    labels_ : ndarray of shape (n_documents,)
        The main topic of each.
    n_links_, n_self_links_ : int
        Number of links used, and number of self-links, which are left out.
    objective_ : ndarray
        The log-likelihood before every step; links may make it decrease.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0], [1, 1], [1, 1], [0, 3], [1, 1], [1, 1]])
    >>> links = np.zeros((6, 6))
    >>> links[[1, 2, 4, 5], [0, 1, 3, 4]] = 1  # two chains of three documents
    >>> labels = NetworkPLSA(n_topics=2, random_state=0).fit(X, links=links).labels_
    >>> labels[0] == labels[1] == labels[2] != labels[3] == labels[4] == labels[5]
    np.True_
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **EM_PARAMETERS,
        "strength": [Interval(numbers.Real, 0, 1, closed="both")],
        "inner_steps": [Interval(numbers.Integral, 1, None, closed="left")],
        "start": [StrOptions({"neighbours", "random"})],
    }

    def __init__(
        self,
        n_topics: int = 20,
        strength: float = 0.5,
        inner_steps: int = 10,
        start: str = "neighbours",
        max_steps: int = 100,
        tolerance: float = 1e-3,
        smoothing: float = 1e-3,
        n_jobs: int | None = None,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(n_topics, max_steps, tolerance, smoothing, n_jobs, vocabulary, random_state, verbose)
        self.strength = strength
        self.inner_steps = inner_steps
        self.start = start

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None, *, links: Matrix | None = None) -> NetworkPLSA:
        """Learn from documents × words counts and documents × documents `links`; `y` is ignored.

        A non-zero entry is the weight of a link in both directions.
        """
        self._learn(
            X,
            links,
            strength=self.strength,
            inner_steps=self.inner_steps,
            directed=False,
        )
        return self
