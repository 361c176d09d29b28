"""The alarms in memory: those that can go on, and no others."""

from driftline.service.alarms import KNOWN, AlarmBook
from driftline.service.learning.hourly_bursts import WordBurstEvent
from driftline.service.learning.learner import ClosedHour
from driftline.service.store.keys import HOUR
from tests.service.running import story_lines, take, writing


def test_alarms_that_ended_long_ago_are_forgotten_and_stay_in_the_store(tmp_path):
    with writing(str(tmp_path / "store")) as writer:
        take(writer, story_lines(700))
        book, learner = AlarmBook(writer.database), writer.learner
        slot = int(learner.words.find(["rain"])[0])

        def close(hour, kind):
            event = WordBurstEvent(slot, kind, hour, 0.95 if kind == "begins" else 0.3, 3.0, 3.0, 9.0)
            return book.update(learner, [ClosedHour(hour, 10, [event])], [], [], 1)

        first = writer.newest // HOUR
        assert len(close(first, "begins")) == len(close(first + 1, "ends")) == 1
        assert close(first + 2, "begins")[0].id == close(first + 3, "ends")[0].id == 1  # continued
        later = first + KNOWN // HOUR + 10
        assert close(later, "begins")[0].id == 2
        assert list(book._rows) == [2]
        assert [number for (number,) in writer.database.execute("SELECT id FROM alarms ORDER BY id")] == [1, 2]
