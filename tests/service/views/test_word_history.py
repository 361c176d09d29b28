"""Curves of words are plain counts of the documents that contain them."""

import numpy as np
import pytest

from driftline.service.store.keys import DAY, HOUR, period_starts
from driftline.service.views import word_history
from driftline.service.views.overview import DriftCache
from driftline.service.views.word_history import word_list, word_page
from driftline.streams.corpus import DEFAULT_TOKENIZER


@pytest.mark.parametrize("few", [0, 60, 20_000])
@pytest.mark.parametrize("days", [20, 100, 400, 900])
def test_curves(filled, monkeypatch, few, days):
    monkeypatch.setattr(word_history, "FEW", few)
    now = int(filled.times.max())
    wanted = ["rain", "said", "petra", "thatisnoword"]
    with filled.readers.reading() as database:
        found = word_page(filled.readers, database, wanted, at=None, span=days * DAY)
    assert found["unknown"] == ["thatisnoword"]
    level = ("hour", "day", "month").index(found["level"])
    starts = (np.array(found["times"]) * 1e6).astype(np.int64)
    tokens = [set(each) for each in DEFAULT_TOKENIZER.tokens(filled.texts).to_pylist()]
    place = np.searchsorted(starts, period_starts(filled.times, level))
    inside = filled.times >= starts[0]
    assert np.isin(period_starts(filled.times[inside], level), starts).all()
    assert int(period_starts(np.array([now]), level)[0]) == starts[-1]
    totals = np.bincount(place[inside], minlength=len(starts))
    assert found["totals"] == totals.tolist()
    for curve in found["words"]:
        with_it = inside & np.array([curve["word"] in each for each in tokens])
        assert curve["n_documents"] == np.bincount(place[with_it], minlength=len(starts)).tolist(), curve["word"]
        shares = [None if not n else round(c / n, 4) for c, n in zip(curve["n_documents"], totals.tolist())]
        assert curve["values"] == shares


@pytest.mark.parametrize("few", [0, 20_000])
@pytest.mark.parametrize("days", [20, 100, 900])
def test_curves_as_they_were(filled, monkeypatch, few, days):
    monkeypatch.setattr(word_history, "FEW", few)
    tokens = [set(each) for each in DEFAULT_TOKENIZER.tokens(filled.texts).to_pylist()]
    for place in (500, 1199, 1500):
        at = int(filled.times[place]) // HOUR * HOUR + 5
        known = filled.times < at - 5 + HOUR
        with filled.readers.reading() as database:
            found = word_page(filled.readers, database, ["said", "rain"], at=at, span=days * DAY)
            listed = word_list(filled.readers, database, DriftCache(), prefix="sai", at=at)
        level = ("hour", "day", "month").index(found["level"])
        starts = (np.array(found["times"]) * 1e6).astype(np.int64)
        of_period = np.searchsorted(starts, period_starts(filled.times, level))
        inside = known & (filled.times >= starts[0])
        assert found["totals"] == np.bincount(of_period[inside], minlength=len(starts)).tolist()
        for curve in found["words"]:
            with_it = inside & np.array([curve["word"] in each for each in tokens])
            assert curve["n_documents"] == np.bincount(of_period[with_it], minlength=len(starts)).tolist()
        month = known & (filled.times >= period_starts(np.array([at]), 2)[0])
        n = sum("said" in tokens[k] for k in np.flatnonzero(month))
        assert dict(listed["words"])["said"] == n
