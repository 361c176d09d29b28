r"""Topics of documents that cite or answer each other: the shares of linked documents are a prior."""

from __future__ import annotations

import numbers
from typing import ClassVar

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.core.arrays import Labels, Matrix
from driftline.core.randomness import Seed
from driftline.text.vocabulary import WordList
from driftline.topics.em_topics import EM_PARAMETERS
from driftline.topics.networks.network_model import NetworkModel


class NetworkTopics(NetworkModel):
    r"""Find topics of linked documents: citations, replies.

    .. math:: \theta_d \sim \mathrm{Dir}(\alpha_d), \qquad \alpha_d = \lambda \sum_j w_{dj}\, \theta_j + \mu\, l_d\, s_d

    with the links :math:`w_{dj}` of document d, divided by their sum, their number :math:`l_d`, and the shares
    :math:`s_d` of the document in the start; fitted by EM. Without the last term this is iTopicModel (Sun et al. 2009).
    Links are directed: a document is shrunk towards those that it links to. Documents without links keep their own
    shares.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    strength : float
        λ: links together count as much as this number of words.
    plain_steps : int
        Number of initial steps in which links have no effect, for a random start.
    start : {"neighbours", "random"}
        ``"neighbours"`` starts from clusters of tf-idf rows averaged over two links, which alone already recover groups
        of linked documents well; ``"random"`` is the start of the paper.
    start_strength : float
        μ: number of words as which the clusters of the start count per link of a document; 0 uses them as a start only.
        The random start has no such term.
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
    >>> labels = NetworkTopics(n_topics=2, random_state=0).fit(X, links=links).labels_
    >>> labels[0] == labels[1] == labels[2] != labels[3] == labels[4] == labels[5]
    np.True_
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **EM_PARAMETERS,
        "strength": [Interval(numbers.Real, 0, None, closed="left")],
        "plain_steps": [Interval(numbers.Integral, 0, None, closed="left")],
        "start": [StrOptions({"neighbours", "random"})],
        "start_strength": [Interval(numbers.Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_topics: int = 20,
        strength: float = 20.0,
        plain_steps: int = 0,
        start: str = "neighbours",
        max_steps: int = 100,
        tolerance: float = 1e-3,
        smoothing: float = 1e-3,
        n_jobs: int | None = None,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
        start_strength: float = 1.0,
    ) -> None:
        super().__init__(n_topics, max_steps, tolerance, smoothing, n_jobs, vocabulary, random_state, verbose)
        self.strength = strength
        self.plain_steps = plain_steps
        self.start = start
        self.start_strength = start_strength

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None, *, links: Matrix | None = None) -> NetworkTopics:
        """Learn from documents × words counts and documents × documents `links`; `y` is ignored.

        A non-zero entry in row d is the weight of a link of d; for links without direction, pass a symmetric matrix.
        """
        self._learn(
            X,
            links,
            strength=self.strength,
            inner_steps=0,
            directed=True,
            plain_steps=self.plain_steps,
            start_strength=self.start_strength,
        )
        return self
