"""The known changes of a simulated stream, compared with the findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driftline.analysis.finding import Finding, nothing
from driftline.analysis.findings.words import CHANGED_WORDS, ChangedWord
from driftline.analysis.items import PER
from driftline.analysis.shown_curves import shown_curve
from driftline.core.arrays import Datetimes
from driftline.core.times import iso
from driftline.datasets.newswire import SimulatedNewswire
from driftline.evaluation import band_coverage
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus

if TYPE_CHECKING:
    from driftline.analysis.context import Context


@dataclass(frozen=True)
class Truth:
    """The known changes of a simulated stream, compared with the findings."""

    curves: dict[str, Curve]
    changed: list[str]
    bursts: list[tuple[str, str, str]]
    found: list[str]
    missed: list[str]
    false_alarms: list[str]
    band_coverage: float | None = None


def compare_with_truth(
    wire: SimulatedNewswire, corpus: Corpus, drawn: list[ChangedWord], claimed: list[str], when: Datetimes
) -> Truth:
    """Compare the curves drawn and all words claimed to have changed with the truth of the simulation.

    A claim is false only if the word is constant by design; missed words are the clear changes among the tested words.
    """
    words = [str(word) for word in corpus.vocabulary.words]
    drawn = [finding for finding in drawn if " " not in finding.word]  # phrases have no truth of their own
    shares = wire.document_shares([finding.word for finding in drawn], when)
    curves, covered = {}, []
    for column, finding in enumerate(drawn):
        share = shares[:, column]
        real = curves[finding.word] = shown_curve(Curve(when, share, share, share, np.ones(len(share))), scale=PER)
        covered.append(band_coverage(real.value, finding.curve.lower, finding.curve.upper))
    steady, known, claims = set(wire.steady_words), set(words), set(claimed)
    clear = [word for word in wire.changed_words if word in known]
    return Truth(
        curves=curves,
        changed=clear,
        bursts=[(burst.name, iso(burst.start), iso(burst.end)) for burst in wire.bursts],
        found=[word for word in clear if word in claims],
        missed=[word for word in clear if word not in claims],
        false_alarms=[word for word in claimed if word in steady],
        band_coverage=float(np.mean(covered)) if covered else None,
    )


def find(context: Context) -> Truth | None:
    """Compare the words shown, and all reported changes, with the truth if it is given."""
    wire, tests = context.options.truth, context.tests
    if wire is None:
        return None
    words = np.asarray(context.with_phrases.vocabulary.words)
    claimed = [str(word) for word in words[tests.columns[tests.ranking()]]]
    return compare_with_truth(wire, context.corpus, context[CHANGED_WORDS], claimed, context.when)


TRUTH = Finding("truth", find, empty=nothing, position=190, since=1)
