"""Webhooks: alarms from the outbox are sent to the configured addresses, signed, at least once, each with its id."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import logging
import threading
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from driftline.core.errors import InvalidInput
from driftline.service.submissions import WriterQueue
from driftline.service.writer import Writer, microseconds

LOOK_EVERY = 1.0
TIMEOUT = 10.0
FIRST_WAIT, LONGEST_WAIT = 2, 3600
"""Seconds before a failed message is sent again, doubled each time, and their maximum."""
MOST_ATTEMPTS = 50
KEPT = 10_000
log = logging.getLogger("driftline.service")


def checked_target(address: str) -> str:
    """Return the address of a webhook; raise an error if it is invalid.

    >>> checked_target("https://example.org/hook")
    'https://example.org/hook'
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise InvalidInput(
            f"--webhook {address}: write an address such as https://example.org/hook, without a password"
        )
    return address


def signature(secret: str, body: bytes) -> str:
    """Return the signature of a message, which the receiver verifies.

    >>> signature("secret", b"{}")[:15]
    'sha256=77325902'
    """
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A handler that refuses redirections, so that messages go to configured addresses only."""

    def redirect_request(self, *arguments: Any, **named: Any) -> None:
        """Follow no redirection."""
        return None


class Webhooks:
    """Sends the messages of the outbox, in its own thread; the writer marks those that were sent."""

    def __init__(self, queue: WriterQueue, targets: tuple[str, ...], secret: str) -> None:
        self._queue, self._targets, self._secret = queue, targets, secret
        self._stopped = threading.Event()
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def start(self) -> None:
        """Start the thread, if there are targets."""
        if self._targets:
            self._thread.start()

    def stop(self) -> None:
        """End the thread; unsent messages stay in the outbox."""
        self._stopped.set()
        if self._targets:
            self._thread.join(timeout=2)

    def _run(self) -> None:
        while not self._stopped.wait(LOOK_EVERY):
            try:
                for number, target, body, attempts in self._queue.call(due).result(timeout=30):
                    is_sent = target in self._targets and self._send(number, target, body)
                    self._queue.call(_Note(number, attempts + 1, is_sent)).result(timeout=30)
                    if self._stopped.is_set():
                        return
            except Exception as error:
                log.warning("webhooks: %s; trying again", type(error).__name__)

    def _send(self, number: int, target: str, body: str) -> bool:
        content = body.encode()
        headers = {
            "Content-Type": "application/json",
            "X-Driftline-Id": str(number),
            "X-Driftline-Signature": signature(self._secret, content),
        }
        request = urllib.request.Request(target, content, headers, method="POST")
        try:
            with self._opener.open(request, timeout=TIMEOUT) as answer:
                return 200 <= int(answer.status) < 300
        except (OSError, urllib.error.URLError, http.client.HTTPException):
            return False


def due(writer: Writer) -> list[Any]:
    """Return (id, target, body, attempts) of the messages that are due, in the writer's thread."""
    return writer.database.execute(
        "SELECT id, target, body, attempts FROM outbox WHERE sent IS NULL AND due <= ? AND attempts < ? "
        "ORDER BY id LIMIT 20",
        (microseconds(), MOST_ATTEMPTS),
    )


class _Note:
    """Stores the outcome of a message, in the writer's thread."""

    def __init__(self, number: int, attempts: int, is_sent: bool) -> None:
        self.number, self.attempts, self.is_sent = number, attempts, is_sent

    def __call__(self, writer: Writer) -> None:
        now = microseconds()
        wait = min(FIRST_WAIT * 2**self.attempts, LONGEST_WAIT) * 1_000_000
        with writer.database.transaction():
            writer.database.execute(
                "UPDATE outbox SET attempts = ?, due = ?, sent = ? WHERE id = ?",
                (self.attempts, now + wait, now if self.is_sent else None, self.number),
            )
            writer.database.execute("DELETE FROM outbox WHERE sent IS NOT NULL AND id < ?", (self.number - KEPT,))
