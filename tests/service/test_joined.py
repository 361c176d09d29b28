"""Several processes on one store in PostgreSQL: one learns, the others accept documents and answer requests."""

import contextlib
import json
import threading
import time

import pytest
from click.testing import CliRunner

from driftline.cli.main import cli
from driftline.service.json_records import read_lines
from driftline.service.learning import learner as learner_module
from driftline.service.sources import kafka as kafka_module
from driftline.service.sources.inbox import InboxSource, InboxWriter
from driftline.service.sources.kafka import KafkaSource
from driftline.service.store.batch_rows import claim_place, write_place
from driftline.service.store.opened import open_store
from driftline.service.submissions import Place, StaleGeneration, Submission, WriterQueue
from driftline.service.writer import Writer
from tests.service.running import send, served, story_lines, take, wait_for
from tests.service.store.postgres_schema import address  # noqa: F401

ANSWERS = ("overview?span=31536000", "topics?span=31536000", "documents?q=rain", "words/curves?word=rain", "alarms")


@pytest.fixture
def pair(address, monkeypatch):  # noqa: F811
    """Yield clients of a learning service and of one that has joined it."""
    monkeypatch.setattr(learner_module, "FIRST_FIT", 100)
    with served(address, n_topics=5) as learning:
        send(learning, story_lines(200))
        with served(address, n_topics=5, join=True) as joined:
            yield learning, joined


def same_batch(learning, joined):
    batch = learning.service.writer.batch
    wait_for(lambda: joined.service.writer.batch == batch)


def models(client):
    return client.service.queue.call(lambda live: live.learner.to_bytes()).result()


def test_the_same_models_and_answers(pair):
    learning, joined = pair
    lines = story_lines(1400)
    for start in range(200, 1400, 100):
        assert send(learning, lines[start : start + 100]).json()["taken"] == 100
        if start == 800:
            learning.service.queue.call(lambda writer: writer.save()).result()
    same_batch(learning, joined)
    assert models(joined) == models(learning)
    for path in ANSWERS:  # drifting words are cached for two seconds
        wait_for(lambda path=path: learning.get(f"/api/{path}").json() == joined.get(f"/api/{path}").json())
    assert joined.get("/api/health").json()["model"]["n_words"] > 100


def test_no_document_is_counted_twice_while_aggregates_are_saved(pair):
    learning, joined = pair
    lines = story_lines(500)
    wrong, done = [], threading.Event()

    def ask():
        while not done.is_set():
            before = joined.service.writer.n_documents
            n = sum(joined.get("/api/overview?span=31536000").json()["river"]["n_documents"])
            if not before <= n <= joined.service.writer.n_documents + 20:
                wrong.append((before, n))

    thread = threading.Thread(target=ask)
    thread.start()
    for start in range(200, 500, 20):
        send(learning, lines[start : start + 20])
        learning.service.queue.call(lambda writer: writer.save()).result()
    done.set()
    thread.join()
    assert not wrong


def test_documents_sent_to_either(pair):
    learning, joined = pair
    lines = story_lines(600)
    assert send(joined, [*lines[200:400], b"{"]).json()["taken"] == 200
    assert send(learning, lines[400:600]).json()["taken"] == 200
    wait_for(lambda: learning.service.writer.n_documents == 600)
    again = send(joined, lines[200:400]).json()
    assert (again["taken"], again["repeated"]) == (0, 200)
    wait_for(lambda: joined.get("/api/health").json()["n_rejected"] == 1)
    same_batch(learning, joined)
    assert models(joined) == models(learning)
    rows = learning.service.queue.call(lambda writer: writer.database.execute("SELECT 1 FROM inbox")).result()
    assert not rows
    assert joined.get("/api/documents").json()["total"] == 600


def test_changes_are_seen_and_refused_where_they_belong(pair):
    learning, joined = pair
    assert joined.post("/api/topics/1", json={"name": "x"}).status_code == 409
    assert joined.get("/api/suggestions").status_code == 409
    sent = []
    joined.service.hub.send = lambda kind, data, batch=None: sent.append(kind)
    learning.post("/api/topics/1", json={"name": "Weather"})
    key = learning.get("/api/documents").json()["documents"][0]["key"]
    learning.post("/api/labels", json={"key": key, "label": "news"})
    learning.request("DELETE", f"/api/documents/{key}", json={})
    wait_for(lambda: {"renamed", "label", "deleted"} <= set(sent))
    assert joined.get("/api/topics/1").json()["topic"]["name"] == "Weather"
    assert joined.get(f"/api/documents/{key}").status_code == 404
    send(learning, story_lines(300)[200:])
    same_batch(learning, joined)
    assert models(joined) == models(learning)


def test_an_old_generation_is_refused(address):  # noqa: F811
    database = open_store(address, writes=True)
    Writer(database, WriterQueue(), n_topics=5)
    old, new = InboxWriter(address), InboxWriter(address)
    place = Place("0", 5, None, claim_place(old.database, "kafka:news", "0")[2])
    records = read_lines(story_lines(20), now=2**60, secret=old.secret).records
    old.process([first := Submission("kafka:news", records[:5], place)])
    assert first.done.result().taken == 5
    stored, _, generation = claim_place(new.database, "kafka:news", "0")
    assert (stored, generation) == (5, 2)
    old.process([late := Submission("kafka:news", records[5:10], place._replace(place=10))])
    with pytest.raises(StaleGeneration):
        late.done.result()
    new.process([again := Submission("kafka:news", records[5:10], Place("0", 10, None, generation))])
    assert again.done.result().taken == 5
    assert database.execute("SELECT place, generation FROM places") == [(10, 2)]
    assert len(database.execute("SELECT 1 FROM inbox")) == 2
    for each in (old, new):
        each.database.close()
    database.close()


def test_two_writers_of_a_place_at_the_same_time(address):  # noqa: F811
    one, two = open_store(address, writes=True), open_store(address, writes=True)
    claim_place(one, "kafka:news", "0")
    with contextlib.ExitStack() as stack:
        stack.enter_context(two.transaction())
        two.execute("UPDATE places SET generation = 2")  # claimed, and not committed yet
        outcome = []

        def write():
            outcome.append(write_place(one, "kafka:news", "0", 9, None, 1, (0, 0, 0), None))

        late = threading.Thread(target=write)
        late.start()
        time.sleep(0.2)
        assert not outcome
    late.join()
    assert outcome == [False]
    assert one.execute("SELECT place, generation FROM places") == [(-1, 2)]
    one.close()
    two.close()


class Message:
    """A message of Kafka."""

    def __init__(self, offset, value, partition):
        self.parts = offset, value, partition

    def offset(self):
        return self.parts[0]

    def value(self):
        return self.parts[1]

    def partition(self):
        return self.parts[2]


class Partition:
    """A partition that is assigned to a consumer."""

    def __init__(self, partition):
        self.partition, self.offset = partition, None


class Consumer:
    """A consumer that accepts any assignment."""

    def assign(self, partitions):
        self.places = {each.partition: each.offset for each in partitions}


def test_a_consumer_group_stores_every_message_once(address, monkeypatch):  # noqa: F811
    monkeypatch.setattr(learner_module, "FIRST_FIT", 100)
    lines = [json.dumps({k: v for k, v in json.loads(x).items() if k != "id"}).encode() for x in story_lines(400)]
    log = [lines[:200], lines[200:]]  # two partitions
    learner = Writer(open_store(address, writes=True), WriterQueue(), n_topics=5)
    learner.start()
    inbox = InboxSource(address)
    inbox.start(learner)
    workers = [InboxWriter(address), InboxWriter(address)]
    sources = [KafkaSource("nowhere:1", "news") for _ in workers]
    consumers = [Consumer(), Consumer()]
    for worker in workers:
        worker.start()

    def deliver(k, partition, n):
        """Let a member of the group read further; refused messages are read again after the next assignment."""
        first = consumers[k].places[partition]
        first = max(first, 0)
        messages = [Message(first + i, log[partition][first + i], partition) for i in range(min(n, 200 - first))]
        for submission in sources[k].submissions(workers[k], messages):
            workers[k].queue.put(submission)
            try:
                submission.done.result(timeout=30)
                consumers[k].places[partition] = submission.place.place
            except StaleGeneration:
                return False
        return True

    try:
        sources[0].assigned(workers[0], consumers[0], [Partition(0), Partition(1)])
        assert deliver(0, 0, 60)
        assert deliver(0, 1, 30)
        sources[1].assigned(workers[1], consumers[1], [Partition(1)])  # the second one joins the group
        assert consumers[1].places == {1: 30}
        assert not deliver(0, 1, 50)  # the first one does not know yet, and is refused
        assert deliver(1, 1, 170)
        assert deliver(0, 0, 70)
        sources[1].assigned(workers[1], consumers[1], [Partition(0)])  # the first one has left
        assert deliver(1, 0, 200)
        wait_for(lambda: learner.n_documents == 400)
    finally:
        inbox.stop()
        for worker in workers:
            worker.stop()
            worker.database.close()
        learner.stop()
    texts = sorted(text for (text,) in learner.database.execute("SELECT text FROM documents"))
    assert texts == sorted(json.loads(line)["text"] for line in lines)
    assert learner.database.execute("SELECT sum(taken), sum(repeated) FROM places") == [(400, 0)]
    assert learner.database.execute("SELECT count(*) FROM inbox") == [(0,)]
    learner.database.close()


def test_an_assignment_forgets_submissions_of_the_previous_one(address):  # noqa: F811
    """Reading again because they are refused would reassign the partitions, and refuse those of the others."""
    database = open_store(address, writes=True)
    Writer(database, WriterQueue(), n_topics=5)
    worker, source, consumer = InboxWriter(address), KafkaSource("nowhere:1", "news"), Consumer()
    worker.start()
    source.assigned(worker, consumer, [Partition(0)])
    [late] = source.submissions(worker, [Message(0, story_lines(1)[0], 0)])
    source.in_order(late)
    source.assigned(worker, consumer, [Partition(0)])
    worker.queue.put(late)
    with pytest.raises(StaleGeneration):
        late.done.result(timeout=30)
    source.check_last()
    assert consumer.places == {0: kafka_module.BEGINNING}
    worker.stop()
    worker.database.close()
    database.close()


def test_a_source_that_was_refused_reads_again(tmp_path, monkeypatch):
    monkeypatch.setattr("driftline.service.sources.threaded.PAUSE", 0.01)
    tries = []

    def refused(self, writer):
        tries.append(1)
        if len(tries) < 3:
            raise StaleGeneration("another process has taken over kafka:news 0")

    monkeypatch.setattr(KafkaSource, "read", refused)
    source = KafkaSource("nowhere:1", "news")
    source.start(None)
    wait_for(lambda: source.state == "ended")
    assert len(tries) == 3


def test_a_stopped_learner_continues_with_the_inbox(address):  # noqa: F811
    first = Writer(open_store(address, writes=True), WriterQueue(), n_topics=5)
    take(first, story_lines(200))
    worker = InboxWriter(address)
    records = read_lines(story_lines(300), now=2**60, secret=worker.secret).records
    for start in range(200, 300, 10):
        worker.process([Submission("http:me", records[start : start + 10])])
    worker.database.close()
    first.database.close()
    again = Writer(open_store(address, writes=True), WriterQueue(), n_topics=5)
    again.start()
    inbox = InboxSource(address)
    inbox.start(again)
    wait_for(lambda: again.n_documents == 300)
    inbox.stop()
    again.stop()
    again.database.close()


def test_joining_an_empty_store(address):  # noqa: F811
    from driftline.service.follower import Follower
    from driftline.service.store.database import StoreError

    open_store(address, writes=True).close()
    with pytest.raises(StoreError, match="without --join"):
        Follower(address, n_topics=5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--join"], "postgresql://"),
        (["--join", "--store", "postgresql://x", "--demo"], "--demo belongs"),
        (["--join", "--store", "postgresql://x", "--keep", "9d"], "--keep belongs"),
        (["--refit-on", "dask://localhost:8786"], "postgresql://"),
        (["--refit-on", "localhost:8786"], "dask://HOST:PORT"),
    ],
)
def test_bad_options(tmp_path, arguments, message):
    store = [] if "--store" in arguments else ["--store", str(tmp_path / "store")]
    found = CliRunner().invoke(cli, ["serve", *arguments, *store])
    assert found.exit_code == 1
    assert message in found.output


@pytest.mark.slow
def test_refits_on_dask(address):  # noqa: F811
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, served(address, n_topics=5, refit_on=f"dask://{cluster.scheduler_address}") as client:
        send(client, story_lines(2500))
        assert client.post("/api/refit", json={}).status_code == 200
        wait_for(lambda: client.service.refits.finished, 120)
        assert client.service.refits.state == "idle", client.service.refits.reason
        assert client.service.writer.learner.version == 2
        with served(address, n_topics=5, join=True) as joined:
            send(client, story_lines(2600)[2500:])
            same_batch(client, joined)
            assert models(joined) == models(client)


def test_no_scheduler(monkeypatch):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    from driftline.service import refit_places

    monkeypatch.setattr(refit_places, "PATIENCE", 0.5)
    place = refit_places.refit_place("dask://127.0.0.1:1", "postgresql://db/news")
    with pytest.raises(refit_places.RefitFailed, match="does not answer"):
        place.run("postgresql://db/news", "fit", 1)
