"""NATS JetStream: a durable pull consumer; messages are acknowledged after our commit and identified by number."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from driftline.core.errors import InvalidInput, MissingDependency
from driftline.service.json_records import read_lines
from driftline.service.sources.threaded import ThreadedSource
from driftline.service.submissions import Intake, Place, Submission
from driftline.service.writer import microseconds

if TYPE_CHECKING:
    from nats.aio.msg import Msg


AT_A_TIME = 500
WAIT = 0.5
ACK_WAIT = 20.0
"""Seconds after which the server redelivers a message that was not acknowledged."""


class NatsSource(ThreadedSource):
    """Consume a subject of a stream.

    A message that was stored but not acknowledged, because the process ended in between, is redelivered and recognised
    by its number in the stream.
    """

    kind = "nats"

    def __init__(self, server: str, subject: str, durable: str = "driftline", ack_wait: float = ACK_WAIT) -> None:
        super().__init__(f"nats:{subject}")
        self.unit = "messages"
        self._server, self._subject, self._durable, self._ack_wait = server, subject, durable, ack_wait

    @classmethod
    def of_address(cls, address: str) -> NatsSource:
        """Make a source from an address such as ``localhost:4222/news.*``.

        >>> NatsSource.of_address("localhost:4222/news").name
        'nats:news'
        """
        server, _, subject = address.removeprefix("nats://").rpartition("/")
        if not server or not subject:
            raise InvalidInput(f"--nats {address}: write HOST:PORT/SUBJECT, such as localhost:4222/news")
        return cls(f"nats://{server}", subject)

    def read(self, writer: Intake) -> None:
        """Consume until stopped, in an event loop of this thread."""
        asyncio.run(self._consume(writer))

    async def _consume(self, writer: Intake) -> None:
        try:
            import nats
            from nats.js.api import ConsumerConfig
            from nats.js.errors import NotFoundError
        except ImportError as error:
            raise MissingDependency("--nats", "nats-py", "service") from error
        client = await nats.connect(self._server, max_reconnect_attempts=-1, connect_timeout=5)
        try:
            stream = client.jetstream()
            config = ConsumerConfig(ack_wait=self._ack_wait, max_ack_pending=20_000)
            try:
                subscription = await stream.pull_subscribe(self._subject, durable=self._durable, config=config)
            except NotFoundError as error:
                raise InvalidInput(
                    f"no stream of JetStream has the subject {self._subject}; create it first"
                ) from error
            while not self.stopped.is_set():
                try:
                    messages = await subscription.fetch(AT_A_TIME, timeout=WAIT)
                except (
                    TimeoutError
                ):  # no message; nats.errors.TimeoutError is one, and the client also raises plain ones
                    continue
                submission = self.submission(writer, messages)
                await self._put(writer, submission)
                await asyncio.wrap_future(submission.done)
                for message in messages:
                    await message.ack()
                self.lag = float(messages[-1].metadata.num_pending)
        finally:
            await client.close()

    def submission(self, writer: Intake, messages: list[Msg]) -> Submission:
        """Return the documents of some messages."""
        records, rejected, last = [], [], 0
        for message in messages:
            number = message.metadata.sequence.stream
            read = read_lines(
                [message.data], now=microseconds(), secret=writer.secret, first=number, repeat_key=self.name
            )
            records += read.records
            rejected += read.rejected
            last = max(last, number)
        return Submission(self.name, records, Place("", last), rejected, where="message")

    async def _put(self, writer: Intake, submission: Submission) -> None:
        while not self.offer(writer, submission):
            await asyncio.sleep(WAIT)
