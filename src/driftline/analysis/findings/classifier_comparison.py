"""Comparison of a classifier that follows the drift with one that ignores it, and the words that differ."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from driftline.analysis.finding import Finding, nothing
from driftline.analysis.shown_curves import shown_curve
from driftline.analysis.word_meaning import WordShift
from driftline.core.arrays import Ints
from driftline.core.days_of_dates import unchangeable
from driftline.core.errors import OutsideSupportWarning
from driftline.core.progress import announce
from driftline.evaluation.paired_errors import paired_p_value
from driftline.local.logistic.local_logistic_regression import LocalLogisticRegression
from driftline.streams.corpus import Corpus
from driftline.streams.exchange import exchange_units

if TYPE_CHECKING:
    from driftline.analysis.context import Context

MOST_LABELS = 6
LEAST_DOCUMENTS = 50
MOST_DOCUMENTS = 4000
MOST_WORDS = 5000
TESTED = 4
"""Every document at a multiple of this index is held out for the test."""
PENALTIES = [1.0, 10.0, 100.0]
N_WORDS = 6


@dataclass(frozen=True)
class ClassifierFindings:
    """Errors of a classifier that follows the drift and of one that ignores it.

    Both are logistic regressions, fitted to the same documents and evaluated on the same `n_tested` others, spread over
    the whole span; all settings are chosen without these. `p_value` exchanges the errors of the two day by day
    (McNemar's test, if documents of one day were independent). `bandwidth_days` is None if cross-validation selected a
    classifier without drift.
    """

    labels: list[str]
    n_fitted: int
    n_tested: int
    error_ignoring_drift: float
    error_following_drift: float
    p_value: float
    bandwidth_days: float | None
    words: list[WordShift]


def compare_classifiers(corpus: Corpus, *, unit: str = "auto") -> ClassifierFindings | None:
    """Fit both to three quarters of the labelled documents and test them on the rest.

    None if there are too few labels, or no word that two of the documents have.

    At most 4,000 documents, evenly spread over time, and the six most frequent labels are used. Documents of one `unit`
    (by default a day) are not assumed independent in the comparison of errors.
    """
    rows = _rows_to_use(corpus)
    if rows is None or corpus.labels is None:
        return None
    tested = np.arange(len(rows)) % TESTED == TESTED // 2
    columns = _frequent_columns(corpus, rows[~tested])
    if not len(columns):
        return None
    announce("Comparing classifiers that follow and that ignore the drift ...")
    fitted_counts, tested_counts = (corpus.counts[part][:, columns] for part in (rows[~tested], rows[tested]))
    weighting = TfidfTransformer(sublinear_tf=True).fit(fitted_counts)
    X, X_tested = weighting.transform(fitted_counts), weighting.transform(tested_counts)
    names = np.asarray(corpus.label_names)[corpus.labels[rows]]
    y, y_tested = names[~tested], names[tested]
    times, times_tested = (unchangeable(corpus.times[part]) for part in (rows[~tested], rows[tested]))
    words = [str(word) for word in np.asarray(corpus.vocabulary.words)[columns]]

    ignoring = LocalLogisticRegression(bandwidth="global", C=PENALTIES).fit(X, y, times=times)
    following = LocalLogisticRegression(bandwidth="cv", C=ignoring.C_, vocabulary=words).fit(X, y, times=times)
    with warnings.catch_warnings():  # a gap in the stream does not matter here, and the report lists gaps
        warnings.simplefilter("ignore", OutsideSupportWarning)
        wrong_ignoring = ignoring.predict(X_tested, times=times_tested) != y_tested
        wrong_following = following.predict(X_tested, times=times_tested) != y_tested
    follows = bool(np.isfinite(following.bandwidth_))
    return ClassifierFindings(
        labels=[str(label) for label in following.classes_],
        n_fitted=len(y),
        n_tested=len(y_tested),
        error_ignoring_drift=float(wrong_ignoring.mean()),
        error_following_drift=float(wrong_following.mean()),
        p_value=paired_p_value(wrong_ignoring, wrong_following, exchange_units(times_tested, unit=unit).index),
        bandwidth_days=float(following.bandwidth_) if follows else None,
        words=_shifted_words(following) if follows else [],
    )


def _rows_to_use(corpus: Corpus) -> Ints | None:
    """Return labelled documents of the frequent labels, evenly thinned over time; None if there are too few."""
    if corpus.labels is None:
        return None
    sizes = np.bincount(corpus.labels[corpus.labels >= 0], minlength=len(corpus.label_names))
    frequent = [code for code in np.argsort(-sizes, kind="stable")[:MOST_LABELS] if sizes[code] >= LEAST_DOCUMENTS]
    if len(frequent) < 2:
        return None
    rows = np.flatnonzero(np.isin(corpus.labels, frequent))
    if len(rows) > MOST_DOCUMENTS:
        rows = rows[np.linspace(0, len(rows) - 1, MOST_DOCUMENTS).astype(np.int64)]
    return rows


def _frequent_columns(corpus: Corpus, rows: Ints) -> Ints:
    in_documents = np.asarray((corpus.counts[rows] > 0).sum(axis=0)).ravel()
    order = np.argsort(-in_documents, kind="stable")[:MOST_WORDS]
    return np.sort(order[in_documents[order] >= 2])


def _shifted_words(model: LocalLogisticRegression) -> list[WordShift]:
    return [
        WordShift(str(moved.word), str(moved.label), float(moved.change), shown_curve(moved.curve))
        for moved in model.changed_coefficients(N_WORDS)
    ]


def find(context: Context) -> ClassifierFindings | None:
    """Compare the two on the labels of the stream."""
    return compare_classifiers(context.corpus, unit=context.unit)


CLASSIFIER = Finding("classifier", find, empty=nothing, position=150, since=2)
