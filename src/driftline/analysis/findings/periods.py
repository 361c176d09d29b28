r"""The characteristic words of each period.

For a word in :math:`y` documents of the period and :math:`y'` documents outside it, the log odds of using it are
compared under a Dirichlet prior :math:`\alpha_w` proportional to the word's overall use:

.. math::
    \delta_w = \log\frac{y + \alpha_w}{n + \alpha_0 - y - \alpha_w}
             - \log\frac{y' + \alpha_w}{n' + \alpha_0 - y' - \alpha_w},
    \qquad z_w = \delta_w \Big/ \sqrt{\frac{1}{y + \alpha_w} + \frac{1}{y' + \alpha_w}}

Documents are counted, not uses: a word that one story repeats forty times says little about the period. The score ranks
words; whether a word is listed is decided by exchanging whole days between periods, because the documents of one day
share its events (`driftline.local.changed_words.period_contrast`). It must also have a larger share of the uses: where
documents differ much in length, these may disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from driftline.analysis.curve_times import readable_step
from driftline.analysis.examples import examples_of
from driftline.analysis.finding import Finding
from driftline.analysis.shown_evidence import Example
from driftline.core.arrays import Floats
from driftline.core.progress import announce
from driftline.core.times import isos
from driftline.local.changed_words.period_contrast import set_apart
from driftline.streams.corpus import Corpus
from driftline.streams.exchange import FEWEST_FOR_LASTING, exchange_units, given_or_exchange_units
from driftline.streams.units import Units
from driftline.text.headline_words import is_calendar_word

if TYPE_CHECKING:
    from driftline.analysis.context import Context

PRIOR_SIZE = 500.0
"""Weight of the prior in word occurrences, at most a tenth of all occurrences."""

LEAST_SCORE = 3.0
N_PERMUTATIONS = 20
UNIT = 10_000.0
"""Denominator of the rates: occurrences per 10,000 words."""


@dataclass(frozen=True)
class CharacteristicWord:
    """A word used more in one period than elsewhere: uses per 10,000 words inside and outside, and a z-score."""

    word: str
    rate_inside: float
    rate_outside: float
    score: float


@dataclass(frozen=True)
class Period:
    """The characteristic words of one period.

    The words are more frequent in it than whole `unit`s in random order explain; the unit is "document" if there are
    too few days, and then events shared by documents of one day are not accounted for.
    """

    start: str
    end: str
    n_documents: int
    words: list[CharacteristicWord]
    examples: list[Example] = field(default_factory=list)
    unit: str = "day"


def characteristic_periods(
    corpus: Corpus,
    *,
    every: str | None = None,
    n_words: int = 12,
    n_examples: int = 3,
    unit: str | Units = "auto",
    false_discovery_rate: float = 0.05,
    random_state: int = 0,
) -> list[Period]:
    """Divide the corpus into calendar periods and list the words that distinguish each from the rest.

    `every` is a step such as ``"1mo"``; None selects the finest readable one with at most 12 periods. Empty periods are
    omitted. Numbers come after all words. With too few units (days) for a test, documents are exchanged as if they were
    independent, and the `unit` of the periods says so.
    """
    if len(corpus) == 0:
        return []
    step = every if every is not None else readable_step(corpus.times, at_most=12)
    presence = corpus.counts.copy()
    presence.data = np.ones_like(presence.data)
    documents_total = _column_sums(presence)
    uses_total = _column_sums(corpus.counts)
    words = np.asarray(corpus.vocabulary.words)
    numbers = is_calendar_word(words, ())
    frames = [frame for frame in corpus.frames(step) if frame.index.stop > frame.index.start]
    units = given_or_exchange_units(corpus.times, unit=unit)
    if units.n < FEWEST_FOR_LASTING:
        units = exchange_units(corpus.times, unit="document")
    period = np.repeat(np.arange(len(frames)), [frame.index.stop - frame.index.start for frame in frames])
    rates = set_apart(presence, units.index, period, n_permutations=N_PERMUTATIONS, random_state=random_state)
    periods: list[Period] = []
    starts, ends = isos([frame.start for frame in frames]), isos([frame.end for frame in frames])
    for number, frame in enumerate(frames):
        rows = np.arange(frame.index.start, frame.index.stop)
        inside = _column_sums(presence[rows])
        score = _log_odds_score(inside, documents_total - inside)
        uses_inside = _column_sums(corpus.counts[rows])
        uses_outside = uses_total - uses_inside
        rate_inside = UNIT * uses_inside / max(uses_inside.sum(), 1.0)
        rate_outside = UNIT * uses_outside / max(uses_outside.sum(), 1.0)
        is_higher = (score >= LEAST_SCORE) & (rate_inside > rate_outside)
        named = np.flatnonzero((rates[:, number] <= false_discovery_rate) & is_higher & (inside >= 2))
        order = named[np.lexsort((-score[named], numbers[named]))][:n_words]
        chosen = [
            CharacteristicWord(str(words[w]), _rounded(rate_inside[w]), _rounded(rate_outside[w]), _rounded(score[w]))
            for w in order
        ]
        typical = np.asarray(presence[rows][:, order].sum(axis=1)).ravel()
        best_rows = rows[np.argsort(-typical, kind="stable")]
        examples = examples_of(corpus, best_rows, n=n_examples) if len(order) else []
        periods.append(Period(starts[number], ends[number], len(rows), chosen, examples, units.kind))
    return periods


def _log_odds_score(inside: Floats, outside: Floats) -> Floats:
    total = inside + outside
    prior_size = min(PRIOR_SIZE, total.sum() / 10)
    prior = prior_size * total / max(total.sum(), 1.0) + 1e-9
    n_inside, n_outside = inside.sum() + prior_size, outside.sum() + prior_size
    a, b = inside + prior, outside + prior
    delta = np.log(a / np.maximum(n_inside - a, 1e-9)) - np.log(b / np.maximum(n_outside - b, 1e-9))
    found: Floats = delta / np.sqrt(1 / a + 1 / b)
    return found


def _column_sums(counts: object) -> Floats:
    return np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()  # type: ignore[attr-defined]


def _rounded(value: float) -> float:
    return float(f"{value:.5g}")


def find(context: Context) -> list[Period]:
    """Describe the calendar periods of the stream."""
    announce("Describing topics, bursts, periods and labels ...")
    return characteristic_periods(context.reported, every=context.options.every, unit=context.units)


PERIODS = Finding("periods", find, empty=list[Period], position=90, since=1)
