"""Alarms in answers: page by page, with the counts of their words around them."""

import json
from datetime import UTC, datetime

import pytest

from driftline.service.alarms import COLUMNS, AlarmRow
from driftline.service.store.keys import DAY, HOUR
from driftline.service.views import alarms
from driftline.service.writer import microseconds
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
        assert any(len(row["snippet"]) > 1 for row in evidence["documents"]) == any(
            "rain" in words for words in tokens[:3]
        )


def test_cards_have_the_curve_and_no_documents(raised):
    database, _ = raised
    cards = alarms.alarms_at(database, None)
    assert [card["id"] for card in cards] == [40, 38, 36, 34, 32, 30, 28, 26]
    assert all(card["evidence"]["documents"] == [] and card["evidence"]["values"] for card in cards)
    then = alarms.alarms_at(database, int(cards[-1]["start"] * 1e6) - 3 * DAY)
    assert {card["state"] for card in then} == {"on"}
    database.execute("UPDATE alarms SET probability = 0.3, ratio = 1.1 WHERE id = 25")
    then = alarms.alarms_at(database, int(cards[-1]["start"] * 1e6) - 3 * DAY)
    (ended,) = [card for card in then if card["id"] == 25]
    assert (ended["probability"], ended["ratio"]) == (0.99, 8.0)  # as when it was on
    assert 25 in {card["id"] for card in then}  # it was on then, and has ended since


def test_the_curve_of_a_present_alarm_ends_now(raised):
    database, stories = raised
    newest = max(datetime.fromisoformat(story["time"]).timestamp() for story in stories)
    found = alarms.alarm_list(database, state="on", first=None, last=None, after=None)["alarms"]
    for alarm in found:
        times = alarm["evidence"]["times"]
        assert times[-1] <= max(newest, alarm["raised"]) < times[-1] + DAY / 1e6
        assert len(times) <= alarms.MOST_POINTS
    at = int((found[-1]["raised"] + 10 * DAY / 1e6) * 1e6)
    card = next(card for card in alarms.alarms_at(database, at, most=20) if card["id"] == found[-1]["id"])
    assert len(card["evidence"]["values"]) == 18  # a week before, and ten days: nothing that came later


def test_a_long_curve_is_its_end(raised):
    database, stories = raised
    database.execute("DELETE FROM alarms WHERE id > 2")
    (alarm,) = alarms.alarm_list(database, state="on", first=None, last=None, after=None)["alarms"]
    evidence = alarm["evidence"]
    assert len(evidence["times"]) == alarms.MOST_POINTS
    tokens = DEFAULT_TOKENIZER.tokens([story["text"] for story in stories]).to_pylist()
    with_it = [
        datetime.fromisoformat(story["time"]).timestamp() for story, words in zip(stories, tokens) if "rain" in words
    ]
    for start, value in zip(evidence["times"], evidence["values"]):
        assert value == sum(start <= t < start + DAY / 1e6 for t in with_it)


@pytest.mark.parametrize(("per_day", "step"), [(30.0, HOUR), (4.0, DAY)])
def test_rare_words_are_shown_by_day(raised, per_day, step):
    database, _ = raised
    evidence = json.dumps({"words": ["rain"], "documents": [], "expected": 0.5, "seen": per_day})
    database.execute("UPDATE alarms SET evidence = ?, ended = start + ? WHERE id = 1", (evidence, 20 * HOUR))
    times = alarms.one_alarm(database, 1)["evidence"]["times"]
    assert times[1] - times[0] == step / 1e6


def test_a_mute_that_is_over_is_not_shown(raised):
    database, _ = raised
    now = microseconds()
    database.execute("UPDATE alarms SET muted = ? WHERE id = 1", (now - HOUR,))
    database.execute("UPDATE alarms SET muted = ? WHERE id = 2", (now + HOUR,))
    assert alarms.one_alarm(database, 1)["muted_until"] is None
    assert alarms.one_alarm(database, 2)["muted_until"] == (now + HOUR) / 1e6


def test_all_alarms_that_are_on_are_counted(raised):
    database, stories = raised
    found = alarms.alarm_list(database, state=None, first=None, last=None, after=None)
    assert found["n_on"] == 20 > sum(alarm["state"] == "on" for alarm in found["alarms"])
    begin = int(datetime.fromisoformat(stories[0]["time"]).astimezone(UTC).timestamp() * 1e6)
    assert alarms.alarms_on(database, begin + 22 * DAY) == 2  # the second, and the third, which has ended since
