"""Alarms begin, are continued and end with the bursts of their words and topics."""

import pytest

from driftline.service.alarms import KNOWN, AlarmBook
from driftline.service.learning.hourly_bursts import WordBurstEvent
from driftline.service.learning.learner import ClosedHour
from driftline.service.learning.topic_watch import TopicBurstEvent
from driftline.service.store.keys import HOUR
from tests.service.running import story_lines, take, writing


def test_alarms_that_ended_long_ago_are_forgotten_and_stay_in_the_store(tmp_path):
    with writing(str(tmp_path / "store")) as writer:
        take(writer, story_lines(700))
        book, learner = AlarmBook(writer.database), writer.learner
        slot = int(learner.words.find(["rain"])[0])

        def close(hour, kind, since=None):
            since = hour if since is None else since
            event = WordBurstEvent(slot, kind, since, 0.95 if kind == "begins" else 0.3, 3.0, 3.0, 9.0)
            return book.update(learner, [ClosedHour(hour, 10, [event])], [], [], 1)

        first = writer.newest // HOUR
        assert len(close(first, "begins")) == len(close(first + 1, "ends")) == 1
        assert close(first + 2, "begins")[0].id == close(first + 3, "ends")[0].id == 1  # continued
        assert close(first + 200, "ends", first) == []
        assert close(first + 300, "begins", first + 2)[0].id == 1  # the burst of then, which has not quite ended
        assert close(first + 301, "ends")[0].id == 1
        later = first + KNOWN // HOUR + 500
        assert close(later, "begins")[0].id == 2
        assert list(book._rows) == [2]
        assert [number for (number,) in writer.database.execute("SELECT id FROM alarms ORDER BY id")] == [1, 2]


def word_events(learner, *kinds):
    """Return events of the words rain, storm, … that begin, continue or end."""
    slots = learner.words.find([word for word, _ in kinds]).tolist()
    return [
        WordBurstEvent(slot, kind, 0, 0.3 if kind == "ends" else 0.95, 3.0, 3.0, 9.0)
        for slot, (_, kind) in zip(slots, kinds)
    ]


@pytest.mark.parametrize("is_restarted", [False, True])
def test_an_alarm_ends_with_the_last_of_its_words_listed_or_not(tmp_path, monkeypatch, is_restarted):
    with writing(str(tmp_path / "store")) as writer:
        take(writer, story_lines(700))
        learner = writer.learner
        words = learner.words.words()[:10]
        monkeypatch.setattr(learner, "together", lambda slot, groups: [1.0] * len(groups))  # all belong together
        book, first = AlarmBook(writer.database), writer.newest // HOUR

        def close(hour, *kinds):
            return book.update(learner, [ClosedHour(first + hour, 10, word_events(learner, *kinds))], [], [], 1)

        (row, *_) = close(0, *((word, "begins") for word in words))
        assert len(row.words) == 8
        assert len(row.bursting) == 10
        assert not close(1, *((word, "ends") for word in words[:9]), (words[9], "continues"))
        if is_restarted:
            book = AlarmBook(writer.database)
        assert not close(2, (words[9], "continues"))
        (ended,) = close(3, (words[9], "ends"))
        assert (ended.id, ended.state) == (row.id, "off")


def test_an_alarm_whose_word_is_no_longer_followed_ends(tmp_path):
    with writing(str(tmp_path / "store")) as writer:
        take(writer, story_lines(700))
        book, first = AlarmBook(writer.database), writer.newest // HOUR
        (raised,) = book.update(
            writer.learner, [ClosedHour(first, 10, word_events(writer.learner, ("rain", "begins")))], [], [], 1
        )
        (ended,) = book.update(writer.learner, [ClosedHour(first + 1, 10, [])], [], [], 2)
        assert (ended.id, ended.state, ended.ended) == (raised.id, "off", (first + 2) * HOUR)


def test_an_alarm_of_a_topic_is_as_frequent_as_its_documents_are_now_and_ends_with_its_topic(tmp_path):
    with writing(str(tmp_path / "store")) as writer:
        take(writer, story_lines(700))
        book, learner, now = AlarmBook(writer.database), writer.learner, writer.newest
        (raised,) = book.update(learner, [], [TopicBurstEvent(1, "begins", 0, 0.95, 4.0)], [now], 1)
        assert raised.ratio == 4.0
        learner.watch.bursting[1] = 1
        assert book.update(learner, [], [TopicBurstEvent(1, "continues", 0, 0.6, 2.0)], [now + HOUR], 2) == []
        assert not book.swapped(learner, now + 2 * HOUR)
        [(probability, ratio)] = writer.database.execute("SELECT probability, ratio FROM alarms")
        assert (probability, ratio) == (0.6, 2.0)
        learner.watch.bursting[1] = 0  # as in the models of a refit, in which the topic does not burst
        (ended,) = book.swapped(learner, now + 2 * HOUR)
        assert (ended.state, ended.ended) == ("off", now + 2 * HOUR)
        assert writer.database.execute("SELECT state FROM alarms") == [("off",)]
