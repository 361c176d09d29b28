r"""Ranking by the Markov random field of Metzler and Croft: terms, phrases and windows of a query."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.graphs.search.average_precision import ascend
from driftline.graphs.search.queries import Query
from driftline.graphs.search.query_features import (
    MOST_FULL_TERMS,
    TERM,
    Feature,
    Occurrences,
    features_of,
    occurrences,
    phrase_of,
)
from driftline.graphs.search.time_feedback import clustering, log_density, softmax

if TYPE_CHECKING:
    from driftline.graphs.search.search_index import SearchIndex

DEPENDENCE = ("independent", "sequential", "full")
POTENTIALS = ("dirichlet", "bm25")
TIMES = ("feedback", "always", None)
CLUSTERED = 3.0
"""Number of standard deviations above which the best documents count as clustered in time."""


class Ranking(NamedTuple):
    """The documents that match a query, best first, their scores, and whether their times were used."""

    docs: Ints
    scores: Floats
    used_time: bool
    notes: tuple[str, ...]


@dataclass(frozen=True)
class TermDependenceRanker:
    r"""Rank documents by terms, and by pairs of adjacent or nearby terms.

    A document d is scored by potentials f of the terms T, ordered phrases O (`#1`) and unordered windows U (`#uw8`) of
    a query,

    .. math:: s(d) = \lambda_T \sum_{t \in T} f(t, d) + \lambda_O \sum_{o \in O} f(o, d) + \lambda_U \sum_{u \in U}
              f(u, d),                                                                                            (1)

    with :math:`f(x, d) = \ln \frac{n_{xd} + \mu\, n_x / |C|}{|d| + \mu}` (2), or the potentials of BM25 (3). A feature
    that occurs in no document is left out: in (2) it would only penalise long documents.

    Parameters
    ----------
    dependence : {"sequential", "independent", "full"}
        Pairs of neighbouring terms; no pairs; or all subsets of terms, up to 8 terms (sequential beyond).
    potentials : {"dirichlet", "bm25"}
        (2) or (3).
    time : {"feedback", "always", None}
        Use the times of the best documents as evidence: only if they cluster, always, or never.
    weights : (float, float, float)
        :math:`\lambda` of (1) for terms, phrases and windows; `fit` selects them. Without pairs they are (1, 0, 0).
    smoothing : float
        :math:`\mu` of (2), in words.
    saturation, length_weight : float
        :math:`k_1` and b of BM25.
    n_best, span, time_weight : int, float, float
        Number of best documents whose times are used, days over which their evidence decays, and its weight.
    """

    dependence: str = "sequential"
    potentials: str = "dirichlet"
    time: str | None = "feedback"
    weights: tuple[float, float, float] = (0.8, 0.2, 0.0)
    smoothing: float = 1000.0
    saturation: float = 1.2
    length_weight: float = 0.75
    n_best: int = 50
    span: float = 10.0
    time_weight: float = 1.0

    def __post_init__(self) -> None:
        for name, known in (("dependence", DEPENDENCE), ("potentials", POTENTIALS), ("time", TIMES)):
            if getattr(self, name) not in known:
                raise InvalidInput(f"{name} must be one of {', '.join(map(repr, known))}, not {getattr(self, name)!r}")
        weights = tuple(float(weight) for weight in self.weights)
        if len(weights) != 3 or not all(0 <= weight < np.inf for weight in weights) or sum(weights) == 0:
            raise InvalidInput(f"weights must be three non-negative numbers, not all 0; not {self.weights!r}")
        object.__setattr__(self, "weights", weights)
        for name in ("smoothing", "saturation", "span", "time_weight"):
            if not 0 < getattr(self, name) < np.inf:
                raise InvalidInput(f"{name} must be a positive number, not {getattr(self, name)!r}")
        if not 0 <= self.length_weight <= 1:
            raise InvalidInput(f"length_weight must be from 0 to 1, not {self.length_weight!r}")
        if self.n_best < 2:
            raise InvalidInput(f"n_best must be at least 2, not {self.n_best!r}")

    def rank(self, index: SearchIndex, query: Query, around: tuple[float, float] | None = None) -> Ranking:
        """Return the matching documents of an index, best first.

        `around` is a period in days since 1970: documents outside it lose one point for every length of the period that
        they are away, and the times of the best documents are not used.
        """
        parts, matching = self._parts(index, query, self._weights)
        docs = np.flatnonzero(matching)
        scores = np.asarray(self._weights) @ parts[:, docs]
        if around is not None:
            scores -= _distance(index.days[docs], *around) / (around[1] - around[0])
        used_time = False
        if self.time is not None and around is None and len(docs) > 1:
            evidence = self._evidence(index, docs, scores)
            used_time = evidence is not None
            scores += 0.0 if evidence is None else evidence
        order = np.argsort(-scores, kind="stable")
        return Ranking(docs[order], scores[order], used_time, self._notes(query))

    def fit(
        self, index: SearchIndex, queries: Sequence[str], relevant: Sequence[Collection[int]]
    ) -> TermDependenceRanker:
        """Return a ranker with the weights that maximise the mean average precision of queries.

        `relevant` contains the numbers of the relevant documents of every query. Weights are found by coordinate ascent
        over their simplex; times are not used. Without pairs, there is nothing to select.
        """
        if len(queries) != len(relevant):
            raise InvalidInput(f"there are {len(queries)} queries, but relevant documents of {len(relevant)}")
        if not len(queries):
            raise InvalidInput("there are no queries; weights cannot be selected")
        if self.dependence == "independent":
            return self
        judged = []
        for text, numbers in zip(queries, relevant):
            parts, matching = self._parts(index, index.parse(text), (1.0, 1.0, 1.0))
            docs = np.flatnonzero(matching)
            judged.append((parts[:, docs], np.isin(docs, list(numbers)), len(numbers)))
        return dataclasses.replace(self, weights=ascend(judged))

    @cached_property
    def _weights(self) -> tuple[float, float, float]:
        return (1.0, 0.0, 0.0) if self.dependence == "independent" else self.weights

    def _parts(self, index: SearchIndex, query: Query, weights: Sequence[float]) -> tuple[Floats, Bools]:
        """Return the sums of (1) by kind of feature, kinds × documents, and which documents match."""
        n, n_tokens = len(index), index.n_tokens
        parts, matching = np.zeros((3, n)), np.zeros(n, dtype=np.bool_)
        n_features = [0, 0, 0]
        found: dict[Feature, Occurrences] = {}
        for feature in features_of(query, self.dependence):
            if weights[feature.kind] == 0 and feature.kind != TERM:
                continue
            if feature not in found:
                found[feature] = occurrences(feature, index.segments)
            docs, counts, total = found[feature]
            if not len(docs):
                continue
            if feature.kind == TERM:
                matching[docs] = True
            if self.potentials == "dirichlet":
                # (2) minus its value for a document without the feature, in a collection of equal lengths
                parts[feature.kind, docs] += np.log1p(counts * (n_tokens / (self.smoothing * total)))
                n_features[feature.kind] += 1
            else:
                parts[feature.kind, docs] += self._saturated(index, docs, counts)
        for kind in np.flatnonzero(n_features):
            parts[kind] += n_features[kind] * index.length_scores(self.smoothing)
        for phrase in query.phrases:
            has = np.zeros(n, dtype=np.bool_)
            has[occurrences(phrase_of(phrase), index.segments).docs] = True
            matching &= has
        return parts, matching

    def _saturated(self, index: SearchIndex, docs: Ints, counts: Floats) -> Floats:
        """Return the potentials of BM25 (3), with Lucene's inverse document frequency."""
        frequency = np.log1p((len(index) - len(docs) + 0.5) / (len(docs) + 0.5))
        relative = index.lengths[docs] * (len(index) / max(index.n_tokens, 1))
        norms = self.saturation * (1 - self.length_weight + self.length_weight * relative)
        found: Floats = frequency * counts / (counts + norms)
        return found

    def _evidence(self, index: SearchIndex, docs: Ints, scores: Floats) -> Floats | None:
        """Return the additions to all scores from the times of the best documents; None if these do not cluster."""
        n_best = min(self.n_best, len(docs))
        best = np.argpartition(-scores, n_best - 1)[:n_best]
        weights, times = softmax(scores[best]), index.days[docs[best]]
        clustered = clustering(times, weights, self.span, index.spread(self.span)) > CLUSTERED
        if self.time != "always" and not clustered:
            return None
        return self.time_weight * log_density(index.days[docs], times, weights, self.span)

    def _notes(self, query: Query) -> tuple[str, ...]:
        if self.dependence == "full" and len(query.terms) > MOST_FULL_TERMS:
            return (
                f"the query has {len(query.terms)} terms; beyond {MOST_FULL_TERMS}, only neighbouring pairs are used",
            )
        return ()


def _distance(times: Floats, start: float, end: float) -> Floats:
    """Return the distances of times from an interval."""
    found: Floats = np.maximum(np.maximum(start - times, times - end), 0.0)
    return found
