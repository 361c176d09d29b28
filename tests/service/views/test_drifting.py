"""Drifting words against a slow version that tests word by word."""

import math
from collections import Counter

import numpy as np
import pytest

from driftline.service.store.keys import DAY, HOUR
from driftline.service.views import drifting
from driftline.service.views.drifting import BEFORE, FEWEST, NOW, changes, drifting_words
from driftline.streams.corpus import DEFAULT_TOKENIZER


def slow_ratio(c, n, C, N):
    return math.log((c + 0.5) / (n + 1) / ((C + 0.5) / (N + 1))) / math.sqrt(1 / (c + 0.5) + 1 / (C + 0.5))


def slow_drifting(times, tokens, now):
    """Return word → probability of a change between the four weeks before the last week and the last week."""
    today = now // DAY
    n, counts = Counter(), {}
    for moment, words in zip(times, tokens):
        day = moment // DAY
        if today - NOW - BEFORE < day and moment <= now:
            n[day] += 1
            counts.setdefault(day, Counter()).update(words)
    recent, earlier = [d for d in n if d > today - NOW], [d for d in n if d <= today - NOW]
    total = sum(counts.values(), Counter())
    compared = [word for word in total if total[word] >= FEWEST]
    found = {}
    for word in compared:
        sides = [[sum(counts[d][word] for d in days), sum(n[d] for d in days)] for days in (recent, earlier)]
        z = slow_ratio(*sides[0], *sides[1])
        misfit = 0.0
        for days, (c, size) in zip((recent, earlier), sides):
            for d in days:
                if c:
                    misfit += (counts[d][word] - n[d] * c / size) ** 2 / (n[d] * c / size)
        higher = 0 if z > 0 else 1
        days = (recent, earlier)[higher]
        most = max(counts[d][word] for d in days)
        day = min(d for d in days if counts[d][word] == most)
        sides[higher] = [sides[higher][0] - most, sides[higher][1] - n[day]]
        without = slow_ratio(*sides[0], *sides[1])
        least = 0.0 if without * z < 0 else min(abs(z), abs(without))
        least /= math.sqrt(max(1.0, misfit / (len(n) - 2)))
        found[word] = 1 - min(1.0, len(compared) * math.erfc(least / math.sqrt(2)))
    return found


@pytest.mark.parametrize("hours", [24, 11])
def test_every_word_and_its_probability(filled, monkeypatch, hours):
    monkeypatch.setattr(drifting, "CERTAIN", 0.0)  # few of these words are certain enough to be shown
    checked = 0
    tokens = [set(each) for each in DEFAULT_TOKENIZER.tokens(filled.texts).to_pylist()]
    for days in range(35, 364, 7):
        now = int(filled.times[0]) // DAY * DAY + days * DAY + hours * HOUR - 1
        expected = slow_drifting(filled.times.tolist(), tokens, now)
        with filled.readers.reading() as database:
            found = drifting_words(filled.readers, database, now, at=now)
            if hours == 24:
                assert found == drifting_words(filled.readers, database, now)
        certain = {word for word, chance in expected.items() if chance > 0}
        assert {each["word"] for each in found} <= certain
        assert len(found) == min(len(certain), 12)
        for each in found:
            assert np.isclose(each["probability"], expected[each["word"]], atol=1e-4)
            checked += 1
    assert checked


def test_a_single_day_is_not_a_drift_and_days_that_vary_are_less_certain():
    n, is_recent = np.full(35, 50.0), np.arange(35) >= 28
    steady = np.where(is_recent, 15.0, 5.0)
    one_day = np.full(35, 2.0)
    one_day[30] = 50.0
    unsteady = steady + 5.0 * np.where(np.arange(35) % 2, 1, -1)
    found = changes(np.column_stack([steady, one_day, unsteady]), n, is_recent)
    assert found[0] > 6
    assert abs(found[1]) < 0.5
    assert 1 < found[2] < 0.7 * found[0]
