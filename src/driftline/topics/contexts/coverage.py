r"""The share of every topic in every context, with intervals and differences.

The share of a topic in a context is the share of the words that it generated: the shares m that maximise the likelihood
of the context's summed counts, by `driftline.topics.word_shares`, with

.. math:: G_w = \phi_w / (m \cdot \phi_w), \quad S_u = \sum_w c_{uw} (G_w - 1), \quad
          H = n \sum_w (m \cdot \phi_w) G_w G_w^\top, \quad V = H^+ \Bigl(\sum_u S_u S_u^\top\Bigr) H^+

the sandwich variance, where u are independent units: documents, days, authors or threads. The mean of the documents'
posterior shares would be shrunk towards the prior, most strongly in short documents, and its interval would miss the
truth. For the difference between a context and all other documents, the influence :math:`q_u` of a unit is computed
over both sets at once, so that effects common to a unit with documents in both sets cancel. With few units, no p-value
is smaller than the smallest that an exact permutation test allows (`driftline.smoothing.permutable_units`). A few units
may have most of the words; the degrees of freedom of a difference are therefore at most those that the words
:math:`L_u` of the units in A and in B allow, Welch's number with

.. math:: U_A = \Bigl(\sum_{u \in A} L_u^2\Bigr)^2 \Big/ \sum_{u \in A} L_u^4
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.stats import false_discovery_control

from driftline.core.arrays import Bools, Counts, Floats, Ints, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.fitted_models import FittedTopicModel
from driftline.core.pictures import MOST_BARS, Bars, Picture
from driftline.core.randomness import Seed
from driftline.core.results import Columns, Result, Results, counted
from driftline.core.times import Duration
from driftline.smoothing.unit_influence import (
    UnitErrors,
    difference_errors,
    mean_influence,
    unit_errors,
    welch_freedom,
)
from driftline.streams.units import Units
from driftline.topics.contexts.document_contexts import (
    DocumentContexts,
    check_shares,
    contexts_of,
    independent_units,
    smallest_p_values,
    sums_by_unit,
)
from driftline.topics.contexts.life_cycle import LifeCycle, life_cycles
from driftline.topics.fitted_counts import counts_for
from driftline.topics.over_time import N_REFITS, TopicsOverTime, topics_over_time
from driftline.topics.resampled_refits import refitted_topics
from driftline.topics.word_shares import word_shares


class _CoverageFields(NamedTuple):
    """The fields of `Coverage`."""

    contexts: tuple[str, ...]
    share: Floats
    lower: Floats
    upper: Floats
    difference: Floats
    difference_lower: Floats
    difference_upper: Floats
    p_value: Floats
    q_value: Floats
    differs: Bools
    n_documents: Ints
    n_words: Floats
    left_out: int
    unit: str
    n_units: int
    level: float
    uncertainty: Literal["given", "topics"]
    curves: tuple[TopicsOverTime | None, ...]
    life: Results[LifeCycle]
    smallest_p: Floats


class Coverage(Result, _CoverageFields):
    """The shares of topics by context; arrays are contexts × topics, unless they have one value per context.

    `share` lies between `lower` and `upper` with the confidence `level`; it is NaN in a context without words.
    `difference` is the share in the context minus the share in all other documents that have a context, with its
    interval, its `p_value`, and the false discovery rate `q_value` among all of them; `differs` marks those within 5 %.
    No p-value of a context is below its `smallest_p`, the smallest that its number of units allows. `left_out`
    documents have no context. With times, `curves` contains the shares of every context over time, and `life` the
    birth, peak and end of its topics. All of this is conditional on these topics, unless `uncertainty` is ``"topics"``.
    """

    __slots__ = ()

    def _columns(self) -> Columns:
        n_contexts, n_topics = self.share.shape
        arrays = {
            name: getattr(self, name).ravel()
            for name in (
                "share",
                "lower",
                "upper",
                "difference",
                "difference_lower",
                "difference_upper",
                "p_value",
                "q_value",
                "differs",
            )
        }
        return {
            "context": np.repeat(np.asarray(self.contexts, dtype=object), n_topics),
            "topic": np.tile(np.arange(n_topics), n_contexts),
            **arrays,
        }

    def _summary(self) -> str:
        n_contexts, n_topics = self.share.shape
        what = f"{counted(n_topics, 'topic')} in {counted(n_contexts, 'context')}"
        given = "given these topics" if self.uncertainty == "given" else "allowing for the error in the topics"
        units = f"{counted(self.n_units, 'unit')} ({self.unit})"
        return f"{what}, {int(self.differs.sum()):,} differences at 5 %, {given}, {units}"

    def _picture(self) -> Picture:
        size = np.where(self.differs, np.abs(np.nan_to_num(self.difference)), 0.0)
        places = np.argsort(-size, axis=None, kind="stable")[:MOST_BARS]
        rows, topics = np.unravel_index(places[size.ravel()[places] > 0], size.shape)
        names = [f"{self.contexts[c]}: topic {k}" for c, k in zip(rows.tolist(), topics.tolist())]
        return Bars(names, 100 * self.difference[rows, topics], "points more than elsewhere")


def coverage(
    model: FittedTopicModel,
    X: Matrix,
    *,
    by: object,
    times: Times = None,
    unit: object = "auto",
    level: float = 0.95,
    bandwidth: Duration = "auto",
    uncertainty: Literal["given", "topics"] = "given",
    n_refits: int = N_REFITS,
    random_state: Seed = 0,
) -> Coverage:
    """Return the share of every topic in every context, with intervals.

    Parameters
    ----------
    model : fitted topic model
        Anything with `components_`, topics × words.
    X : sparse or dense counts
        Documents × words.
    by : array, or mapping of names to arrays
        The context of every document: party, source, month; several arrays by name mean their combinations. None means
        that a document has no context.
    times : array, optional
        One per document. With times, the independent unit is the day, and every context has curves and life cycles.
    unit : "auto", "day", duration, "document", or array of authors or threads
        The independent unit. If a context has few units, hardly any difference can be significant; ``"document"`` is
        correct only if documents of the same day are independent.
    level : float
        The confidence of each interval.
    bandwidth : number, duration or "auto"
        The bandwidth of the curves.
    uncertainty : "given" or "topics"
        ``"given"`` treats the topics as known. ``"topics"`` refits the model to `n_refits` resamples of the units, so
        that intervals and p-values include the error in the topics.
    n_refits : int
        Number of resamples.
    random_state : int, generator or None
        The seed of resamples and of the trends of the curves.

    >>> topics = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])
    >>> class Known:
    ...     components_ = topics
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.multinomial(8, [0.4, 0.5, 0.1], 100), rng.multinomial(8, [0.1, 0.5, 0.4], 100)])
    >>> found = coverage(Known, X, by=["left"] * 100 + ["right"] * 100)
    >>> found.share.round(1), found.differs.all()
    (array([[0.8, 0.2], [0.2, 0.8]]), np.True_)
    """
    if uncertainty not in ("given", "topics"):
        raise InvalidInput(f"uncertainty must be 'given' or 'topics', not {uncertainty!r}")
    check_shares(level=level)
    if times is None and not (isinstance(bandwidth, str) and bandwidth == "auto"):
        raise InvalidInput("bandwidth= is that of curves over time, which need times=")
    counts = counts_for(model, X, "coverage")
    contexts = contexts_of(by, counts.shape[0])
    units = independent_units(times, unit, counts.shape[0])
    found = _estimates(model.components_, counts, contexts, units)
    errors, of_differences = found.error, found.difference_error
    if uncertainty == "topics":
        refits = [
            _estimates(refit.components, counts, contexts, units, refit.weight)
            for refit in refitted_topics(model, counts, units, n_refits, random_state)
        ]
        errors = _at_least(errors, found.share, [refit.share for refit in refits])
        of_differences = _at_least(of_differences, found.difference, [refit.difference for refit in refits])
    half, difference = errors.half_width(level), found.difference
    smallest_p = smallest_p_values(contexts, units)
    difference_half = np.where(smallest_p[:, None] > 1 - level, np.inf, of_differences.half_width(level))
    p_value = np.maximum(of_differences.p_values(difference), smallest_p[:, None])
    q_value = np.ones_like(p_value)
    if contexts.n > 1:
        q_value = false_discovery_control(p_value, axis=None).reshape(p_value.shape)
    curves = _curves(model, counts, contexts, times, unit, level, bandwidth, random_state)
    return Coverage(
        contexts.names,
        found.share,
        np.clip(found.share - half, 0.0, 1.0),
        np.clip(found.share + half, 0.0, 1.0),
        difference,
        np.clip(difference - difference_half, -1.0, 1.0),
        np.clip(difference + difference_half, -1.0, 1.0),
        p_value,
        q_value,
        q_value <= 0.05,
        np.bincount(contexts.codes[contexts.codes >= 0], minlength=contexts.n),
        found.n_words,
        contexts.left_out,
        units.kind,
        units.n,
        level,
        uncertainty,
        curves,
        _life(contexts.names, curves),
        smallest_p,
    )


class _Estimates(NamedTuple):
    """Shares in each context, and their differences from all others, contexts × topics, with errors; word counts."""

    share: Floats
    error: UnitErrors
    difference: Floats
    difference_error: UnitErrors
    n_words: Floats


def _estimates(
    components: Floats, counts: Counts, contexts: DocumentContexts, units: Units, weight: Floats | None = None
) -> _Estimates:
    rows = []
    for context in range(contexts.n):
        inside = contexts.members(context)
        share, influence, words = _one(components, counts, units, inside, weight)
        elsewhere, others, other_words = _one(components, counts, units, (contexts.codes >= 0) & ~inside, weight)
        n_words = float(words.sum())
        errors = difference_errors(influence, others, (n_words, float(other_words.sum())))
        allowed = freedom_of_sizes(influence, words, others, other_words)
        errors = errors._replace(freedom=np.minimum(errors.freedom, allowed))
        rows.append((share, unit_errors(influence), share - elsewhere, errors, n_words))
    shares, own_errors, differences, of_differences, sizes = zip(*rows)
    return _Estimates(
        np.array(shares),
        UnitErrors.stacked(own_errors),
        np.array(differences),
        UnitErrors.stacked(of_differences),
        np.array(sizes),
    )


def _one(
    components: Floats, counts: Counts, units: Units, members: Bools, weight: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """Return the topic shares of some documents, and the influence and the number of words of every unit."""
    summed = sums_by_unit(counts, units, members)[0]
    if weight is not None:
        summed = summed * weight[:, None]
    written, words = word_shares(components, summed)
    total = float(words.sum())
    if not total:
        return np.full(len(components), np.nan), np.full(written.shape, np.nan), words
    # The estimate is linear in the units and may fall below zero by chance, so it is clipped
    return np.clip(written.sum(axis=0) / total, 0.0, 1.0), mean_influence(written, words), words


def freedom_of_sizes(first: Floats, first_words: Floats, second: Floats, second_words: Floats) -> Floats:
    """Return the degrees of freedom of differences that the numbers of words of the units allow.

    `first` and `second` are the influences of the units on both estimates, units × topics.

    >>> each = np.array([[1.0], [-1.0], [1.0]])
    >>> freedom_of_sizes(each, np.array([1.0, 1.0, 1.0]), each, np.array([1.0, 1.0, 1.0]))
    array([4.])
    >>> freedom_of_sizes(each, np.array([9.0, 1.0, 1.0]), each, np.array([1.0, 1.0, 1.0])).round(1)
    array([2.7])
    """
    sizes = [effective_units(words) for words in (first_words, second_words)]
    return welch_freedom((first**2).sum(axis=0), sizes[0], (second**2).sum(axis=0), sizes[1])


def effective_units(words: Floats) -> float:
    """Return the number of units of equal size that would allow the same degrees of freedom.

    >>> effective_units(np.ones(5)), effective_units(np.array([100.0, 1.0, 1.0])).__round__(3)
    (5.0, 1.0)
    """
    squares = words**2
    total = float((squares**2).sum())
    return float(squares.sum()) ** 2 / total if total > 0 else 0.0


def _at_least(errors: UnitErrors, found: Floats, refits: list[Floats]) -> UnitErrors:
    """Return the errors, enlarged to the root mean squared deviation of refits from the estimate."""
    deviation = np.sqrt(np.mean([(refit - found) ** 2 for refit in refits], axis=0))
    return errors._replace(error=np.fmax(errors.error, deviation))


def _curves(
    model: FittedTopicModel,
    counts: Counts,
    contexts: DocumentContexts,
    times: Times,
    unit: object,
    level: float,
    bandwidth: Duration,
    random_state: Seed,
) -> tuple[TopicsOverTime | None, ...]:
    if times is None:
        return ()
    at = np.asarray(times)
    found: list[TopicsOverTime | None] = []
    for context in range(contexts.n):
        rows = np.flatnonzero(contexts.members(context))
        if not counts[rows].nnz:
            found.append(None)
            continue
        own: Any = unit if isinstance(unit, str) else np.asarray(unit.index if isinstance(unit, Units) else unit)[rows]
        found.append(
            topics_over_time(
                model,
                counts[rows],
                times=at[rows],
                unit=own,
                level=level,
                bandwidth=bandwidth,
                random_state=random_state,
            )
        )
    return tuple(found)


def _life(names: tuple[str, ...], curves: tuple[TopicsOverTime | None, ...]) -> Results[LifeCycle]:
    n_tests = sum(len(each.share) for each in curves if each is not None)
    cycles = [
        cycle for name, each in zip(names, curves) if each is not None for cycle in life_cycles(name, each, n_tests)
    ]
    return Results(LifeCycle, cycles, name="context", quantity="peak_share")
