"""Counts of words from store and memory, block by block, against the documents themselves."""

from collections import Counter

import numpy as np
import pytest

from driftline.service.store import period_words
from driftline.service.store.keys import DAY, period_starts
from driftline.service.views import period_counts
from driftline.service.views.period_counts import PeriodCounts
from driftline.streams.corpus import DEFAULT_TOKENIZER
from tests.service.running import story_lines, take, writing


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Return a writer whose blocks have forty words, some of them in memory only, with its times and words."""
    monkeypatch.setattr(period_words, "BLOCK", 40)
    with writing(str(tmp_path / "store")) as writer:
        take(writer, story_lines(1400)[:900], batch=300)
        writer.save()
        take(writer, story_lines(1400)[900:], batch=250)
        rows = writer.database.execute("SELECT time, text FROM documents ORDER BY key")
        names = dict(writer.database.execute("SELECT word, number FROM words"))
        tokens = DEFAULT_TOKENIZER.tokens([text for _, text in rows]).to_pylist()
        numbers = [{names[word] for word in each if word in names} for each in tokens]
        yield writer, np.array([moment for moment, _ in rows]), numbers


@pytest.mark.parametrize("fewest", [1, 2, 8, 60])
def test_totals_are_counts_of_the_documents(written, fewest):
    writer, times, numbers = written
    last = int(times.max())
    first, edge = last // DAY * DAY - 200 * DAY, last // DAY * DAY - 60 * DAY
    counts = PeriodCounts(writer, writer.database, 1, first, last, cut=False)
    found = {}
    for words, before, since in counts.totals(edge, fewest):
        found |= {word: (b, s) for word, b, s in zip(words.tolist(), before.tolist(), since.tolist())}
    sides = Counter(), Counter()
    for moment, words in zip(times.tolist(), numbers):
        if moment >= first:
            sides[moment >= edge].update(words)
    total = sides[0] + sides[1]
    assert found == {word: (sides[0][word], sides[1][word]) for word, n in total.items() if n >= fewest}


def test_blocks_without_a_word_that_is_frequent_enough_are_not_read(written, monkeypatch):
    writer, times, numbers = written
    counts = PeriodCounts(writer, writer.database, 1, int(times.min()), int(times.max()), cut=False)
    read = []
    monkeypatch.setattr(period_counts, "read_block", lambda database, block, spans: read.append(block) or [])
    list(counts.totals(0, 300))
    assert 0 < len(read) < len(counts.blocks(1)) / 2
    total = Counter(word for words in numbers for word in words)
    assert {word // 40 for word, n in total.items() if n >= 300} <= set(read)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_table_has_counts_of_the_documents(written, level):
    writer, times, numbers = written
    words = np.array([3, 90, 4, 500, 10**6])
    starts = np.unique(period_starts(times, level))[1:]
    counts = PeriodCounts(writer, writer.database, level, int(starts[0]), int(times.max()), cut=False)
    of_period = period_starts(times, level)
    expected = [[sum(w in numbers[k] for k in np.flatnonzero(of_period == start)) for w in words] for start in starts]
    np.testing.assert_array_equal(counts.of_words(words, starts), expected)
