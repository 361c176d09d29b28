"""Drifting words against the test written out word by word."""

import math
from collections import Counter

import numpy as np

from driftline.service.store.keys import DAY
from driftline.service.views.drifting import BEFORE, FEWEST, NOW, drifting_words
from driftline.streams.corpus import DEFAULT_TOKENIZER


def slow_drifting(times, tokens, now):
    """Return word → (z, probability), of the last week against the four weeks before it."""
    day = now // DAY
    recent = [words for t, words in zip(times, tokens) if day - NOW < t // DAY <= day and t <= now]
    earlier = [words for t, words in zip(times, tokens) if day - NOW - BEFORE < t // DAY <= day - NOW]
    c, C = Counter(w for words in recent for w in words), Counter(w for words in earlier for w in words)
    compared = [word for word in {*c, *C} if c[word] + C[word] >= FEWEST]
    found = {}
    for word in compared:
        share, before = (c[word] + 0.5) / (len(recent) + 1), (C[word] + 0.5) / (len(earlier) + 1)
        z = math.log(share / before) / math.sqrt(1 / (c[word] + 0.5) + 1 / (C[word] + 0.5))
        p = math.erfc(abs(z) / math.sqrt(2))
        found[word] = z, 1 - min(1.0, len(compared) * p)
    return found


def test_every_word_and_its_probability(filled):
    checked = 0
    tokens = [set(each) for each in DEFAULT_TOKENIZER.tokens(filled.texts).to_pylist()]
    for days in range(35, 364, 7):
        now = int(filled.times[0]) // DAY * DAY + (days + 1) * DAY - 1
        expected = slow_drifting(filled.times.tolist(), tokens, now)
        with filled.readers.reading() as database:
            found = drifting_words(filled.readers, database, now)
        certain = {word for word, (_, chance) in expected.items() if chance > 0.5}
        assert {each["word"] for each in found} <= certain
        assert len(found) == min(len(certain), 12)
        for each in found:
            assert np.isclose(each["probability"], expected[each["word"]][1], atol=1e-4)
            checked += 1
    assert checked
