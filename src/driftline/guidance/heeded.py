"""Whether the wishes of a guide were heeded: measured on the fitted model, with the guide and by the words alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats
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
from driftline.inference.projection import tilted
from driftline.inference.word_maps import mapped_counts, mapped_rows, profile_overlap

HALF = 0.5
"""Share from which on a wish about words, labels or similar documents is heeded."""
KEPT = 0.9
"""Cosine from which on a topic is the same as before."""
ALIKE, UNLIKE = 0.7, 0.1
"""Overlap of the topics of words from which on they are together, and up to which they are apart."""
NEARLY = 0.01
"""Distance from its bounds up to which a proportion holds."""
TINY = 1e-300


class UnheededWishWarning(UserWarning):
    """A wish of a guide was not heeded by the fit."""


class Evidence(NamedTuple):
    """What a fitted model says.

    `counts` are the expected counts of words × topics without any prior, `shares` the topics of every document by its
    words alone and `guided` with all priors (None if no wish needs them), `lengths` the weights of the documents,
    `totals` the sizes of the topics that are bounded, if they are known, and `bounded` the shares of the documents'
    words under the multipliers, where these act on every word.
    """

    counts: Floats
    components: Floats
    shares: Floats | None = None
    guided: Floats | None = None
    lengths: Floats | None = None
    totals: Floats | None = None
    multipliers: Floats | None = None
    bounded: Floats | None = None


def needs_documents(guide: Guide) -> bool:
    """Return whether the report of a guide needs the topics of the documents."""
    return any(isinstance(wish, LabelWish | LinkWish | ProportionWish | SpreadWish) for wish in guide.wishes)


def wish_reports(guide: Guide, arrays: GuideArrays, evidence: Evidence, *, warn: bool = True) -> list[WishReport]:
    """Return what became of every wish; with `warn`, warn of those that were not heeded."""
    found = []
    for wish, placed in zip(guide.wishes, arrays.placed):
        measure = next((one for kind, one in MEASURES.items() if isinstance(wish, kind)), _nothing)
        name, without, with_guide, heeded = measure(wish, placed, arrays, evidence)
        notes = placed.notes
        if isinstance(wish, ProportionWish):
            notes = (*notes, *_multiplier_notes(placed.topic, evidence.multipliers))
        found.append(WishReport(wish.described(), bool(heeded), name, float(without), float(with_guide), notes))
    if warn:
        warn_of_unheeded(found)
    return found


def warn_of_unheeded(reports: list[WishReport]) -> None:
    """Warn of wishes that were not heeded."""
    unheeded = [report for report in reports if not report.heeded]
    if unheeded:
        listed = "; ".join(f"{one.name} ({one.measure} {one.with_guide:.2f})" for one in unheeded)
        warnings.warn(f"not heeded: {listed}", UnheededWishWarning, stacklevel=4)


Measured = tuple[str, float, float, bool]


def _topic(wish: TopicWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return which share of the uses of its words a topic has; of banned words, none."""
    banned = placed.documents  # columns of words that are never in the topic
    clean = not len(banned) or float(evidence.components[placed.topic, banned].max()) <= TINY
    if not len(placed.words):
        held = float(evidence.components[placed.topic, banned].sum()) if len(banned) else np.nan
        return "share of banned words in the topic", np.nan, held, clean
    counts = evidence.counts[placed.words]
    totals = counts.sum(axis=1)
    share = float(np.mean(np.divide(counts[:, placed.topic], totals, out=np.zeros(len(totals)), where=totals > 0)))
    return "share of the words' uses in the topic", np.nan, share, clean and share >= HALF


def _pair(wish: PairWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return how much the topics of the words overlap, by the words alone and with the guide."""
    if arrays.groups is None:
        return _nothing(wish, placed, arrays, evidence)
    rows = mapped_rows(arrays.groups)
    at = np.searchsorted(rows, placed.words)
    raw = evidence.counts[rows]
    without, after = profile_overlap(raw[at]), profile_overlap(mapped_counts(raw, arrays.groups)[at])
    return "overlap of the words' topics", without, after, after <= UNLIKE if wish.apart else after >= ALIKE


def _keep(wish: KeepWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return the cosine between kept topics and what became of them: the smallest."""
    if wish.words is not None or wish.counts.shape[1] != evidence.components.shape[1]:
        return "", np.nan, np.nan, True
    numbers = [arrays.names.index(name) for name in wish.names]
    found = [cosine(wish.counts[i], evidence.components[k]) for i, k in enumerate(numbers)]
    return "smallest cosine with the kept topic", np.nan, min(found, default=np.nan), min(found, default=1.0) >= HALF


def _label(wish: LabelWish, placed: PlacedWish, arrays: GuideArrays, evidence: Evidence) -> Measured:
    """Return the share of labelled documents whose largest topic is the label; if all are unknown, none is heeded."""
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
    """Return how similar linked documents are: Σ_k θ_dk θ_jk, averaged over links; if all were left out, not heeded."""
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
    """Return the topic's share, by the words alone and with the multipliers; the worst group, if there are several."""
    bounds, k = arrays.bounds, placed.topic
    if bounds is None or evidence.shares is None or evidence.lengths is None or evidence.multipliers is None:
        return "share of the topic", np.nan, np.nan, False
    projected = evidence.bounded
    if projected is None:
        projected = tilted(np.log(np.maximum(evidence.shares, TINY)), evidence.multipliers[bounds.groups])
    without, after = (_group_shares(q[:, k], evidence.lengths, arrays) for q in (evidence.shares, projected))
    if len(bounds.low) == 1 and evidence.totals is not None:
        after = evidence.totals[[k]] / evidence.totals.sum()
    outside = np.maximum(wish.low - after, after - wish.high)
    worst = int(outside.argmax())
    return "share of the topic", without[worst], after[worst], bool(outside[worst] <= NEARLY)


def _multiplier_notes(topic: int, multipliers: Floats | None) -> tuple[str, ...]:
    """Return by how much the bounds of a topic change its odds, e^−λ; the extremes, if there are several groups."""
    if multipliers is None or not len(multipliers):
        return ()
    factors = np.unique(np.exp(-multipliers[:, topic]))
    if np.allclose(factors, 1.0):
        return ("the bounds hold without a multiplier",)
    shown = f"{factors[0]:.3g}" if len(factors) == 1 else f"{factors[0]:.3g} to {factors[-1]:.3g}"
    return (f"the bounds multiply the topic's odds in every document by {shown}",)


def _group_shares(share: Floats, lengths: Floats, arrays: GuideArrays) -> Floats:
    groups = np.zeros(len(share), dtype=np.int64) if arrays.bounds is None else arrays.bounds.groups
    mass = np.bincount(groups, weights=lengths)
    found: Floats = np.bincount(groups, weights=share * lengths) / np.maximum(mass, TINY)
    return found


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
    MergeWish: _nothing,
}
"""How each kind of wish is measured."""
