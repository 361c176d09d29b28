"""The same analysis for the documents of each label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driftline.analysis.changed_items import changed_items
from driftline.analysis.finding import Finding
from driftline.analysis.findings.periods import Period, characteristic_periods
from driftline.analysis.findings.volume import documents_per_day
from driftline.analysis.findings.words import ChangedWord, describe_changed_words
from driftline.analysis.items import Items
from driftline.analysis.shown_curves import shown_curve
from driftline.core.arrays import Datetimes, Ints
from driftline.core.progress import track
from driftline.core.times import Duration
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus
from driftline.streams.exchange import exchange_units

if TYPE_CHECKING:
    from driftline.analysis.context import Context

MOST_LABELS = 12
LEAST_DOCUMENTS = 50


@dataclass(frozen=True)
class LabelFindings:
    """The findings for the documents of one label."""

    label: str
    n_documents: int
    volume: Curve
    changed_words: list[ChangedWord]
    periods: list[Period]


def describe_labels(
    corpus: Corpus,
    items: Items,
    texts: Ints,
    when: Datetimes,
    *,
    groups: tuple[str, Ints] | None = None,
    bandwidth: Duration,
    unit: str,
    false_discovery_rate: float,
    random_state: int,
) -> list[LabelFindings]:
    """Return the findings of the most frequent labels; those with too few documents are omitted.

    Words are tested as in the whole stream: `texts` and the named `groups` are those of its items.
    """
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
        own = items.of_documents(rows)
        if own.noun == "documents":
            own = own._replace(times=part.times)
        of_label = np.isin(items.document, rows)
        units = exchange_units(own.times, unit=unit)
        tests = changed_items(
            own._replace(counts=own.counts[:, : part.counts.shape[1]]),
            texts=texts[of_label],
            unit=units if groups is None else groups[0],
            groups=None if groups is None else {groups[0]: groups[1][of_label]},
            false_discovery_rate=false_discovery_rate,
            random_state=random_state,
        )
        findings.append(
            LabelFindings(
                label=corpus.label_names[code],
                n_documents=len(part),
                volume=shown_curve(documents_per_day(part.times, when)),
                changed_words=describe_changed_words(
                    part,
                    own,
                    tests,
                    when,
                    bandwidth=bandwidth,
                    unit=unit,
                    n_words=15,
                    n_examples=2,
                ),
                periods=characteristic_periods(
                    part, n_words=8, n_examples=1, unit=units if np.array_equal(own.times, part.times) else unit
                ),
            )
        )
    return findings


def find(context: Context) -> list[LabelFindings]:
    """Describe each frequent label."""
    options, name = context.options, context.tests.groups
    return describe_labels(
        context.reported,
        context.reported_items,
        context.texts,
        context.when,
        groups=None if name is None else (name, context.groups[name]),
        bandwidth=options.bandwidth,
        unit=context.unit,
        false_discovery_rate=options.false_discovery_rate,
        random_state=options.random_state,
    )


LABELS = Finding("labels", find, empty=list[LabelFindings], position=100, since=1)
