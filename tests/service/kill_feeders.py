"""Sources of the kill tests: each runs a service in a child process and sends it stories from the parent."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import mmap
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from driftline.service import lifecycle as service_run
from driftline.service.learning.learner import Learner
from driftline.service.refit_child import refit
from driftline.service.refits import NewModels
from driftline.service.service import Options
from driftline.service.sources.files import FollowSource
from driftline.service.sources.kafka import KafkaSource
from driftline.service.sources.nats import NatsSource
from driftline.service.store.batch_rows import word_numbers
from driftline.service.store.opened import open_store
from driftline.service.submissions import Submission, WriterQueue
from driftline.service.writer import Writer
from tests.service import kafka_broker

PART = 25
PHASES = ("start-up", "intake", "learning", "commit", "snapshot", "refit", "swap")
phase = mmap.mmap(-1, 2)
"""Phase of the child's writer and, if not zero, phase of its refit, in shared memory."""
TOKEN = "kill"


def refit_once(writer: Writer, store: str) -> None:
    """Refit and swap the models as soon as there are topics, as the service does."""
    while not writer.learner.has_topics or not writer.is_alive:
        time.sleep(0.005)
    phase[1] = PHASES.index("refit")
    body, found = refit(store, "fit", writer.learner.version)
    learner = Learner.of_bytes(body)
    with contextlib.closing(open_store(store, writes=False)) as database:
        numbers = word_numbers(database, learner.words)
    new = NewModels(learner, body, found["batch"], found["events"], numbers)
    writer.queue.call(new.store).result()
    writer.queue.call(new.swap).result()
    phase[1] = 0


class Feeder:
    """A kind of source: `child` is the service, `feed` sends a few more stories, `close` cleans up."""

    def __init__(self, folder: Path, lines: list[bytes]) -> None:
        self.folder, self.lines, self.sent = folder, lines, 0
        self.store = str(folder / "store")
        self.refits = False
        """Whether the next child refits."""

    def begun(self, writer: Writer) -> None:
        """Start a refit in parallel with the writer, if requested, and delay documents, so that some are left."""
        if self.refits:
            process, begun = writer.process, time.monotonic()

            def slowly(submissions: list[Submission]) -> None:
                time.sleep(0.1 if time.monotonic() < begun + 2 else 0.5)  # a refit takes long on a busy machine
                process(submissions)

            writer.process = slowly  # type: ignore[method-assign]
            threading.Thread(target=refit_once, args=(writer, self.store), daemon=True).start()

    def source(self) -> Any:
        """Return the source that the child reads."""

    def child(self) -> None:
        """Run the service until it is killed."""
        database = open_store(self.store, writes=True)
        writer = Writer(database, WriterQueue(), n_topics=5)
        self.begun(writer)
        writer.start()
        self.source().start(writer)
        while writer.failure is None:
            time.sleep(0.5)

    def feed(self) -> None:
        """Send a few more stories."""
        time.sleep(0.005)

    def close(self) -> None:
        """Remove what the source created outside the folder."""


class FileFeeder(Feeder):
    """A growing file."""

    def source(self) -> Any:
        return FollowSource(self.folder / "app.jsonl")

    def feed(self) -> None:
        with open(self.folder / "app.jsonl", "ab") as file:
            file.write(b"".join(line + b"\n" for line in self.lines[self.sent : self.sent + PART]))
        self.sent = min(self.sent + PART, len(self.lines))
        time.sleep(0.02)


class HttpFeeder(Feeder):
    """Requests that are repeated until they are answered."""

    def __init__(self, folder: Path, lines: list[bytes]) -> None:
        super().__init__(folder, lines)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.n_unanswered = 0

    def child(self) -> None:
        options = Options(store=self.store, n_topics=5, token=TOKEN)
        service_run.serve(
            options, host="127.0.0.1", port=self.port, started=lambda service, _: self.begun(service.writer)
        )

    def feed(self) -> None:
        if self.sent >= len(self.lines):
            time.sleep(0.02)
            return
        body = b"\n".join(self.lines[self.sent : self.sent + PART])
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=0.2)
        try:
            connection.request("POST", "/api/documents", body, {"Authorization": f"Bearer {TOKEN}"})
            answer = connection.getresponse()
            found = json.loads(answer.read())
            if answer.status == 200 and found["taken"] + found["repeated"] == min(PART, len(self.lines) - self.sent):
                self.sent += PART
        except (OSError, http.client.HTTPException, ValueError):
            self.n_unanswered += 1
            time.sleep(0.005)
        finally:
            connection.close()


class NatsFeeder(Feeder):
    """A JetStream stream on 127.0.0.1:4222."""

    def __init__(self, folder: Path, lines: list[bytes]) -> None:
        super().__init__(folder, lines)
        self.subject = f"driftline-kill-{os.getpid()}-{time.time_ns()}"
        self._outside(self._publish)

    def _outside(self, action: Callable[[], Any]) -> None:
        child = os.fork()
        if child == 0:
            try:
                asyncio.run(action())
            finally:
                os._exit(0)
        os.waitpid(child, 0)

    async def _publish(self) -> None:
        import nats

        client = await nats.connect("nats://127.0.0.1:4222")
        stream = client.jetstream()
        await stream.add_stream(name=self.subject, subjects=[self.subject])
        for line in self.lines:
            await stream.publish(self.subject, line)
        await client.close()

    async def _remove(self) -> None:
        import nats

        client = await nats.connect("nats://127.0.0.1:4222")
        await client.jetstream().delete_stream(self.subject)
        await client.close()

    def source(self) -> Any:
        return NatsSource("nats://127.0.0.1:4222", self.subject, ack_wait=0.5)

    def close(self) -> None:
        self._outside(self._remove)


class KafkaFeeder(Feeder):
    """A topic of librdkafka's mock cluster, in a separate process, or of a real broker."""

    def __init__(self, folder: Path, lines: list[bytes]) -> None:
        super().__init__(folder, lines)
        self.topic = kafka_broker.new_topic()
        readable, writable = os.pipe()
        self.broker = os.fork()
        if self.broker == 0:
            try:
                self._serve(writable)
            finally:
                os._exit(0)
        os.close(writable)
        with os.fdopen(readable) as pipe:
            self.address = pipe.readline().strip()

    def _serve(self, writable: int) -> None:
        from confluent_kafka import Producer

        producer = Producer(kafka_broker.cluster())
        brokers = producer.list_topics(timeout=10).brokers.values()
        for line in self.lines:
            producer.produce(self.topic, line)
        producer.flush(30)
        os.write(writable, (",".join(f"{each.host}:{each.port}" for each in brokers) + "\n").encode())
        while os.getppid() != 1:
            time.sleep(0.2)

    def source(self) -> Any:
        return KafkaSource(self.address, self.topic, group=f"group-{time.time_ns()}", more=kafka_broker.SETTINGS)

    def close(self) -> None:
        os.kill(self.broker, signal.SIGKILL)
        os.waitpid(self.broker, 0)


FEEDERS = {"file": FileFeeder, "http": HttpFeeder, "nats": NatsFeeder, "kafka": KafkaFeeder}
