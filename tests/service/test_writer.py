"""A batch is learned and committed atomically; after any stop, models and aggregates follow from the batches."""

import gc
import json
import weakref
from pathlib import Path

import numpy as np
import pytest

from driftline.service.recovery import recover
from driftline.service.store.batch_rows import batch_texts
from driftline.service.store.keys import hour_of
from driftline.service.store.opened import open_store
from driftline.service.store.period_aggregates import UNIT, unpack_topics
from driftline.service.store.period_words import unpack_words
from driftline.service.submissions import Full, Place, Submission
from driftline.service.writer import StaleGeneration
from tests.service.running import story_lines, take, wait_for, writing


def periods(database):
    return (
        *database.execute("SELECT level, start, kind, body FROM periods ORDER BY level, start, kind"),
        *database.execute("SELECT level, start, 'words', body FROM period_words ORDER BY level, start, block"),
    )


@pytest.fixture
def store(tmp_path):
    return str(tmp_path / "store")


def test_models_are_the_snapshot_and_a_replay(store):
    lines = story_lines(2500)
    with writing(store) as writer:
        take(writer, lines[:1600])
        writer.save()
        take(writer, lines[1600:])
        expected = writer.learner.to_bytes()
        assert writer.state.n_since == 900
    with writing(store) as again:
        assert again.state.n_since == 900
        assert again.learner.to_bytes() == expected
        again.save()
        with_replay = periods(again.database)
        from_nothing = recover(again.database, 6, after=0)
        assert from_nothing.learner.to_bytes() == expected
    other = store + "-2"
    with writing(other) as whole:
        take(whole, lines)
        whole.save()
        assert periods(whole.database) == with_replay


def test_an_interrupted_snapshot_does_not_count(store, monkeypatch):
    monkeypatch.setattr("driftline.service.store.models.PART", 10_000)
    lines = story_lines(2500)
    with writing(store) as writer:
        take(writer, lines[:1600])
        monkeypatch.setattr("driftline.service.writer.SNAPSHOT_DOCUMENTS", 800)
        take(writer, lines[1600:1800])  # copies the models
        copied = writer.batch
        steps = 0
        while writer.saving is not None and steps < 5:
            assert writer.state.snapshot < copied
            writer.save_further()
            steps += 1
        assert writer.saving is not None
        assert writer.database.execute("SELECT count(*) FROM model_parts")[0][0] > 5
        take(writer, lines[1800:2000])
        expected = writer.learner.to_bytes()
    with writing(store) as again:  # as after a kill
        assert again.learner.to_bytes() == expected
        assert again.state.snapshot < copied
        take(again, lines[2000:])
        while again.saving is not None:
            again.save_further()
        assert again.state.snapshot > copied
        parts = again.database.execute("SELECT DISTINCT version, batch FROM model_parts")
        assert sorted(parts) == sorted(again.database.execute("SELECT version, batch FROM models"))
        again.save()
        with_interruption = periods(again.database)
    with writing(store + "-2") as whole:
        take(whole, lines)
        whole.save()
        assert periods(whole.database) == with_interruption


def test_a_snapshot_that_cannot_be_written_stops_nothing(store, monkeypatch):
    lines = story_lines(1500)
    with writing(store) as writer:
        take(writer, lines[:1000])
        monkeypatch.setattr("driftline.service.writer.SNAPSHOT_DOCUMENTS", 300)

        def fail(*arguments):
            raise OSError("no space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(writer, "flush", fail)
            assert [each.taken for each in take(writer, lines[1000:])] == [200, 200, 100]
            while writer.saving is not None:
                writer.save_further()
        expected = writer.learner.to_bytes()
        assert writer.mark(writer.database) is not None
    with writing(store) as again:
        assert again.learner.to_bytes() == expected


def test_a_store_of_the_first_version_is_brought_up_to_date(store):
    from driftline.service.store.models import read_model

    with writing(store) as writer:
        take(writer, story_lines(900))
        writer.save()
        expected = writer.learner.to_bytes()
        with writer.database.transaction():  # the first version had the models in one row each
            for version, batch in writer.database.execute("SELECT version, batch FROM models"):
                body = read_model(writer.database, version, batch)
                writer.database.execute(
                    "UPDATE models SET body = ? WHERE version = ? AND batch = ?", (body, version, batch)
                )
            writer.database.execute("DROP TABLE model_parts")
            writer.database.execute("DROP INDEX documents_source")
            writer.database.execute("DROP TABLE period_words")
            writer.database.execute("UPDATE settings SET value = '1' WHERE name = 'schema'")
    with writing(store) as again:
        assert again.learner.to_bytes() == expected
        again.save()
        assert again.database.execute("SELECT value FROM settings WHERE name = 'schema'") == [("3",)]
    assert Path(store, "driftline.sqlite.before-3").is_file()


def test_topics_that_end_keep_the_words_of_the_moment_whenever_the_last_snapshot_was(store):
    from driftline.service.learning.learner import Learner
    from driftline.service.refits import NewModels
    from driftline.service.store.batch_rows import word_numbers

    lines = story_lines(1800)
    with writing(store) as writer:
        take(writer, lines[:900])
        writer.save()
        take(writer, lines[900:])  # learned after the snapshot
        expected = dict(zip(writer.learner.ids.tolist(), writer.learner.top_words()))
        new = Learner.of_bytes(body := writer.learner.to_bytes())
        new.version, new.ids = 2, new.ids + 100  # every topic ends
        models = NewModels(new, body, writer.batch, [], word_numbers(writer.database, new.words))
        models.store(writer)
        models.swap(writer)
        rows = writer.database.execute("SELECT id, words FROM topics WHERE present = 0")
        assert {topic: json.loads(words) for topic, words in rows} == expected


def test_documents_ahead_of_the_clock_are_stored_and_hold_no_hour_after_a_restart_either(store, monkeypatch):
    hour = 3_600_000_000
    now = [int(np.datetime64("2026-01-01T00:30", "us").astype(np.int64))]
    monkeypatch.setattr("driftline.service.writer.microseconds", lambda: now[0])
    rng = np.random.default_rng(0)

    def send(writer, text="", ahead=0):
        now[0] += hour
        rows = [" ".join(rng.choice([f"w{k}" for k in range(50)], 8)) + text for _ in range(20)]
        times = [now[0] / 1e6 + ahead * 3600, *[now[0] / 1e6] * 19]
        take(writer, [json.dumps({"time": t, "text": x}).encode() for t, x in zip(times, rows)])

    with writing(store) as writer:
        for _ in range(150):
            send(writer)
        writer.save()
        send(writer, ahead=23)
        expected = writer.learner.to_bytes()
        assert writer.newest == now[0] + 23 * hour
    with writing(store) as again:  # the batch is learned again at a later time, as if it were when it arrived
        assert again.learner.to_bytes() == expected
        for _ in range(4):
            send(again, " storm")
        [(raised,)] = again.database.execute("SELECT raised FROM alarms WHERE word = 'storm'")
        assert raised <= now[0]


def test_aggregates_are_counts_of_the_documents(store):
    with writing(store) as writer:
        take(writer, story_lines(1200))
        writer.save()
        database = writer.database
        hours = hour_of(np.array([key for (key,) in database.execute("SELECT key FROM documents")]))
        assert len(np.unique(hours)) == len([1 for row in periods(database) if row[0] == 0 and row[2] == "topics"])
        for level in (0, 1, 2):
            topics = [unpack_topics(row[3]) for row in periods(database) if row[0] == level and row[2] == "topics"]
            assert sum(found.n for found in topics) == 1200
            assert sum(sum(found.sums.values()) for found in topics) / UNIT == pytest.approx(1200, rel=1e-3)
        number = database.execute("SELECT number FROM words WHERE word = 'rain'")[0][0]
        words = [unpack_words(row[3]) for row in periods(database) if row[0] == 1 and row[2] == "words"]
        counted = sum(int(found.counts[found.words == number].sum()) for found in words)
        condition, values = database.match(["rain"])
        assert counted == database.execute(f"SELECT count(*) FROM documents WHERE {condition}", values)[0][0]


def test_a_failed_transaction_leaves_everything_as_it_was(store, monkeypatch):
    lines = story_lines(900)
    with writing(store) as writer:
        take(writer, lines[:700])
        before = writer.learner.to_bytes(), writer.batch

        def fail(*arguments):
            raise OSError("no space left on device")

        with monkeypatch.context() as patched:
            patched.setattr("driftline.service.writer.insert_documents", fail)
            with pytest.raises(OSError, match="no space"):
                take(writer, lines[700:])
        assert (writer.learner.to_bytes(), writer.batch) == before
        assert writer.database.execute("SELECT count(*) FROM documents") == [(700,)]
        assert take(writer, lines[700:])[0].taken == 200


def test_repetitions_are_known_after_retention(store):
    from driftline.service.retention import remove_old

    lines = story_lines(600)
    with writing(store) as writer:
        take(writer, lines)
        middle = int(np.datetime64("2025-07-01", "us").astype(np.int64))
        writer.save()
        before = periods(writer.database)
        n = remove_old(writer, middle)
        assert n > 200
        assert writer.database.execute("SELECT count(*) FROM documents") == [(600 - n,)]
        assert writer.database.faults() == []
        assert periods(writer.database) == before
        assert take(writer, lines)[0].repeated == 200


def test_retention_waits_for_the_snapshot(store):
    from driftline.service.retention import remove_old

    with writing(store) as writer:
        take(writer, story_lines(600))
        take(writer, story_lines(100, seed=5))
        writer.state = writer.state._replace(snapshot=0)
        assert remove_old(writer, 2**60) == 0


def test_places_move_with_the_documents_and_are_fenced(store):
    with writing(store) as writer:
        writer.process([first := Submission("kafka:a", [], Place("0", 10, None, 2))])
        assert first.done.result().taken == 0
        assert writer.database.execute("SELECT place, generation FROM places") == [(10, 2)]
        writer.process([stale := Submission("kafka:a", [], Place("0", 8, None, 1))])
        with pytest.raises(StaleGeneration):
            stale.done.result()
        assert writer.database.execute("SELECT place FROM places") == [(10,)]


def test_late_documents_fall_into_their_hour(store):
    lines = story_lines(300)
    with writing(store) as writer:
        take(writer, lines[100:])
        take(writer, lines[:100])
        rows = writer.database.execute("SELECT key, time FROM documents ORDER BY key")
        assert [row[1] // 3_600_000_000 for row in rows] == sorted(row[1] // 3_600_000_000 for row in rows)
        number, keys = writer.database.execute("SELECT number, keys FROM batches ORDER BY number DESC LIMIT 1")[0]
        texts = [text.text for text in batch_texts(writer.database, keys)]
        assert texts == [json.loads(line)["text"] for line in lines[:100]]
        assert number == 2


def test_planted_bursts_become_alarms(tmp_path):
    wire = story_lines(12_000)
    with writing(str(tmp_path / "store"), 10) as writer:
        take(writer, wire, batch=500)
        rows = writer.database.execute("SELECT word, evidence, raised, start FROM alarms ORDER BY id")
        words = {word for _, evidence, _, _ in rows for word in json.loads(evidence)["words"]}
        assert {"petra", "marlowe"} & words
        assert {"election", "turnout", "polling", "candidates"} & words
        assert all(len(json.loads(evidence)["documents"]) >= 1 for _, evidence, _, _ in rows)
        assert all(start <= raised for _, _, raised, start in rows)


def test_no_alarm_in_a_stream_without_drift(tmp_path):
    from driftline.datasets.newswire import simulate_newswire

    wire = simulate_newswire(8000, random_state=2, drift=0.0)
    lines = [
        json.dumps({"id": i, "time": str(t) + "Z", "text": x}).encode()
        for i, t, x in zip(wire.ids, wire.times, wire.texts)
    ]
    with writing(str(tmp_path / "store"), 10) as writer:
        take(writer, lines, batch=500)
        assert writer.database.execute("SELECT count(*) FROM alarms") == [(0,)]


def test_a_newer_store_and_a_foreign_file_are_refused(tmp_path):
    from driftline.service.store.database import StoreError

    store = tmp_path / "store"
    with writing(str(store)) as writer:
        writer.database.execute("UPDATE settings SET value = '99' WHERE name = 'schema'")
    with pytest.raises(StoreError, match="newer driftline"):
        open_store(str(store), writes=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "driftline.sqlite").write_bytes(b"this is not a database, and far too short" * 50)
    with pytest.raises(StoreError, match="restore a backup"):
        open_store(str(other), writes=True)


def test_one_service_per_store(store):
    from driftline.service.store.database import StoreError

    one = open_store(store, writes=True)
    one.lock()
    two = open_store(store, writes=True)
    with pytest.raises(StoreError, match="another service"):
        two.lock()
    one.close()
    two.close()


def test_backup_while_writing(store, tmp_path):
    with writing(store) as writer:
        take(writer, story_lines(600))
        folder = tmp_path / "copy"
        folder.mkdir()
        reader = open_store(store, writes=False)
        reader.backup(str(folder / "driftline.sqlite"))
        expected = writer.learner.to_bytes()
    with writing(str(folder)) as copied:
        assert copied.learner.to_bytes() == expected
        assert copied.database.faults() == []


def test_who_gives_up_waiting_does_not_stop_the_writer(store):
    with writing(store) as writer:
        given_up, command = Submission("test", []), writer.queue.call(lambda _: 1)
        writer.queue.put(given_up)
        assert not given_up.done.cancel()
        assert not command.cancel()
        writer.start()
        writer.stop()
        assert writer.failure is None
        assert given_up.done.result().taken == 0
        assert command.result() == 1


def test_a_closed_queue_is_emptied_for_some_seconds_only(store, monkeypatch):
    monkeypatch.setattr("driftline.service.submissions.DRAIN_SECONDS", 0.0)
    with writing(store) as writer:
        writer.queue.put(late := Submission("test", []))
        writer.start()
        writer.stop()
        with pytest.raises(Full):
            late.done.result()
        assert writer.failure is None


def test_a_command_that_was_run_is_not_kept(store):
    """It may contain the models of a refit as bytes; the next command may come hours later."""

    class Models:
        def swap(self, writer):
            return 5

    with writing(store) as writer:
        writer.start()
        models = Models()
        kept = weakref.ref(models)
        assert writer.queue.call(models.swap).result() == 5
        del models
        try:
            wait_for(lambda: gc.collect() >= 0 and kept() is None, seconds=30)
        finally:
            writer.stop()
