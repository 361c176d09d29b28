"""The change of every tested word, measured as a lasting change or as an event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.analysis.findings.headlines import WordChange
from driftline.analysis.headlines.cross_fit import CrossFit, cross_fit, cross_fit_short
from driftline.analysis.headlines.presence import Presence, cells_of, halves_within_units, presence_of
from driftline.analysis.headlines.rules import HeadlineRules
from driftline.analysis.items import Items, present
from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.times import isos
from driftline.smoothing.grouping import gathering
from driftline.streams.units import Units, units_of

EVENT_UNITS = 3
"""Longest event, in units."""
_LONGEST_GAP = 2.0
"""Largest mean time between the units of an event, as a multiple of the median."""


class Changes(NamedTuple):
    """The measured change of every candidate; one value per word.

    A window spans the units from `start` up to, but not including, `end`. `sign` is 1 if the word is more frequent
    inside and −1 if it is less frequent. `event` marks changes within three units. `inside` and `total` count items
    with the word, `texts_inside` and `n_texts` distinct texts.
    """

    words: Sequence[str]
    start: Ints
    end: Ints
    sign: Ints
    event: Bools
    ratio: Floats
    lower: Floats
    upper: Floats
    dispersion: Floats
    inside: Floats
    total: Floats
    texts_inside: Floats
    n_texts: Floats

    @property
    def evidence(self) -> Floats:
        """Distinct texts with the word on the side where it is more frequent."""
        return np.where(self.sign >= 0, self.texts_inside, self.n_texts - self.texts_inside)

    @property
    def weight(self) -> Floats:
        """Sort key of headlines: log(lower limit) · √texts."""
        return np.log(np.maximum(self.lower, 1e-300)) * np.sqrt(self.evidence)


class Candidates(NamedTuple):
    """Words that passed a test, their items by unit, and the items themselves (items × words, CSC, 0 or 1).

    `by_text` (texts × words, CSR, 0 or 1) marks the words in any item of a text, `text_unit` is the unit of every text.
    """

    words: Sequence[str]
    lasting: Bools
    units: Units
    by_unit: Presence
    by_item: sp.csc_array
    times: np.ndarray
    by_text: sp.csr_array
    text_unit: Ints


def candidates_of(
    items: Items, columns: Ints, words: Sequence[str], lasting: Bools, *, unit: str = "auto", texts: Ints | None = None
) -> Candidates:
    """Collect the candidates: some columns of the items, and whether their change is lasting.

    `texts` numbers the text of every item; without it, every document is a text.
    """
    units = units_of(items.times, unit=unit)
    have = present(sp.csr_array(items.counts)[:, columns])
    by_unit = presence_of(have, units.index, units.n)
    _, first, text = np.unique(items.document if texts is None else texts, return_index=True, return_inverse=True)
    by_text = present(gathering(text, len(first)) @ have)
    return Candidates(words, lasting, units, by_unit, sp.csc_array(have), items.times, by_text, units.index[first])


def measure_changes(found: Candidates, rules: HeadlineRules) -> Changes:
    """Measure each word over windows of any length and over events; an event is the fallback."""
    n_units = found.by_unit.n_units
    cells = cells_of(found.by_unit.documents)
    firsts = np.searchsorted(cells, np.arange(int(cells.max(initial=-1)) + 2))
    fit = cross_fit(found.by_unit, cells)
    lasting = fit._replace(start=firsts[fit.start], end=firsts[fit.end])
    texts = presence_of(found.by_text, found.text_unit, n_units)
    short = cross_fit_short(halves_within_units(found.by_text, found.text_unit, n_units), texts, EVENT_UNITS)
    holds = found.lasting & (lasting.lower >= rules.min_ratio)
    event = ~holds & short.agree & (short.lower >= rules.min_event_ratio) & _brief(found.units, short)
    changes = _chosen(found, texts, lasting, short, event)
    brief = (changes.end - changes.start <= EVENT_UNITS) & (changes.sign > 0)
    return changes._replace(event=event | (holds & brief & (changes.lower >= rules.min_event_ratio)))


def _brief(units: Units, short: CrossFit) -> Bools:
    """Return a mask of the windows that are short in time, too: three days with documents may be weeks apart."""
    if units.n < 2:
        return np.ones(len(short.start), dtype=np.bool_)
    length = units.middle[np.maximum(short.end - 1, short.start)] - units.middle[short.start]
    found: Bools = length <= _LONGEST_GAP * np.median(np.diff(units.middle)) * np.maximum(
        short.end - 1 - short.start, 1
    )
    return found


def _chosen(found: Candidates, texts: Presence, lasting: CrossFit, short: CrossFit, event: Bools) -> Changes:
    start, end = np.where(event, short.start, lasting.start), np.where(event, short.end, lasting.end)
    inside, total = _inside_and_total(found.by_unit, start, end)
    texts_inside, n_texts = _inside_and_total(texts, start, end)
    return Changes(
        words=found.words,
        start=start,
        end=end,
        sign=np.where(event, short.sign, lasting.sign),
        event=event,
        ratio=np.where(event, short.ratio, lasting.ratio),
        lower=np.where(event, short.lower, lasting.lower),
        upper=np.where(event, short.upper, lasting.upper),
        dispersion=np.where(event, short.dispersion, lasting.dispersion),
        inside=inside,
        total=total,
        texts_inside=texts_inside,
        n_texts=n_texts,
    )


def _inside_and_total(presence: Presence, start: Ints, end: Ints) -> tuple[Floats, Floats]:
    """Return the number of documents with each word in its window, and their total number."""
    counts = presence.with_word
    inside = np.zeros(len(start))
    for word in range(len(start)):
        part = slice(counts.indptr[word], counts.indptr[word + 1])
        within = (counts.indices[part] >= start[word]) & (counts.indices[part] < end[word])
        inside[word] = counts.data[part][within].sum()
    return inside, np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()


def word_changes(changes: Changes, found: Candidates, headline: Bools) -> list[WordChange]:
    """Return the changes as plain data, with the dates of their windows."""
    order = np.argsort(found.times, kind="stable")
    ends = np.cumsum(found.by_unit.documents).astype(np.int64)
    opening, closing = np.asarray(changes.start), np.maximum(np.asarray(changes.end) - 1, changes.start)
    starts = isos(found.times[order[np.where(opening > 0, ends[opening - 1], 0)]])
    lasts = isos(found.times[order[ends[closing] - 1]])
    result = []
    for i, word in enumerate(changes.words):
        result.append(
            WordChange(
                word=word,
                kind="event" if changes.event[i] else "lasting",
                direction="more" if changes.sign[i] >= 0 else "less",
                ratio=_plain(changes.ratio[i]),
                lower=_plain(changes.lower[i]),
                upper=_plain(changes.upper[i]),
                start=starts[i],
                end=lasts[i],
                from_start=int(changes.start[i]) == 0,
                to_end=int(changes.end[i]) == found.by_unit.n_units,
                n_inside=int(changes.inside[i]),
                n_documents=int(changes.total[i]),
                headline=bool(headline[i]),
            )
        )
    return result


def _plain(value: float) -> float:
    """Return a finite number, which JSON can represent."""
    return float(f"{min(float(value), 1e12):.6g}")
