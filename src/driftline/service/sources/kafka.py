"""Kafka: a plain consumer whose offsets are in our store, committed together with the documents, not at the broker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driftline.core.errors import InvalidInput, MissingDependency
from driftline.service.json_records import digest_of, read_lines
from driftline.service.sources.threaded import ThreadedSource
from driftline.service.store.batch_rows import claim_place
from driftline.service.submissions import Intake, Place, Submission
from driftline.service.writer import microseconds

if TYPE_CHECKING:
    from confluent_kafka import Consumer, TopicPartition


AT_A_TIME = 500
WAIT = 0.1
BEGINNING = -2
"""Kafka's number for the first message of a partition."""


class KafkaSource(ThreadedSource):
    """Consume a topic, in a consumer group of the processes of this store, unless another group is named.

    When a partition is assigned, this process claims it by increasing its generation in the store, and seeks to the
    stored offset; later submissions of a previous owner are refused. Nothing is committed to the broker.
    """

    kind = "kafka"

    def __init__(
        self, brokers: str, topic: str, group: str | None = None, more: dict[str, object] | None = None
    ) -> None:
        super().__init__(f"kafka:{topic}")
        self.unit = "messages"
        self._topic, self._group = topic, group
        self._settings: dict[str, object] = {
            "bootstrap.servers": brokers,
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": "earliest",
            **(more or {}),
        }
        self._generations: dict[int, int] = {}

    @classmethod
    def of_address(cls, address: str, more: dict[str, object] | None = None) -> KafkaSource:
        """Make a source from an address such as ``broker:9092/topic``, and settings of the client.

        >>> KafkaSource.of_address("localhost:9092/news").name
        'kafka:news'
        """
        brokers, _, topic = address.rpartition("/")
        if not brokers or not topic:
            raise InvalidInput(f"--kafka {address}: write BROKER:PORT/TOPIC, such as localhost:9092/news")
        return cls(brokers, topic, more=more)

    @property
    def partitions(self) -> set[int]:
        """The partitions that are assigned to this process."""
        return set(self._generations)

    def read(self, writer: Intake) -> None:
        """Consume until stopped."""
        try:
            from confluent_kafka import Consumer, KafkaError
        except ImportError as error:
            raise MissingDependency("--kafka", "confluent-kafka", "service") from error
        consumer = Consumer({"group.id": self._group or group_of(writer.secret), **self._settings})
        try:
            consumer.subscribe(
                [self._topic],
                on_assign=lambda c, parts: self.assigned(writer, c, parts),
                on_revoke=lambda c, parts: self.revoked(),
            )
            while not self.stopped.is_set():
                messages = consumer.consume(AT_A_TIME, WAIT)
                for message in messages:
                    error = message.error()
                    if error is not None and error.code() != KafkaError._PARTITION_EOF:
                        self.state = f"waiting: {error.str()[:150]}"
                usable = [message for message in messages if message.error() is None]
                if usable:
                    self.state = "open"
                self.check_last()
                for submission in self.submissions(writer, usable):
                    self._put(writer, consumer, submission)
                if usable:
                    self._measure_lag(consumer, usable)
        finally:
            consumer.close()

    def assigned(self, writer: Intake, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Claim partitions and seek to the stored offsets."""
        self.revoked()
        for partition in partitions:
            place = writer.queue.call(lambda of, part=str(partition.partition): self._claim(of, part)).result()
            self._generations[partition.partition] = place.generation
            partition.offset = place.place if place.place >= 0 else BEGINNING
        consumer.assign(partitions)

    def revoked(self) -> None:
        """Forget submissions that are not stored yet.

        They are stored before the partition is claimed again, and then the claim returns the place after them, or they
        have an old generation and are refused. Reading again because of that would make the group assign its partitions
        again, whereupon submissions of the other members were refused, and so on.
        """
        self._generations = {}
        self._last = {}

    def _claim(self, writer: Intake, part: str) -> Place:
        return Place(part, *claim_place(writer.database, self.name, part))

    def submissions(self, writer: Intake, messages: list[Any]) -> list[Submission]:
        """Return a submission for each partition of some messages."""
        parts: dict[int, list[Any]] = {}
        for message in messages:
            parts.setdefault(message.partition(), []).append(message)
        found = []
        for partition, own in parts.items():
            records, rejected = [], []
            for message in own:  # one by one: offsets may have gaps
                read = read_lines(
                    [message.value() or b""],
                    now=microseconds(),
                    secret=writer.secret,
                    first=message.offset(),
                    repeat_key=f"{self.name}/{partition}",
                )
                records += read.records
                rejected += read.rejected
            place = Place(str(partition), own[-1].offset() + 1, None, self._generations.get(partition, 0))
            found.append(Submission(self.name, records, place, rejected, where=f"partition {partition}, offset"))
        return found

    def _put(self, writer: Intake, consumer: Consumer, submission: Submission) -> None:
        """Submit documents; while the queue is full, pause the partitions so that the consumer stays in its group."""
        self.in_order(submission)
        if self.offer(writer, submission):
            return
        partitions = consumer.assignment()
        consumer.pause(partitions)
        while not self.stopped.is_set():
            consumer.poll(WAIT)
            if self.offer(writer, submission):
                break
        consumer.resume(partitions)

    def _measure_lag(self, consumer: Consumer, messages: list[Any]) -> None:
        from confluent_kafka import TopicPartition

        last = messages[-1]
        _, high = consumer.get_watermark_offsets(TopicPartition(last.topic(), last.partition()), cached=True)
        if high >= 0:
            self.lag = float(max(0, high - last.offset() - 1))


def group_of(secret: bytes) -> str:
    """Return the consumer group of a store: services with different stores each read the whole topic.

    >>> group_of(b"one") == group_of(b"one"), group_of(b"one") == group_of(b"two")
    (True, False)
    """
    return f"driftline-{digest_of(b'consumer group', secret) % 2**64:016x}"
