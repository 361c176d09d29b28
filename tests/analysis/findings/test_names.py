from __future__ import annotations

import numpy as np

from driftline.analysis.findings.names import ChangedName, changed_names, evenly, mentions
from driftline.sequences import english_tagger


def stream(seed=0, n_days=80, per_day=6, turn=40):
    """Reports that mention Paris at all times, and Angela Merkel mostly after the turn."""
    rng = np.random.default_rng(seed)
    days = np.repeat(np.arange(n_days), per_day)
    texts = [
        (
            "Angela Merkel visited Paris yesterday."
            if rng.random() < (0.05 if day < turn else 0.5)
            else "He saw it there."
        )
        + (" We flew to London." if rng.random() < 0.3 else "")
        for day in days
    ]
    return texts, np.datetime64("2020-01-01", "us") + days.astype("timedelta64[D]")


def test_a_name_that_rose_is_reported_and_a_steady_one_is_not():
    texts, times = stream()
    found = mentions(texts, english_tagger())
    assert {"Angela Merkel", "Paris", "London"} <= set(found.texts)
    changed, n_tested = changed_names(found, times)
    by_name = {one.text: one for one in changed}
    assert by_name["Angela Merkel"].rose
    assert by_name["Angela Merkel"].late > 5 * by_name["Angela Merkel"].early
    assert by_name["Angela Merkel"].q_value <= 0.05
    assert by_name["Angela Merkel"].kind == "name"
    assert "London" not in by_name
    assert n_tested >= 3


def test_dealt_days_have_no_change():
    texts, times = stream()
    order = np.random.default_rng(1).permutation(80)
    day = (times - times.min()).astype("timedelta64[D]").astype(int)
    changed, _ = changed_names(mentions(texts, english_tagger()), times.min() + order[day].astype("timedelta64[D]"))
    assert changed == []


def test_a_document_counts_once_and_may_be_empty():
    found = mentions(["Paris and Paris", None, ""], english_tagger(), phrases=False)
    assert found.counts.shape == (3, 1)
    assert found.counts.sum() == 1
    assert changed_names(found, np.arange(3).astype("datetime64[D]").astype("datetime64[us]")) == ([], 0)


def test_samples_are_even():
    assert evenly(3, 10).tolist() == [0, 1, 2]
    assert evenly(1000, 3).tolist() == [0, 500, 999]


def test_a_name_that_is_as_frequent_late_as_early_did_not_rise_or_fall():
    def change(early, late):
        return ChangedName("Paris", "name", late > early, early, late, 20, 0.01).change

    assert change(0.022, 0.022) == "varied"
    assert change(0.022, 0.023) == "varied"
    assert change(0.02, 0.03) == "rose"
    assert change(0.03, 0.0) == "fell"
