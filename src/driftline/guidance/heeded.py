"""Whether the wishes of a guide were heeded: measured on the fitted model, with the guide and from the words alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.guidance.guide import Guide
from driftline.guidance.wish_report import WishReport
from driftline.guidance.wishes import (
    KeepWish,
    LabelWish,
    LinkWish,
    MergeWish,
    PairWish,
    ProportionWish,
    SpreadWish,
    TopicWish,
    Wish,
)
from driftline.inference.guide_arrays import GuideArrays, PlacedWish
from driftline.inference.projection import Multipliers, group_shares
from driftline.inference.word_maps import mapped_counts, mapped_rows, profile_overlap

HALF = 0.5
"""Minimum share at which a wish about words, labels, kept topics or similar documents counts as heeded."""
ALIKE, UNLIKE = 0.7, 0.1
"""Minimum overlap of the topics of words that are together, and maximum overlap of those that are apart."""
NEARLY, NEARLY_SHARE, NEARLY_LEAST = 0.01, 0.2, 0.001
"""Maximum distance from its bounds at which a proportion holds, as a share of all, and as a share of the bound, but not
below the last."""
TINY = 1e-300


class UnheededWishWarning(UserWarning):
    """A wish of a guide was not heeded by the fit."""


class Evidence(NamedTuple):
    """The values of a fitted model from which wishes are measured.

    `counts` are the expected counts of words × topics without any prior, `shares` the topics of documents from their
    words alone and `guided` with all priors (None if no wish needs them; both at least for `measured_documents`),
    `lengths` the weights of the documents, `multipliers` those of proportions (groups × topics), and `bounded` the
    topics' shares of the groups that the fit found with them.
    """

    counts: Floats
    components: Floats
    shares: Floats | None = None
    guided: Floats | None = None
    lengths: Floats | None = None
    multipliers: Floats | None = None
    bounded: Floats | None = None

    def with_bounds(self, found: Multipliers | None) -> Evidence:
        """Return the evidence with the multipliers of a fit."""
        return self if found is None else self._replace(multipliers=found.values, bounded=found.shares)


def needs_documents(guide: Guide) -> bool:
    """Return whether the report of a guide needs the topics of the documents."""
    return any(isinstance(wish, LabelWish | LinkWish | ProportionWish | SpreadWish) for wish in guide.wishes)


def measured_documents(guide: Guide, arrays: GuideArrays, n_documents: int) -> Ints:
    """Return the documents whose topics the report of a guide needs."""
    if any(isinstance(wish, ProportionWish) for wish in guide.wishes):
        return np.arange(n_documents)
    rows = [
        placed.documents
        for wish, placed in zip(guide.wishes, arrays.placed)
        if isinstance(wish, LabelWish | LinkWish | SpreadWish)
    ]
    links = arrays.documents.links
    found: Ints = np.unique(np.concatenate([*rows, [] if links is None else links.indices])).astype(np.int64)
    return found


def wish_reports(guide: Guide, arrays: GuideArrays, evidence: Evidence, *, warn: bool = True) -> list[WishReport]:
    """Return the outcome of every wish; with `warn`, warn about those that were not heeded."""
    found = []
    for wish, placed in zip(guide.wishes, arrays.placed):
        measure = next((one for kind, one in MEASURES.items() if isinstance(wish, kind)), _nothing)
        name, without, with_guide, heeded = measure(wish, placed, arrays, evidence)
        notes = placed.notes
        if isinstance(wish, ProportionWish):
            notes = (*notes, *_multiplier_notes(placed, evidence.multipliers))
        found.append(WishReport(wish.described(), bool(heeded), name, float(without), float(with_guide), notes))
    if warn:
        warn_of_unheeded(found)
    return found


def warn_of_unheeded(reports: list[WishReport]) -> None:
    """Warn about wishes that were not heeded."""
    unheeded = [report for report in reports if not report.heeded]
    if unheeded:
        listed = "; ".join(f"{one.name} ({_measured(one)})" for one in unheeded)
        warnings.warn(f"not heeded: {listed}", UnheededWishWarning, stacklevel=4)


def _measured(report: WishReport) -> str:
    """Return the value that a report has, or its notes if nothing could be measured."""
    if np.isnan(report.with_guide):
        return "; ".join(report.notes) or "nothing is left of it"
    return f"{report.measure} {report.with_guide:.2f}"


Measured = tuple[str, float, float, bool]


def _topic(wish: TopicWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return the share of its words' uses that a topic has; it must have none of banned words."""
    banned = placed.documents  # columns of words that are never in the topic
    clean = not len(banned) or float(evidence.components[placed.topic, banned].max()) <= TINY
    if not len(placed.words):
        if not len(banned):
            return _nothing(wish, placed, arrays, evidence)
        return (
            "share of banned words in the topic",
            np.nan,
            float(evidence.components[placed.topic, banned].sum()),
            clean,
        )
    counts = evidence.counts[placed.words]
    totals = counts.sum(axis=1)
    share = float(np.mean(np.divide(counts[:, placed.topic], totals, out=np.zeros(len(totals)), where=totals > 0)))
    return "share of the words' uses in the topic", placed.before, share, clean and share >= HALF


def _pair(wish: PairWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return the overlap of the topics of the words, from the words alone and with the guide."""
    if arrays.groups is None or len(placed.words) < 2:  # only one of the words is known
        return "overlap of the words' topics", np.nan, np.nan, False
    rows = mapped_rows(arrays.groups)
    at = np.searchsorted(rows, placed.words)
    raw = evidence.counts[rows]
    without, after = profile_overlap(raw[at]), profile_overlap(mapped_counts(raw, arrays.groups)[at])
    return "overlap of the words' topics", without, after, after <= UNLIKE if wish.apart else after >= ALIKE


def _keep(wish: KeepWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return the smallest cosine between the kept topics and the fitted ones."""
    target = () if placed.target is None else placed.target
    found = [cosine(row, evidence.components[k]) for row, k in zip(target, placed.documents)]
    return "smallest cosine with the kept topic", np.nan, min(found, default=np.nan), min(found, default=1.0) >= HALF


def _merge(wish: MergeWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return the cosine between the sum of the merged topics and the fitted one."""
    if placed.target is None:
        return _nothing(wish, placed, arrays, evidence)
    found = cosine(placed.target[0], evidence.components[placed.topic])
    return "cosine with the sum of the merged topics", np.nan, found, found >= HALF


def _label(wish: LabelWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return the share of labelled documents whose largest topic is the label; if all are unknown, it is not heeded."""
    if evidence.shares is None or evidence.guided is None or not len(placed.documents):
        return "share of labelled documents with the topic first", np.nan, np.nan, not len(wish.documents)
    without, after = (
        float((shares[placed.documents].argmax(axis=1) == placed.topic).mean())
        for shares in (evidence.shares, evidence.guided)
    )
    return "share of labelled documents with the topic first", without, after, after >= HALF


def _spread(wish: SpreadWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return the share of documents whose largest topic, of those with words, is the classifier's."""
    name, plain = "share of documents with the classifier's topic first", arrays.documents.plain
    if plain is None or evidence.shares is None or evidence.guided is None or not len(placed.documents):
        return name, np.nan, np.nan, False
    rows, topics = plain[placed.documents].toarray(), np.unique(plain.indices)
    first = rows[:, topics].argmax(axis=1)
    without, after = (
        float((shares[np.ix_(placed.documents, topics)].argmax(axis=1) == first).mean())
        for shares in (evidence.shares, evidence.guided)
    )
    return name, without, after, after >= HALF


def _link(wish: LinkWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return the similarity of linked documents, Σ_k θ_dk θ_jk, averaged over links; not heeded if none is left."""
    links = arrays.documents.links
    if not len(placed.documents) and len(wish.sources):
        return "similarity of linked documents", np.nan, np.nan, False
    if links is None or evidence.shares is None or evidence.guided is None or not links.nnz:
        return "similarity of linked documents", np.nan, np.nan, True
    edges = links.tocoo()
    without, after = (
        float((shares[edges.row] * shares[edges.col]).sum(axis=1).mean())
        for shares in (evidence.shares, evidence.guided)
    )
    return "similarity of linked documents", without, after, after >= without


def _proportion(wish: ProportionWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return the topic's share, from the words alone and with the multipliers; of several groups, that of the worst."""
    bounds, k = arrays.bounds, placed.topic
    if bounds is None or evidence.shares is None or evidence.lengths is None or evidence.bounded is None:
        return "share of the topic", np.nan, np.nan, False
    without = group_shares(evidence.shares, bounds, evidence.lengths)[placed.documents, k]
    after = evidence.bounded[placed.documents, k]
    below, above = wish.low - after, after - wish.high
    worst = int(np.maximum(below, above).argmax())
    holds = below[worst] <= _allowed(wish.low) and above[worst] <= _allowed(wish.high)
    return "share of the topic", without[worst], after[worst], bool(holds)


def _allowed(bound: float) -> float:
    """Return the distance from a bound at which a share still holds: less if the bound is small."""
    return min(NEARLY, max(NEARLY_LEAST, NEARLY_SHARE * bound))


def _multiplier_notes(placed: PlacedWish, multipliers: Floats | None) -> tuple[str, ...]:
    """Return the factors e^−λ by which the bounds of a topic change its odds; of several sets, the extremes."""
    if multipliers is None or not len(multipliers):
        return ()
    factors = np.unique(np.exp(-multipliers[placed.documents, placed.topic]))
    if np.allclose(factors, 1.0):
        return ("the bounds hold without a multiplier",)
    shown = f"{factors[0]:.3g}" if len(factors) == 1 else f"{factors[0]:.3g} to {factors[-1]:.3g}"
    return (f"the bounds multiply the topic's odds in every document by {shown}",)


def _nothing(wish: Wish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    return "", np.nan, np.nan, True


def cosine(a: Floats, b: Floats) -> float:
    """Return the cosine of two vectors; zero if one is zero.

    >>> cosine(np.array([1.0, 0.0]), np.array([1.0, 1.0])).__round__(3)
    0.707
    """
    norm = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / norm if norm else 0.0


MEASURES: dict[type, Callable[..., Measured]] = {
    TopicWish: _topic,
    PairWish: _pair,
    KeepWish: _keep,
    LabelWish: _label,
    SpreadWish: _spread,
    LinkWish: _link,
    ProportionWish: _proportion,
    MergeWish: _merge,
}
"""The measure of each kind of wish."""
