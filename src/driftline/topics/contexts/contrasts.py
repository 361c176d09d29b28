r"""The words in which groups differ within a topic, with intervals.

A topic of a pooled fit has :math:`x_{dw} = c_{dw}\, \theta_{dk} \phi_{kw} / \sum_j \theta_{dj} \phi_{jw}` expected uses
of word w in document d. Group A has :math:`a_w` of them out of a, the others B have :math:`b_w` out of b. The log ratio
of the word's shares is shrunk by τ = 10 prior uses of each word, divided between A and B in proportion to the topic's
uses in them,

.. math:: \delta_w = \ln \frac{(a_w + \tau_A)/a}{(b_w + \tau_B)/b}, \qquad
          \tau_A = \tau \frac{a}{a + b}, \quad \tau_B = \tau \frac{b}{a + b},                             \tag{1}

and its variance is computed over independent units u (documents, authors, days), not over uses,

.. math:: q_{uw} = \frac{x^A_{uw} - x^A_u a_w / a}{a_w + \tau_A} - \frac{x^B_{uw} - x^B_u b_w / b}{b_w + \tau_B},
          \qquad V_w = \sum_u q_{uw}^2.                                                                  \tag{2}

A word that is missing from a group by chance would have too small a variance. The variance is therefore bounded below
by its value if groups were assigned to the units at random, a share π of them to A, with the pooled share :math:`r_w =
(a_w + b_w)/(a + b)`:

.. math:: V_w \ge \pi (1 - \pi) \sum_u (x_{uw} - x_u r_w)^2
          \Bigl(\frac{1}{a r_w + \tau_A} + \frac{1}{b r_w + \tau_B}\Bigr)^2, \qquad
          z_w = \delta_w / \sqrt{V_w}.                                                                   \tag{3}

Because z is not normal for words in few documents, groups are shuffled among the units `N_SHUFFLES` times, and the
pooled |z| of all words form the null distribution for p-values, false discovery rates (Benjamini and Hochberg) and the
quantile of the intervals. With few units there are few distinct assignments, so no p-value is smaller than the smallest
that an exact permutation test allows (`driftline.smoothing.permutable_units`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import false_discovery_control

from driftline.core.arrays import Bools, Counts, Floats, Ints, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.fitted_models import FittedTopicModel
from driftline.core.pictures import MOST_BARS, Bars, Picture
from driftline.core.progress import track
from driftline.core.randomness import Seed, spawn
from driftline.core.results import Columns, Result, counted
from driftline.streams.units import Units
from driftline.text.word_columns import words_at
from driftline.topics.contexts.document_contexts import (
    check_shares,
    check_two,
    contexts_of,
    independent_units,
    smallest_p_values,
)
from driftline.topics.contexts.shuffled_groups import shuffled
from driftline.topics.fitted_counts import counts_for

PRIOR = 10.0
"""τ."""
N_SHUFFLES = 30
FEWEST_DOCUMENTS = 10
_USED = 0.5
"""Minimum expected uses of a word in a topic for a document to count as containing it."""


class _ContrastsFields(NamedTuple):
    """The fields of `Contrasts`."""

    topic: Ints
    group: tuple[str, ...]
    columns: Ints
    words: tuple[str | int, ...]
    log_ratio: Floats
    error: Floats
    lower: Floats
    upper: Floats
    p_value: Floats
    q_value: Floats
    differs: Bools
    in_group: Floats
    elsewhere: Floats
    share_in_group: Floats
    share_elsewhere: Floats
    n_documents: Ints
    unit: str
    level: float
    left_out: int
    smallest_p: Floats


class Contrasts(Result, _ContrastsFields):
    """Result of `contrasts`, one value per tested word of a topic and a group.

    `log_ratio` is the shrunken log ratio of the word's share of the topic in the `group` to its share elsewhere,
    between `lower` and `upper` with the confidence `level`; `error` is its standard error. `q_value` is the false
    discovery rate among all tested words, `differs` marks the words within the limit. `in_group` and `elsewhere` are
    the word's expected uses in the topic, `share_in_group` and `share_elsewhere` their shares of all uses, and
    `n_documents` the number of documents that use it there. `smallest_p` is the smallest p-value that the number of
    units of each group allows. All of this is conditional on these topics.
    """

    __slots__ = ()

    def significant(self, topic: int | None = None) -> list[tuple[int, str, str | int, float]]:
        """Return topic, group, word and log ratio of the words that differ, the most certain first."""
        chosen = np.flatnonzero(self.differs & ((self.topic == topic) if topic is not None else True))
        order = chosen[np.argsort(self.p_value[chosen] - 1e-9 * np.abs(self.log_ratio[chosen]), kind="stable")]
        return [(int(self.topic[i]), self.group[i], self.words[i], float(self.log_ratio[i])) for i in order.tolist()]

    def _columns(self) -> Columns:
        arrays = {name: part for name, part in self._asdict().items() if isinstance(part, np.ndarray)}
        del arrays["smallest_p"]
        arrays["column"] = arrays.pop("columns")
        names = {
            "group": np.asarray(self.group, dtype=object),
            "word": np.array([str(word) for word in self.words], object),
        }
        return {"topic": arrays.pop("topic"), **names, **arrays}

    def _summary(self) -> str:
        words = f"{counted(len(self.columns), 'word')} of topics tested, {int(self.differs.sum()):,} differ"
        return f"{words}, given these topics (unit: {self.unit})"

    def _picture(self) -> Picture:
        shown = self.significant()[:MOST_BARS]
        names = [f"{word} (topic {topic}, {group})" for topic, group, word, _ in shown]
        return Bars(names, np.array([ratio for *_, ratio in shown]), "log ratio")


def contrasts(
    model: FittedTopicModel,
    X: Matrix,
    *,
    between: object,
    times: Times = None,
    unit: object = "auto",
    prior: float = PRIOR,
    min_documents: int = FEWEST_DOCUMENTS,
    false_discovery_rate: float = 0.05,
    level: float = 0.95,
    n_shuffles: int = N_SHUFFLES,
    random_state: Seed = 0,
) -> Contrasts:
    """Return the words in which groups of documents differ within topics.

    Parameters
    ----------
    model : fitted topic model
        With `components_` and `transform`, fitted to the documents of all groups together.
    X : sparse or dense counts
        Documents × words.
    between : array
        The group of every document. Two groups are compared with each other; of more than two, each is compared with
        all others.
    times : array, optional
        One per document. With times, the independent unit is the day.
    unit : "auto", "day", duration, "document", or array of authors or threads
        The independent unit, as in `coverage`.
    prior : float
        τ of Eq. 1.
    min_documents : int
        Minimum number of documents that use a tested word in the topic.
    false_discovery_rate, level : float
        The false discovery rate among the words marked by `differs`; the confidence of each interval.
    n_shuffles : int
        Number of shuffles for the null distribution.
    random_state : int, generator or None
        The seed of the shuffles.

    >>> rng = np.random.default_rng(0)
    >>> from driftline.topics import LDA
    >>> A, B = rng.multinomial(20, [0.5, 0.3, 0.2], 200), rng.multinomial(20, [0.5, 0.2, 0.3], 200)
    >>> X = np.vstack([A, B])
    >>> model = LDA(1, random_state=0, vocabulary=["screen", "fan", "battery"]).fit(X)
    >>> found = contrasts(model, X, between=["one"] * 200 + ["other"] * 200)
    >>> [(word, round(ratio, 1)) for _, _, word, ratio in found.significant()]
    [('fan', 0.4), ('battery', -0.4)]
    """
    check_shares(false_discovery_rate=false_discovery_rate, level=level)
    if not prior > 0 or n_shuffles < 1 or min_documents < 1:
        raise InvalidInput("prior must be above 0, and n_shuffles and min_documents at least 1")
    counts = counts_for(model, X, "contrasts")
    groups = contexts_of(between, counts.shape[0], "between")
    check_two(groups, "between")
    units = independent_units(times, unit, counts.shape[0])
    generators = spawn(random_state, n_shuffles)
    assignments = [groups.codes, *(shuffled(groups.codes, units, rng) for rng in generators)]
    compared = range(1) if groups.n == 2 else range(groups.n)
    rows: list[_Tested] = []
    null: list[Floats] = []
    for topic, uses in track(_expected_uses(model, counts), "comparing groups", total=len(model.components_)):
        used = np.asarray((uses >= _USED).sum(axis=0)).ravel() if groups.left_out == 0 else _used(uses, groups.codes)
        columns = np.flatnonzero(used >= min_documents)
        if not len(columns):
            continue
        part = sp.csr_array(uses[:, columns])
        total = np.asarray(uses.sum(axis=1)).ravel()
        for context in compared:
            for number, codes in enumerate(assignments):
                found = _log_ratios(part, total, units, codes == context, (codes >= 0) & (codes != context), prior)
                if number:
                    null.append(np.abs(found.z))
                else:
                    rows.append(_Tested(topic, context, columns, used[columns], found))
    return _result(rows, null, groups, units, model, false_discovery_rate, level)


class _Ratios(NamedTuple):
    """δ and its standard error of every word, with a_w, b_w, a_w/a and b_w/b."""

    log_ratio: Floats
    error: Floats
    in_group: Floats
    elsewhere: Floats
    share_in_group: Floats
    share_elsewhere: Floats

    @property
    def z(self) -> Floats:
        """z of Eq. 3."""
        found: Floats = self.log_ratio / np.maximum(self.error, np.finfo(np.float64).tiny)
        return found


class _Tested(NamedTuple):
    """The tested words of one topic and group."""

    topic: int
    context: int
    columns: Ints
    used: Ints
    found: _Ratios


def _expected_uses(model: FittedTopicModel, counts: Counts) -> Iterator[tuple[int, Counts]]:
    """Yield every topic with its expected uses x, documents × words."""
    shares, components = np.asarray(model.transform(counts)), np.asarray(model.components_)
    document = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    mixed = np.zeros(counts.nnz)
    for topic, words in enumerate(components):
        mixed += shares[document, topic] * words[counts.indices]
    ratio = np.divide(counts.data, mixed, out=np.zeros_like(mixed), where=mixed > 0)
    for topic, words in enumerate(components):
        uses = ratio * shares[document, topic] * words[counts.indices]
        yield topic, sp.csr_array((uses, counts.indices, counts.indptr), shape=counts.shape)


def _used(uses: Counts, codes: Ints) -> Ints:
    return np.asarray((uses[np.flatnonzero(codes >= 0)] >= _USED).sum(axis=0)).ravel()


def _log_ratios(uses: Counts, total: Floats, units: Units, inside: Bools, outside: Bools, prior: float) -> _Ratios:
    """Return δ (1) and its error (2, 3) of every word, for the documents of a group and those of the others."""
    sides = []
    for members in (inside, outside):
        rows = np.flatnonzero(members)
        gather = sp.csr_array((np.ones(len(rows)), (units.index[rows], rows)), shape=(units.n, uses.shape[0]))
        sides.append((gather @ uses, gather @ total))
    (x_a, n_a), (x_b, n_b) = sides
    a, b = max(float(n_a.sum()), 1e-12), max(float(n_b.sum()), 1e-12)
    a_w, b_w = (np.asarray(each.sum(axis=0)).ravel() for each in (x_a, x_b))
    full_a, full_b = a_w + prior * a / (a + b), b_w + prior * b / (a + b)
    sparse = sp.csr_array(x_a * (1 / full_a) - x_b * (1 / full_b))
    # q = sparse − n_a s_a + n_b s_b, where s_a and s_b have a value per word: squares without a dense matrix
    s_a, s_b = a_w / a / full_a, b_w / b / full_b
    squares = np.asarray(sparse.power(2).sum(axis=0)).ravel()
    squares += -2 * s_a * (sparse.T @ n_a) + 2 * s_b * (sparse.T @ n_b)
    squares += s_a**2 * (n_a @ n_a) + s_b**2 * (n_b @ n_b) - 2 * s_a * s_b * (n_a @ n_b)
    both, n, pooled = x_a + x_b, n_a + n_b, (a_w + b_w) / (a + b)
    spread = np.asarray(both.power(2).sum(axis=0)).ravel() - 2 * pooled * (both.T @ n) + pooled**2 * (n @ n)
    share = inside.sum() / max(inside.sum() + outside.sum(), 1)
    slope = 1 / (a * pooled + prior * a / (a + b)) + 1 / (b * pooled + prior * b / (a + b))
    squares = np.maximum(squares, share * (1 - share) * spread * slope**2)
    log_ratio = np.log(full_a / a) - np.log(full_b / b)
    return _Ratios(log_ratio, np.sqrt(np.maximum(squares, 0.0)), a_w, b_w, a_w / a, b_w / b)


def _result(
    rows: list[_Tested],
    null: list[Floats],
    groups: Any,
    units: Units,
    model: object,
    false_discovery_rate: float,
    level: float,
) -> Contrasts:
    def joined(pick: Callable[[_Tested], Any], kind: type) -> np.ndarray:
        return np.concatenate([np.empty(0, dtype=kind), *(np.asarray(pick(row), dtype=kind) for row in rows)])

    columns = joined(lambda row: row.columns, np.int64)
    ratio, error = joined(lambda row: row.found.log_ratio, np.float64), joined(lambda row: row.found.error, np.float64)
    z = np.abs(joined(lambda row: row.found.z, np.float64))
    pooled = np.sort(np.concatenate([np.empty(0), *null]))
    larger = len(pooled) - np.searchsorted(pooled, z, side="left")
    smallest_p = smallest_p_values(groups, units)
    context = joined(lambda row: np.full(len(row.columns), row.context), np.int64)
    p_value = np.maximum((1 + larger) / (1 + len(pooled)), smallest_p[context])
    q_value = false_discovery_control(p_value) if len(p_value) else p_value
    half = error * (float(np.quantile(pooled, level)) if len(pooled) else 0.0)
    half = np.where(smallest_p[context] > 1 - level, np.inf, half)
    vocabulary = getattr(model, "vocabulary", None)
    return Contrasts(
        joined(lambda row: np.full(len(row.columns), row.topic), np.int64),
        tuple(groups.names[c] for c in context.tolist()),
        columns,
        tuple(words_at(columns.tolist(), vocabulary)),
        ratio,
        error,
        ratio - half,
        ratio + half,
        p_value,
        q_value,
        q_value <= false_discovery_rate,
        joined(lambda row: row.found.in_group, np.float64),
        joined(lambda row: row.found.elsewhere, np.float64),
        joined(lambda row: row.found.share_in_group, np.float64),
        joined(lambda row: row.found.share_elsewhere, np.float64),
        joined(lambda row: row.used, np.int64),
        units.kind,
        level,
        groups.left_out,
        smallest_p,
    )
