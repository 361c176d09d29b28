"""Curves of words are plain counts of the documents that contain them."""

import json

import numpy as np
import pytest

from driftline.service.alarms import COLUMNS, AlarmRow
from driftline.service.retention import remove_old
from driftline.service.store.keys import DAY, HOUR, period_starts
from driftline.service.views import word_history
from driftline.service.views.overview import DriftCache
from driftline.service.views.read_connections import Readers
from driftline.service.views.word_history import word_list, word_page
from driftline.streams.corpus import DEFAULT_TOKENIZER
from tests.service.running import story_lines, take, writing


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


def test_curves_after_texts_were_removed(tmp_path):
    lines = story_lines(1200)
    with writing(str(tmp_path / "store")) as writer:
        take(writer, lines, batch=300)
        writer.save()
        readers = Readers(str(tmp_path / "store"), writer, n=1)
        with readers.reading() as database:
            whole = word_page(readers, database, ["rain", "said", "the"], at=None, span=900 * DAY)
        times = sorted(moment for (moment,) in writer.database.execute("SELECT time FROM documents"))
        remove_old(writer, times[700])
        with readers.reading() as database:
            found = word_page(readers, database, ["rain", "said", "the"], at=None, span=900 * DAY)
        readers.close()
    assert [curve["known_since"] for curve in whole["words"]] == [None, None, None]
    assert found["words"][:2] == whole["words"][:2]
    before, after = (page["words"][2] for page in (whole, found))
    starts = np.array(found["times"])
    known = starts >= after["known_since"]
    assert 0 < known.sum() < len(known)
    assert (starts[known] * 1e6 > times[700] // HOUR * HOUR - DAY).all()
    for k, is_known in enumerate(known.tolist()):
        assert after["n_documents"][k] == (before["n_documents"][k] if is_known else None)
        assert after["values"][k] == (before["values"][k] if is_known else None)


@pytest.mark.parametrize(("ended", "ratio"), [(None, 1.4), (5 * DAY, 8.0)])
def test_a_burst_that_ended_has_the_ratio_when_it_was_raised(filled, ended, ratio):
    start = int(filled.times[100])
    evidence = json.dumps({"words": ["rain"], "documents": [], "expected": 0.5, "seen": 4.0})
    numbers = start, start + HOUR, None if ended is None else start + ended, 0.4, 0.99, 1.4
    row = AlarmRow(1, "word", None, "rain", "on" if ended is None else "off", *numbers, None, None, evidence, 1)
    database = filled.writer.database
    database.execute(f"INSERT INTO alarms ({COLUMNS}) VALUES ({', '.join('?' * len(row))})", row)
    try:
        with filled.readers.reading() as reading:
            found = word_page(filled.readers, reading, ["rain"], at=None, span=400 * DAY)
    finally:
        database.execute("DELETE FROM alarms")
    assert [burst["ratio"] for burst in found["words"][0]["bursts"]] == [ratio]


def test_bursts_of_words_with_accents_are_found(tmp_path):
    texts = [{"id": str(k), "time": 1.7e9 + 60 * k, "text": f"rain für{k % 2} flüchtlinge"} for k in range(20)]
    with writing(str(tmp_path / "store")) as writer:
        take(writer, [json.dumps(each).encode() for each in texts])
        evidence = json.dumps({"words": ["flüchtlinge"], "documents": [], "expected": 0.5, "seen": 4.0})
        start = int(1.7e15)
        row = AlarmRow(1, "word", None, "flüchtlinge", "on", start, start, None, 0.9, 0.9, 8.0, None, None, evidence, 1)
        writer.database.execute(f"INSERT INTO alarms ({COLUMNS}) VALUES ({', '.join('?' * len(row))})", row)
        readers = Readers(str(tmp_path / "store"), writer, n=1)
        with readers.reading() as reading:
            found = word_page(readers, reading, ["flüchtlinge", "rain"], at=None, span=DAY)
        readers.close()
    assert [len(curve["bursts"]) for curve in found["words"]] == [1, 0]
