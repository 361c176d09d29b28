"""What a simulated stream really did, beside what was found in it."""

from __future__ import annotations

import numpy as np

from driftline.analysis.curve_times import iso, isos
from driftline.analysis.findings import ChangedWord, Truth
from driftline.analysis.items import PER
from driftline.analysis.shown_evidence import Series
from driftline.core.arrays import Datetimes
from driftline.datasets.newswire import SimulatedNewswire
from driftline.evaluation import band_coverage
from driftline.streams.corpus import Corpus


def compare_with_truth(
    wire: SimulatedNewswire, corpus: Corpus, shown: list[ChangedWord], claimed: list[str], when: Datetimes
) -> Truth:
    """Compare the curves shown and all words claimed to have changed with the truth of the simulation.

    A claim is false only if the word is steady by design; missed are the clear changes among the words put to the test.
    """
    words = [str(word) for word in corpus.vocabulary.words]
    shown = [finding for finding in shown if " " not in finding.word]  # phrases have no truth of their own
    shares = wire.document_shares([finding.word for finding in shown], when)
    times = isos(when)
    curves, covered = {}, []
    for column, finding in enumerate(shown):
        rates: list[float | None] = [float(f"{rate:.6g}") for rate in PER * shares[:, column]]
        curves[finding.word] = Series(times, rates, rates, rates)
        covered.append(band_coverage(rates, finding.curve.lower, finding.curve.upper))
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
