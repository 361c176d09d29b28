"""A check of new documents against those from which a classifier learned: words, predictions and errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Bools, Counts, Floats, Times
from driftline.core.errors import InvalidInput
from driftline.core.labels import labelled_values
from driftline.core.pictures import MOST_BARS, Bars, Picture
from driftline.core.randomness import Seed
from driftline.core.results import Columns, Result, columns_of, counted
from driftline.core.times import TimeAxis
from driftline.monitoring.earlier_fit import predict_by_earlier_fit
from driftline.monitoring.reference import unknown_words
from driftline.monitoring.text_classifier import TextClassifier
from driftline.monitoring.unit_permutation import (
    UnitAssignments,
    mean_distances,
    p_value,
    rate_differences,
    shuffle_units,
    word_divergences,
)
from driftline.monitoring.web_parts import web_parts
from driftline.monitoring.word_changes import WordChange, word_changes
from driftline.streams.exchange import exchange_units
from driftline.text.rows import Texts

FEWEST_WITH_WORD = 5
"""Minimum number of documents with a word for it to count in the divergence."""


@dataclass(frozen=True)
class Thresholds:
    """Limits above which a check fails: its corrected p-value must be at most `alpha`, and the change large.

    `unknown_rise`, `share_change` and `error_rise` are differences of shares (0.01 is one percentage point);
    `divergence` is in bits above the mean of random permutations of the days.
    """

    alpha: float = 0.01
    unknown_rise: float = 0.01
    divergence: float = 0.0
    share_change: float = 0.05
    error_rise: float = 0.02


@dataclass(frozen=True)
class CheckedPart:
    """One check. `verdict` is "passed", "failed", "undecided" (too few days) or "not tested"; `note` gives the reason.

    `before` and `now` are the compared shares. For predictions, they are mean probabilities of the label that changed
    most; for words, the mean divergence of random permutations of the days, and the true divergence. `change` is
    compared with the `threshold`; for predictions it is half the sum of the changes of all labels. `label` is the label
    whose mean probability changed most.
    """

    name: str
    verdict: str
    before: float | None
    now: float | None
    change: float | None
    threshold: float
    p_value: float | None
    corrected_p_value: float | None
    note: str
    label: str = ""


@dataclass(frozen=True, repr=False)
class DriftCheck(Result):
    """The result of `check_drift`.

    `passed` is False if any part failed. `n_documents` new documents were compared with the `n_reference` latest ones
    that the model learned from. Of the documents given, `n_learned` had been learned and `n_older` were not newer than
    the newest learned one; both were left out. `unit` is the kind of unit permuted, `n_units` and `n_reference_units`
    are the numbers of units of the new and of the learned documents.
    """

    passed: bool
    parts: list[CheckedPart]
    words: list[WordChange]
    n_documents: int
    n_reference: int
    n_learned: int
    n_older: int
    unit: str
    n_units: int
    n_reference_units: int
    thresholds: Thresholds

    def _columns(self) -> Columns:
        return columns_of(self.parts, CheckedPart)

    def _summary(self) -> str:
        verdict = "passed" if self.passed else "failed"
        return f"{verdict}; {counted(self.n_documents, 'document')} against {self.n_reference:,} ({self.unit})"

    def _picture(self) -> Picture:
        words = self.words[:MOST_BARS]
        changes = np.array([word.share_now - word.share_before for word in words])
        return Bars([word.word for word in words], changes, "change of the share of documents")

    def _preview(self) -> Columns:
        return self._columns()


class _Test(NamedTuple):
    name: str
    statistics: Floats
    before: float | None
    now: float | None
    change: float
    threshold: float
    smallest: float
    label: str = ""
    note: str = ""


def check_drift(
    model: TextClassifier,
    texts: Texts,
    labels: object = None,
    *,
    times: Times,
    thresholds: Thresholds | None = None,
    false_discovery_rate: float = 0.05,
    n_words: int = 20,
    n_permutations: int = 999,
    random_state: Seed = 0,
) -> DriftCheck:
    """Test whether new documents differ from those that the model learned from.

    The check has four parts: the share of words that the model does not know; the divergence of the words; the mean
    probabilities of the predicted labels; and the share of errors if there are labels (None, NaN and −1 mean
    unlabelled). For the predictions, the model is fitted again to the older half of the documents that it learned from,
    and predicts the later half and the new documents. The errors of the model itself are compared with those of its
    forward validation, whose fits learned from fewer documents; without a change they are the same or lower.

    Whole units (days) are exchanged at random between both sides, so documents of one day need not be independent. The
    p-values are corrected by Holm's procedure for a probability `thresholds.alpha` of any false alarm. That of the
    words is exact, and that of the predictions nearly so: the compared documents took part only in the choice of the
    way of learning. The others are approximate, because the values of learned documents are estimates. Parts of web and
    mail addresses are words in these tests, but they are not among the changed words that are listed. Numbers are
    listed last.
    """
    if not isinstance(model, TextClassifier):
        raise InvalidInput(f"a TextClassifier can be checked, not a {type(model).__name__}; fit one")
    limits = Thresholds() if thresholds is None else thresholds
    if not 0 < limits.alpha < 1:
        raise InvalidInput(f"alpha must be between 0 and 1, not {limits.alpha!r}")
    given = list(texts.to_pylist() if hasattr(texts, "to_pylist") else texts)
    axis = TimeAxis.of(times)
    at = axis.values(times, n=len(given))
    truth = np.full(len(given), None, dtype=object) if labels is None else np.asarray(labels, dtype=object)
    reference = model.reference
    learned = model.is_learned(given, truth, times)
    newest = float(reference.times[-1])
    older = ~learned & (at <= newest)
    kept = np.flatnonzero(~learned & ~older)
    if not len(kept):
        known = f", and it has learned from {int(learned.sum()):,} of them" if learned.any() else ""
        raise InvalidInput(
            f"none of the {len(given):,} documents is newer than those that the model learned from{known}; check later "
            "documents"
        )
    new_texts, new_at, new_truth = [given[i] for i in kept], at[kept], truth[kept]
    both, words = reference.joined(new_texts, model.text_tokenizer)
    is_new = np.arange(both.shape[0]) >= len(reference.times)
    units = exchange_units(axis.restore(np.concatenate([reference.times, new_at])))
    assigned = shuffle_units(units.index, is_new, n_permutations, random_state)
    n_unknown = np.concatenate([reference.n_unknown, unknown_words(both[is_new], words, model.vocabulary_)])
    n_each = np.diff(both.indptr).astype(np.float64)
    tests = [_unknown_test(assigned, n_unknown, n_each, is_new, limits), _word_test(assigned, both, limits)]
    arguments = (model, axis, new_texts, new_at)
    outcomes: dict[str, _Test | str] = {
        "predictions": _prediction_test(*arguments, limits, n_permutations, random_state),
        "errors": _error_test(*arguments, new_truth, limits, n_permutations, random_state),
    }
    tests += [outcome for outcome in outcomes.values() if not isinstance(outcome, str)]
    notes = {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, str)}
    parts = _verdicts(tests, limits) + [
        CheckedPart(name, "not tested", None, None, None, _threshold(name, limits), None, None, note)
        for name, note in notes.items()
    ]
    listed = ~web_parts(new_texts, both[is_new], words, model.text_tokenizer)
    changed = word_changes(
        both[:, listed],
        words.words[listed],
        units,
        is_new,
        false_discovery_rate=false_discovery_rate,
        n_words=n_words,
    )
    return DriftCheck(
        passed=not any(part.verdict == "failed" for part in parts),
        parts=parts,
        words=[_explained(change, model) for change in changed],
        n_documents=len(kept),
        n_reference=len(reference.times),
        n_learned=int(learned.sum()),
        n_older=int(older.sum()),
        unit=units.kind,
        n_units=assigned.n_new,
        n_reference_units=assigned.is_new.shape[1] - assigned.n_new,
        thresholds=limits,
    )


def _unknown_test(
    assigned: UnitAssignments, n_unknown: Floats, n_words: Floats, is_new: Bools, limits: Thresholds
) -> _Test:
    differences = rate_differences(assigned, n_unknown, n_words)
    before, now = (float(n_unknown[kind].sum() / max(n_words[kind].sum(), 1.0)) for kind in (~is_new, is_new))
    return _Test(
        "unknown words", differences, before, now, now - before, limits.unknown_rise, assigned.smallest_p_value
    )


def _word_test(assigned: UnitAssignments, contains: Counts, limits: Thresholds) -> _Test:
    frequent = np.bincount(contains.indices, minlength=contains.shape[1]) >= FEWEST_WITH_WORD
    found = word_divergences(assigned, contains[:, frequent])
    expected = float(found[1:].mean()) if len(found) > 1 else 0.0
    return _Test(
        "words",
        found,
        expected,
        float(found[0]),
        float(found[0]) - expected,
        limits.divergence,
        assigned.smallest_p_value,
    )


def _prediction_test(
    model: TextClassifier,
    axis: TimeAxis,
    texts: list[object],
    at: Floats,
    limits: Thresholds,
    n_permutations: int,
    random_state: Seed,
) -> _Test | str:
    """Return the test of the predictions, or the reason why there is none."""
    if not hasattr(model.estimator_, "refitted"):
        return "the model cannot be fitted to a part of its documents; fit the default model"
    found = predict_by_earlier_fit(model, texts)
    if isinstance(found, str):
        return found
    chances = np.vstack([found.before, found.now])
    assigned = _assigned(axis, axis.values(found.times_before), at, n_permutations, random_state)
    distances = mean_distances(assigned, chances)
    before, now = found.before.mean(axis=0), found.now.mean(axis=0)
    most = int(np.abs(now - before).argmax())
    compared = (float(before[most]), float(now[most]), float(distances[0]))
    return _Test(
        *("predictions", distances, *compared, limits.share_change, assigned.smallest_p_value),
        label=str(model.classes_[most]),
        note=f"both are predicted by a fit to the first {found.n_fitted:,} learned documents, which are not compared",
    )


def _error_test(
    model: TextClassifier,
    axis: TimeAxis,
    texts: list[object],
    at: Floats,
    truth: np.ndarray,
    limits: Thresholds,
    n_permutations: int,
    random_state: Seed,
) -> _Test | str:
    """Return the test of the errors, or the reason why there is none."""
    if not hasattr(model.estimator_, "forward_predictions"):
        return "the model has no forward validation to compare with; fit the default model"
    when, old_truth, old_chances = model.estimator_.forward_predictions()
    if not len(old_truth):
        return "the model was fitted without forward validation, because it had too few documents"
    rows = np.flatnonzero(labelled_values(truth, len(truth), classes=model.classes_)[1])
    if not len(rows):
        return "the new documents have no labels"
    chances = model.predict_proba([texts[i] for i in rows], times=axis.restore(at[rows]))
    old, new = (model.classes_[each.argmax(axis=1)].astype(str) for each in (old_chances, chances))
    wrong = np.concatenate([old != old_truth.astype(str), new != truth[rows].astype(str)]).astype(np.float64)
    assigned = _assigned(axis, axis.values(when), at[rows], n_permutations, random_state)
    rises = rate_differences(assigned, wrong, np.ones(len(wrong)))
    before, now = float(wrong[: len(old)].mean()), float(wrong[len(old) :].mean())
    return _Test("errors", rises, before, now, now - before, limits.error_rise, assigned.smallest_p_value)


def _assigned(axis: TimeAxis, before: Floats, now: Floats, n_permutations: int, random_state: Seed) -> UnitAssignments:
    """Assign the days of learned and new documents at random."""
    at = np.concatenate([before, now])
    is_new = np.arange(len(at)) >= len(before)
    return shuffle_units(exchange_units(axis.restore(at)).index, is_new, n_permutations, random_state)


def _threshold(name: str, limits: Thresholds) -> float:
    return {
        "unknown words": limits.unknown_rise,
        "words": limits.divergence,
        "predictions": limits.share_change,
        "errors": limits.error_rise,
    }[name]


def _verdicts(tests: list[_Test], limits: Thresholds) -> list[CheckedPart]:
    """Correct the p-values by Holm's procedure, and compare p-values and changes with the thresholds."""
    raw = np.array([p_value(test.statistics) for test in tests])
    corrected = holm(raw)
    parts = []
    for test, p, q in zip(tests, raw, corrected):
        failed = q <= limits.alpha and test.change > test.threshold
        undecided = not failed and test.smallest * len(tests) > limits.alpha and test.change > test.threshold
        verdict = "failed" if failed else "undecided" if undecided else "passed"
        few = "too few days for this alpha: a smaller p-value is not possible" if undecided else ""
        note = "; ".join(filter(None, (few, test.note)))
        compared = (test.name, verdict, test.before, test.now, test.change, test.threshold)
        parts.append(CheckedPart(*compared, float(p), float(q), note, test.label))
    return parts


def holm(p_values: Floats) -> Floats:
    """Return p-values corrected for their number by Holm's procedure.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * np.arange(len(order), 0, -1)
    found = np.empty(len(order))
    found[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return found


def _explained(change: WordChange, model: TextClassifier) -> WordChange:
    """Add whether the model knows a word, and which label it favours."""
    column = int(model.vocabulary_.index([change.word])[0])
    if column < 0:
        return change
    coefficients = getattr(model.estimator_, "coef_", None)
    if coefficients is None:
        return replace(change, known=True)
    own = coefficients[:, column]
    favoured = int(own[0] > 0) if len(own) == 1 else int(own.argmax())
    return replace(change, known=True, speaks_for=str(model.classes_[favoured]) if np.any(own) else None)
