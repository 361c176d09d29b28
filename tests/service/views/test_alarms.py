"""Alarms as they are shown: page by page, with the counts of their words around them."""

import json
from datetime import UTC, datetime

import pytest

from driftline.service.alarms import COLUMNS, AlarmRow
from driftline.service.store.keys import DAY, HOUR
from driftline.service.views import alarms
from driftline.streams.corpus import DEFAULT_TOKENIZER
from tests.service.running import story_lines, take, writing


@pytest.fixture
def raised(tmp_path):
    """Yield a database with 400 stories and 40 alarms of the word rain, one per week, some of them over."""
    with writing(str(tmp_path / "store")) as writer:
        lines = story_lines(400)
        take(writer, lines, batch=200)
        stories = [json.loads(line) for line in lines]
        begin = int(datetime.fromisoformat(stories[0]["time"]).astimezone(UTC).timestamp() * 1e6)
        keys = [key for (key,) in writer.database.execute("SELECT key FROM documents ORDER BY key LIMIT 3")]
        evidence = json.dumps({"words": ["rain"], "documents": [*keys, 1], "expected": 0.5, "seen": 4.0})
        marks = ", ".join("?" * 15)
        for k in range(1, 41):
            start = begin + 7 * k * DAY
            ended = start + 5 * DAY if k % 2 else None
            numbers = start, start + HOUR, ended, 0.95, 0.99, 3.0
            row = AlarmRow(k, "word", None, "rain", "off" if k % 2 else "on", *numbers, None, None, evidence, k)
            writer.database.execute(f"INSERT INTO alarms ({COLUMNS}) VALUES ({marks})", row)
        yield writer.database, stories


def test_pages_are_the_whole(raised):
    database, _ = raised
    numbers, after = [], None
    while True:
        found = alarms.alarm_list(database, state=None, first=None, last=None, after=after)
        assert len(json.dumps(found)) < 50_000
        numbers += [alarm["id"] for alarm in found["alarms"]]
        after = found["next"]
        if after is None:
            break
    assert numbers == list(range(40, 0, -1))
    assert sum(day["n"] for day in found["calendar"]) == 40


def test_a_curve_is_a_plain_count(raised):
    database, stories = raised
    tokens = DEFAULT_TOKENIZER.tokens([story["text"] for story in stories]).to_pylist()
    times = [datetime.fromisoformat(story["time"]).timestamp() for story in stories]
    for alarm in alarms.alarm_list(database, state="off", first=None, last=None, after=None)["alarms"]:
        evidence = alarm["evidence"]
        first, step = evidence["times"][0], evidence["times"][1] - evidence["times"][0]
        with_it = [t for t, words in zip(times, tokens) if "rain" in words]
        for start, value in zip(evidence["times"], evidence["values"]):
            if start + step <= alarm["ended"]:
                assert value == sum(start <= t < start + step for t in with_it)
        assert first < alarm["start"] <= evidence["times"][-1]
        assert len(evidence["documents"]) == 3  # the fourth was deleted
        assert any("«" in row["snippet"] for row in evidence["documents"]) == any(
            "rain" in words for words in tokens[:3]
        )


def test_cards_have_the_curve_and_no_documents(raised):
    database, _ = raised
    cards = alarms.alarms_at(database, None)
    assert [card["id"] for card in cards] == [40, 38, 36, 34, 32, 30, 28, 26]
    assert all(card["evidence"]["documents"] == [] and card["evidence"]["values"] for card in cards)
    then = alarms.alarms_at(database, int(cards[-1]["start"] * 1e6) - 3 * DAY)
    assert {card["state"] for card in then} == {"on"}
    assert 25 in {card["id"] for card in then}  # it was on then, and has ended since
