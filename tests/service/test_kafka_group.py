"""Processes that share a topic of a real Kafka, which reassigns its partitions when one joins or ends."""

import contextlib
import json
import threading
import time

import pytest

from driftline.service.learning import learner as learner_module
from driftline.service.sources import kafka as kafka_module
from driftline.service.sources.inbox import InboxWriter
from driftline.service.sources.kafka import KafkaSource
from tests.service import kafka_broker
from tests.service.running import served, story_lines, wait_for
from tests.service.store.postgres_schema import address  # noqa: F401

PARTITIONS = 4

needs_broker = pytest.mark.skipif(not kafka_broker.ADDRESS, reason="DRIFTLINE_TEST_KAFKA names no broker")


@pytest.fixture
def topic():
    """Yield a producer and the name of a new topic with several partitions."""
    kafka = pytest.importorskip("confluent_kafka")
    from confluent_kafka.admin import AdminClient, NewTopic

    name = kafka_broker.new_topic()
    with contextlib.suppress(kafka.KafkaException):  # brokers before 0.10.1 create topics on first use only
        AdminClient(kafka_broker.cluster()).create_topics([NewTopic(name, PARTITIONS, 1)])[name].result(10)
    producer = kafka.Producer(kafka_broker.cluster())
    found = wait_for(lambda: producer.list_topics(name, timeout=10).topics[name].partitions, 20)
    if len(found) < PARTITIONS:
        pytest.skip(f"the broker made a topic of {len(found)} partitions; start it with num.partitions={PARTITIONS}")
    yield producer, name
    producer.flush(5)


def source_of(topic):
    return KafkaSource(kafka_broker.ADDRESS, topic, more={**kafka_broker.SETTINGS, "session.timeout.ms": 6_000})


def shared(one, two):
    both = one.partitions, two.partitions
    return all(both) and not both[0] & both[1] and both[0] | both[1] == set(range(PARTITIONS))


@needs_broker
@pytest.mark.slow
def test_members_join_and_end_while_messages_arrive(address, topic, monkeypatch):  # noqa: F811
    monkeypatch.setattr(learner_module, "FIRST_FIT", 100)
    monkeypatch.setattr(kafka_module, "AT_A_TIME", 5)
    store = InboxWriter.process

    def slowly(self, submissions):
        time.sleep(0.3)  # submissions wait when partitions are assigned, and their generation is then an old one
        store(self, submissions)

    monkeypatch.setattr(InboxWriter, "process", slowly)
    producer, name = topic
    lines = [json.dumps({k: v for k, v in json.loads(x).items() if k != "id"}).encode() for x in story_lines(3_000)]
    sent, going = [], threading.Event()

    def produce():
        for number, line in enumerate(lines):
            producer.produce(name, line, partition=number % PARTITIONS)
            sent.append(line)
            if going.wait(0.01):
                break
        producer.flush(10)

    thread = threading.Thread(target=produce)
    with served(address, n_topics=5) as learning:
        stored = lambda: learning.service.writer.n_documents
        first, second, third = (source_of(name) for _ in range(3))
        with served(address, n_topics=5, join=True, sources=[second]):
            with served(address, n_topics=5, join=True, sources=[first]):
                thread.start()
                wait_for(lambda: stored() > 100)
                wait_for(lambda: shared(first, second))
                before = stored()
                wait_for(lambda: stored() > before + 100)
            with served(address, n_topics=5, join=True, sources=[third]):  # the first has ended
                wait_for(lambda: shared(second, third))
                before = stored()
                wait_for(lambda: stored() > before + 100)
                going.set()
                thread.join()
                wait_for(lambda: stored() >= len(sent), 60)
        time.sleep(1)
        with learning.service.readers.reading() as database:
            texts = sorted(text for (text,) in database.execute("SELECT text FROM documents"))
            repeated = database.execute("SELECT sum(repeated) FROM places")
    assert texts == sorted(json.loads(line)["text"] for line in sent)
    assert repeated == [(0,)]
