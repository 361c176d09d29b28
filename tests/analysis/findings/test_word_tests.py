from __future__ import annotations

import numpy as np

from driftline.analysis.findings.word_tests import WordTests
from driftline.local.changed_words.discovery import changed_words


def test_lasting_changes_and_events_are_counted_apart():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(80), 20)
    rates = np.column_stack([np.full((len(day), 6), 20.0), 0.1 + 0.5 * (day > 40), 0.02 + 0.6 * (day == 33)])
    tests = changed_words(rng.poisson(rates), times=np.datetime64("2003-03-01") + day)
    assert WordTests.of(tests) == WordTests("day", 80, True, 1, 1, 1)
    assert WordTests.of(tests._replace(longer_than_a_week=None)).n_longer_than_a_week is None
