"""Tampered models are refused or answer; they never take the process down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.estimators import ESTIMATORS
from tests.fuzz.saved_models import ACCIDENT, ANSWERED, CRASH, REFUSED, Outcome, SavedModel, fuzz_saved_models, run

INDEXING = {
    "LocalNaiveBayes(bandwidth=3.0, strength=10.0)": ("_labels_",),
    "LocalNGram(bandwidth=3.0, background=0.1)": ("_keys_", "_counts_"),
    "LDA(n_topics=3, max_epochs=3, random_state=3)": ("_slots_", "_word_topic_"),
    "IntensityTracker()": ("_filter_/count", "_filter_/seen", "level"),
}
"""Arrays that compiled code indexes with: every kind of change to them is tried."""


def contract(name):
    return next(each for each in ESTIMATORS if each.name == name)


@pytest.mark.parametrize("name", INDEXING)
def test_no_change_to_an_array_that_indexes_crashes(name, tmp_path: Path):
    saved = SavedModel(contract(name), tmp_path)
    chosen = [each for each in saved.mutations() if any(part in each.where for part in INDEXING[name])]
    found: list[tuple[str, Outcome]] = []
    run(saved, chosen, lambda mutation, outcome: found.append((str(mutation), outcome)))
    wrong = [(name, outcome) for name, outcome in found if outcome.kind in (CRASH, ACCIDENT)]
    assert not wrong
    assert len(found) == len(chosen) > 20
    assert {REFUSED, ANSWERED} <= {outcome.kind for _, outcome in found}


def test_a_crash_is_seen_and_the_others_are_still_tried(tmp_path, monkeypatch):
    """Without its check, a model of naive Bayes with a label out of bounds takes the child down."""
    saved = SavedModel(contract("LocalNaiveBayes(bandwidth=3.0, strength=10.0)"), tmp_path)
    monkeypatch.setattr(type(saved.model), "_check_state", lambda self: {})
    chosen = [each for each in saved.mutations() if each.where.endswith("._labels_") and "huge" in each.how] * 2
    found = []
    run(saved, chosen, lambda mutation, outcome: found.append(outcome.kind))
    assert found == [CRASH, CRASH]


@pytest.mark.slow
def test_random_changes_to_every_estimator():
    counts, wrong = fuzz_saved_models(seconds=0, share=0.15)
    assert not wrong, "\n".join(f"{mutation}: {outcome}" for mutation, outcome in wrong)
    assert counts[REFUSED] > counts.total() / 4
