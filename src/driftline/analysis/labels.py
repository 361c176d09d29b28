"""The same questions, asked of the documents of each label."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.analysis.curve_times import series
from driftline.analysis.findings import LabelFindings
from driftline.analysis.items import Items
from driftline.analysis.periods import characteristic_periods
from driftline.analysis.volume import documents_per_day
from driftline.analysis.words import describe_changed_words
from driftline.core.arrays import Datetimes
from driftline.core.progress import track
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.corpus import Corpus

MOST_LABELS = 12
LEAST_DOCUMENTS = 50


def describe_labels(
    corpus: Corpus,
    items: Items,
    when: Datetimes,
    *,
    bandwidth: Any,
    unit: str,
    false_discovery_rate: float,
    random_state: int,
) -> list[LabelFindings]:
    """Return the findings of the most frequent labels; those with too few documents to say anything are left out."""
    if corpus.labels is None:
        return []
    sizes = np.bincount(corpus.labels[corpus.labels >= 0], minlength=len(corpus.label_names))
    frequent = [code for code in np.argsort(-sizes, kind="stable")[:MOST_LABELS] if sizes[code] >= LEAST_DOCUMENTS]
    if len(frequent) < 2:
        return []
    findings = []
    for code in track(frequent, "labels"):
        rows = np.flatnonzero(corpus.labels == code)
        part = corpus[rows]
        tests = changed_words(
            part.counts,
            times=part.times,
            unit=unit,
            false_discovery_rate=false_discovery_rate,
            random_state=random_state,
        )
        findings.append(
            LabelFindings(
                label=corpus.label_names[code],
                n_documents=len(part),
                volume=series(documents_per_day(part.times, when)),
                changed_words=describe_changed_words(
                    part,
                    items.of_documents(rows),
                    tests,
                    when,
                    bandwidth=bandwidth,
                    unit=unit,
                    n_words=15,
                    n_examples=2,
                ),
                periods=characteristic_periods(part, n_words=8, n_examples=1, unit=unit),
            )
        )
    return findings
