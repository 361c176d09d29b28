"""Sources: followed files, archives, the newswire, Kafka (mock), NATS."""

import asyncio
import itertools
import json
import socket
import time

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from driftline.core.errors import InvalidInput
from driftline.service.sources.demonstration_feed import NewswireSource, with_full_names
from driftline.service.sources.files import BackfillSource, FollowSource
from driftline.service.sources.kafka import KafkaSource
from driftline.service.sources.nats import NatsSource
from driftline.service.writer import Writer
from tests.service import kafka_broker
from tests.service.running import story_lines, wait_for, writing


def run(store, make, until):
    """Run sources on a store until a condition on the writer holds."""
    with writing(str(store)) as writer:
        writer.start()
        sources = make()
        for source in sources:
            source.start(writer)
        try:
            wait_for(lambda: until(writer))
        finally:
            for source in sources:
                source.stop()
            writer.stop()
        assert writer.failure is None
        return writer.n_documents


def stored(writer):
    return writer.n_documents


def test_follow_continues_where_it_stopped(tmp_path):
    path = tmp_path / "app.jsonl"
    lines = story_lines(900)
    path.write_bytes(b"\n".join(lines[:400]) + b"\nnot json\n")
    run(tmp_path / "store", lambda: [FollowSource(path)], lambda w: stored(w) == 400)
    with path.open("ab") as file:
        file.write(b"\n".join(lines[400:]) + b"\n")
    run(tmp_path / "store", lambda: [FollowSource(path)], lambda w: stored(w) == 900)
    with writing(str(tmp_path / "store")) as writer:
        assert writer.database.execute("SELECT taken, rejected, repeated FROM places") == [(900, 1, 0)]


def test_follow_rotated_file(tmp_path):
    path = tmp_path / "app.jsonl"
    lines = story_lines(60)
    path.write_bytes(b"\n".join(lines[:30]) + b"\n")
    run(tmp_path / "store", lambda: [FollowSource(path)], lambda w: stored(w) == 30)
    path.rename(tmp_path / "app.1.jsonl")
    path.write_bytes(b"\n".join(lines[30:]) + b"\n")
    assert run(tmp_path / "store", lambda: [FollowSource(path)], lambda w: stored(w) == 60) == 60


def test_a_file_that_comes_back_is_open_again(tmp_path):
    path = tmp_path / "app.jsonl"
    lines = story_lines(60)
    path.write_bytes(b"\n".join(lines[:30]) + b"\n")
    source = FollowSource(path)

    def rotated_slowly(writer):
        if stored(writer) == 30:
            path.rename(tmp_path / "app.1.jsonl")
            wait_for(lambda: source.state == "the file is missing")
            path.write_bytes(b"\n".join(lines[30:]) + b"\n")
        return stored(writer) == 60 and source.state == "open"

    run(tmp_path / "store", lambda: [source], rotated_slowly)


def fail_in(monkeypatch, batches):
    """Make the writer fail to store the batches with these numbers, counted from one, as with a full disk."""
    store, number = Writer._store, itertools.count(1)

    def failing(self, submissions):
        if next(number) in batches:
            raise OSError("no space")
        return store(self, submissions)

    monkeypatch.setattr(Writer, "_store", failing)
    monkeypatch.setattr("driftline.service.sources.threaded.PAUSE", 0.05)


@pytest.mark.parametrize("kind", ["follow", "backfill", "newswire"])
@pytest.mark.parametrize("batches", [{2}, {1, 3, 4}, {6}])
def test_what_was_not_stored_is_read_again(tmp_path, monkeypatch, kind, batches):
    monkeypatch.setattr("driftline.service.sources.files.MOST_DOCUMENTS", 50)
    monkeypatch.setattr("driftline.service.submissions.MOST_DOCUMENTS", 50)
    fail_in(monkeypatch, batches)
    path = tmp_path / "app.jsonl"
    lines = story_lines(300)
    path.write_bytes(b"\n".join(lines) + b"\n")
    source = {
        "follow": lambda: FollowSource(path),
        "backfill": lambda: BackfillSource(str(path)),
        "newswire": lambda: NewswireSource(0.0, n_documents=300),
    }[kind]
    assert run(tmp_path / "store", lambda: [source()], lambda w: stored(w) >= 300) == 300
    with writing(str(tmp_path / "store")) as writer:
        texts = sorted(text for (text,) in writer.database.execute("SELECT text FROM documents"))
        shown = with_full_names if kind == "newswire" else str
        assert texts == sorted(shown(json.loads(line)["text"]) for line in lines)


def test_backfill_then_follow(tmp_path):
    lines = story_lines(300)
    archive, growing = tmp_path / "archive.jsonl", tmp_path / "app.jsonl"
    archive.write_bytes(b"\n".join(reversed(lines[:200])) + b"\n")
    growing.write_bytes(b"\n".join(lines[200:]) + b"\n")

    def make():
        first = BackfillSource(str(archive))
        return [first, FollowSource(growing, after=(first,))]

    assert run(tmp_path / "store", make, lambda w: stored(w) == 300) == 300
    with writing(str(tmp_path / "store")) as writer:
        times = writer.database.execute("SELECT d.time FROM documents d WHERE source LIKE 'backfill%' ORDER BY key")
        assert times == sorted(times)


def test_a_missing_archive_is_reported(tmp_path):
    with writing(str(tmp_path / "store")) as writer:
        writer.start()
        source = BackfillSource(str(tmp_path / "no such file"))
        source.start(writer)
        wait_for(lambda: "no such file" in source.state)
        source.stop()
        writer.stop()


def test_documents_of_archives_without_ids_are_all_stored(tmp_path):
    lines = story_lines(120)
    rows = [json.loads(line) for line in lines]
    for name, part in [("one", rows[:60]), ("two", rows[60:])]:
        plain = [json.dumps({"time": row["time"], "text": row["text"]}) for row in part]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(plain) + "\n")
    make = lambda: [BackfillSource(str(tmp_path / f"{name}.jsonl")) for name in ("one", "two")]
    assert run(tmp_path / "store", make, lambda w: stored(w) == 120) == 120
    with writing(str(tmp_path / "store")) as writer:
        assert writer.database.execute("SELECT count(*), count(id) FROM documents") == [(120, 0)]


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_archives_in_which_only_some_documents_have_ids_are_stored_completely(tmp_path, kind):
    """The number of a record stood for a missing id, and was that of another record, or of one in another archive."""
    rows = [{"time": f"2025-01-01T0{k}:00:00Z", "text": f"story {k}", "id": ""} for k in range(8)]
    for name, part in [("one", rows[:4]), ("two", rows[4:])]:
        ids = [None, "4" if name == "one" else "5", None if kind == "parquet" else "", None]
        table = pa.Table.from_pylist([{**row, "id": own} for row, own in zip(part, ids)])
        path = tmp_path / f"{name}.{kind}"
        if kind == "parquet":
            pq.write_table(table, path)
        elif kind == "csv":
            pacsv.write_csv(table, path)
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    make = lambda: [BackfillSource(str(tmp_path / f"{name}.{kind}")) for name in ("one", "two")]
    assert run(tmp_path / "store", make, lambda w: stored(w) == 8) == 8
    copy = tmp_path / f"copy.{kind}"
    copy.write_bytes((tmp_path / f"one.{kind}").read_bytes())
    over = lambda w: w.database.execute("SELECT repeated FROM places WHERE source LIKE '%copy%'") == [(4,)]
    run(tmp_path / "store", lambda: [BackfillSource(str(copy))], over)
    with writing(str(tmp_path / "store")) as writer:
        ids = {name for (name,) in writer.database.execute("SELECT id FROM documents")}
    assert ids == {None, "4", "5"}


def test_equal_lines_of_an_archive_count_and_are_known_under_another_name(tmp_path, monkeypatch):
    monkeypatch.setattr("driftline.service.sources.files.MOST_DOCUMENTS", 5)
    fail_in(monkeypatch, {2})  # reading starts again between equal lines
    lines = [json.dumps({"time": "2025-01-01T10:00:00Z", "text": text}) for text in ["tick", "tock"] * 6]
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    first = run(tmp_path / "store", lambda: [BackfillSource(str(tmp_path / "a.jsonl"))], lambda w: stored(w) == 12)
    assert first == 12

    def over(writer):
        rows = writer.database.execute("SELECT taken, repeated FROM places WHERE source LIKE '%b.jsonl'")
        return rows == [(0, 12)]

    run(tmp_path / "store", lambda: [BackfillSource(str(tmp_path / "b.jsonl"))], over)


def test_records_that_the_reader_rejects_are_counted_and_listed_without_their_values(tmp_path):
    path = tmp_path / "archive.jsonl"
    bad = [b'{"time": "my secret", "text": "x"}', b"not json", b'{"time": "2025-01-01"}'] + [b"{"] * 20
    path.write_bytes(b"\n".join([*story_lines(30), *bad]) + b"\n")
    for _ in range(2):  # they are not counted again after a restart
        run(tmp_path / "store", lambda: [BackfillSource(str(path))], lambda w: stored(w) == 30)
    with writing(str(tmp_path / "store")) as writer:
        assert writer.database.execute("SELECT taken, rejected, repeated FROM places") == [(30, 23, 0)]
        listed = writer.database.execute("SELECT place, reason FROM rejections")
    assert ("archive.jsonl, line 31", "unreadable time") in listed
    assert ("archive.jsonl, line 32", "broken JSON") in listed
    assert "secret" not in str(listed)


def test_an_archive_that_cannot_be_read_is_reported_once_and_files_are_followed(tmp_path, caplog):
    damaged, growing = tmp_path / "damaged.parquet", tmp_path / "app.jsonl"
    damaged.write_bytes(b"PAR1" + bytes(1000) + b"PAR1")
    growing.write_bytes(b"\n".join(story_lines(40)) + b"\n")
    archive = BackfillSource(str(damaged))
    run(tmp_path / "store", lambda: [archive, FollowSource(growing, after=(archive,))], lambda w: stored(w) == 40)
    assert "cannot be read" in archive.state
    reported = [each.getMessage() for each in caplog.records if "damaged.parquet" in each.getMessage()]
    assert len(reported) == 1
    assert "\n" not in reported[0]


def test_a_fault_that_lasts_is_logged_once(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("driftline.service.sources.threaded.PAUSE", 0.01)
    tries = []

    def fail(self, writer):
        tries.append(1)
        raise OSError("the network is down" if len(tries) < 10 else "the address is gone")

    monkeypatch.setattr(FollowSource, "read", fail)
    with writing(str(tmp_path / "store")) as writer:
        source = FollowSource(tmp_path / "app.jsonl")
        source.start(writer)
        wait_for(lambda: len(tries) > 20)
        source.stop()
    assert len(caplog.records) == 2


def test_newswire_continues(tmp_path):
    def fast():
        return [NewswireSource(0.001, n_documents=365)]

    first = run(tmp_path / "store", fast, lambda w: stored(w) > 20)
    assert run(tmp_path / "store", fast, lambda w: stored(w) == 365) == 365
    assert first > 20


@pytest.mark.parametrize("address", ["news", "localhost:9092/", "/news"])
def test_bad_addresses(address):
    with pytest.raises(InvalidInput, match="write"):
        KafkaSource.of_address(address)
    with pytest.raises(InvalidInput, match="write"):
        NatsSource.of_address(address)


@pytest.fixture
def kafka():
    """Yield brokers of librdkafka's mock cluster, or of a real one, and a producer."""
    confluent = pytest.importorskip("confluent_kafka")
    producer = confluent.Producer(kafka_broker.cluster())
    brokers = producer.list_topics(timeout=10).brokers.values()
    yield ",".join(f"{broker.host}:{broker.port}" for broker in brokers), producer
    producer.flush(5)


def test_kafka_resumes_exactly(tmp_path, kafka):
    brokers, producer = kafka
    topic = kafka_broker.new_topic()
    lines = [json.dumps({k: v for k, v in json.loads(line).items() if k != "id"}).encode() for line in story_lines(600)]
    for line in lines[:250]:
        producer.produce(topic, line)
    producer.flush(10)

    def make():
        return [KafkaSource(brokers, topic, group=f"group-{time.time_ns()}", more=kafka_broker.SETTINGS)]

    run(tmp_path / "store", make, lambda w: stored(w) == 250)
    for line in [*lines[250:], b"not json"]:
        producer.produce(topic, line)
    producer.flush(10)
    assert run(tmp_path / "store", make, lambda w: stored(w) == 600) == 600
    with writing(str(tmp_path / "store")) as writer:
        rows = writer.database.execute("SELECT sum(place), sum(taken), sum(repeated) FROM places WHERE place >= 0")
        assert rows[0][1:] == (600, 0)
        assert rows[0][0] in (600, 601)


def test_services_with_different_stores_each_read_the_whole_topic(tmp_path, kafka):
    brokers, producer = kafka
    topic = kafka_broker.new_topic()
    for line in story_lines(60):
        producer.produce(topic, line)
    producer.flush(10)

    def make():
        return [KafkaSource(brokers, topic, more=kafka_broker.SETTINGS)]

    with writing(str(tmp_path / "one")) as one:
        one.start()
        [first] = make()
        first.start(one)
        wait_for(lambda: stored(one) == 60)
        assert run(tmp_path / "two", make, lambda w: stored(w) == 60) == 60  # while the first one reads
        first.stop()
        one.stop()


def listens(port):
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.skipif(not listens(4222), reason="no NATS server listens on 127.0.0.1:4222")
def test_nats_acknowledges_after_the_commit(tmp_path):
    nats = pytest.importorskip("nats")
    subject = f"driftline-test-{time.time_ns()}"
    lines = [json.dumps({k: v for k, v in json.loads(line).items() if k != "id"}).encode() for line in story_lines(300)]

    async def publish(part):
        client = await nats.connect("nats://127.0.0.1:4222")
        stream = client.jetstream()
        await stream.add_stream(name=subject, subjects=[subject])
        for line in part:
            await stream.publish(subject, line)
        await client.close()

    async def remove():
        client = await nats.connect("nats://127.0.0.1:4222")
        await client.jetstream().delete_stream(subject)
        await client.close()

    def make():
        return [NatsSource("nats://127.0.0.1:4222", subject, ack_wait=2.0)]

    try:
        asyncio.run(publish(lines[:120]))
        run(tmp_path / "store", make, lambda w: stored(w) == 120)
        asyncio.run(publish(lines[120:]))
        assert run(tmp_path / "store", make, lambda w: stored(w) == 300) == 300
    except Exception as error:
        if "jetstream" in str(error).lower() or "NoResponders" in type(error).__name__:
            pytest.skip("the NATS server has no JetStream")
        raise
    finally:
        asyncio.run(remove())


def test_nats_waits_for_messages_on_the_same_connection(tmp_path, monkeypatch):
    """The client raises its own TimeoutError, or the plain one, if no message arrives in time."""
    nats = pytest.importorskip("nats")
    connected, fetched = [], []

    class Client:
        def jetstream(self):
            return self

        async def pull_subscribe(self, subject, **options):
            return self

        async def fetch(self, n, timeout):
            fetched.append(n)
            await asyncio.sleep(0.01)
            raise (TimeoutError if len(fetched) % 2 else nats.errors.TimeoutError)

        async def close(self):
            pass

    async def connect(server, **options):
        connected.append(server)
        return Client()

    monkeypatch.setattr(nats, "connect", connect)
    monkeypatch.setattr("driftline.service.sources.threaded.PAUSE", 0.01)
    run(tmp_path / "store", lambda: [NatsSource("nats://127.0.0.1:4222", "news")], lambda w: len(fetched) > 5)
    assert len(connected) == 1


def test_a_missing_archive_is_reported_and_files_are_followed(tmp_path, caplog):
    path = tmp_path / "app.jsonl"
    path.write_bytes(b"\n".join(story_lines(40)) + b"\n")
    archive = BackfillSource(str(tmp_path / "missing.parquet"))
    run(tmp_path / "store", lambda: [archive, FollowSource(path, after=(archive,))], lambda w: stored(w) == 40)
    assert "missing.parquet" in archive.state
    assert "is not read" in caplog.text
    assert "trying again" not in caplog.text
