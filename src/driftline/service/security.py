"""Access control: host and origin of a request, tokens and their rights, cookies, limits, headers of answers.

Any page in a browser can send requests to 127.0.0.1, so listening there protects nothing: a request needs a token, a
host name of this service and, from a page, the origin of this service.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass, field
from typing import NamedTuple

from driftline.service.store.database import Database

RIGHTS = ("read", "send", "label", "admin")
COOKIE = "driftline_session"
SESSION_SECONDS = 30 * 86_400
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
RATE, BURST = 500.0, 1_000.0
"""Maximum number of requests per second of a token, and in a burst."""
WRONG_TOKENS = 20
"""Number of wrong tokens per minute after which an address must wait."""


class Person(NamedTuple):
    """The sender of a request: name and rights."""

    name: str
    rights: tuple[str, ...]


def digest_of(token: str) -> str:
    """Return the SHA-256 digest of a token; tokens themselves are never stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    """Return a random token."""
    return secrets.token_urlsafe(24)


def is_allowed_host(host: str | None, allowed: tuple[str, ...]) -> bool:
    """Return whether a Host header names this service; another name may be an attacker's (DNS rebinding).

    >>> is_allowed_host("localhost:8765", LOOPBACK), is_allowed_host("evil.example:8765", LOOPBACK)
    (True, False)
    """
    if not host:
        return False
    name = host.rsplit(":", 1)[0] if not host.endswith("]") and ":" in host else host
    return name.lower() in allowed


def cookie_name(host: str | None) -> str:
    """Return the name of the cookie, with the port, because browsers share cookies between the ports of a host.

    >>> cookie_name("127.0.0.1:8765"), cookie_name("news.example")
    ('driftline_session_8765', 'driftline_session')
    """
    port = (host or "").rpartition(":")[2]
    return f"{COOKIE}_{port}" if port.isascii() and port.isdigit() else COOKIE


def is_own_origin(origin: str | None, host: str | None) -> bool:
    """Return whether an Origin header is that of the host itself.

    >>> is_own_origin("http://localhost:8765", "localhost:8765"), is_own_origin("null", "localhost:8765")
    (True, False)
    """
    return origin is not None and host is not None and origin in (f"http://{host}", f"https://{host}")


class Sessions:
    """Signed cookies that name a token; removing a token ends its sessions."""

    def __init__(self, secret: bytes) -> None:
        self._key = hashlib.sha256(b"session" + secret).digest()

    def make(self, digest: str, now: float | None = None) -> str:
        """Return the cookie for the digest of a token."""
        until = int((time.time() if now is None else now) + SESSION_SECONDS)
        body = f"{digest}.{until}"
        return f"{body}.{self._sign(body)}"

    def read(self, cookie: str, now: float | None = None) -> str | None:
        """Return the token digest of a cookie, None if the cookie is forged or expired.

        >>> sessions = Sessions(b"secret")
        >>> sessions.read(sessions.make("abc")), sessions.read(sessions.make("abc") + "x")
        ('abc', None)
        """
        body, _, signature = cookie.rpartition(".")
        digest, _, until = body.partition(".")
        if not body or not hmac.compare_digest(signature.encode(), self._sign(body).encode()):
            return None
        return digest if int(until) > (time.time() if now is None else now) else None

    def _sign(self, body: str) -> str:
        signed = hmac.new(self._key, body.encode(), "sha256").digest()
        return base64.urlsafe_b64encode(signed).decode().rstrip("=")


class Tokens:
    """The tokens of a store and the token of the console; the store is read at most once per second."""

    def __init__(self, own: str | None) -> None:
        self._own = None if own is None else digest_of(own)
        self._known: dict[str, Person] = {}
        self._read = 0.0

    def person(self, digest: str, database: Database) -> Person | None:
        """Return the person whose token has a digest; None if there is none."""
        if self._own is not None and hmac.compare_digest(digest, self._own):
            return Person("console", RIGHTS)
        if time.monotonic() - self._read > 1.0 or digest not in self._known:
            rows = database.execute("SELECT digest, name, rights FROM tokens")
            self._known = {found: Person(name, tuple(rights.split(","))) for found, name, rights in rows}
            self._read = time.monotonic()
        return self._known.get(digest)


@dataclass
class Bucket:
    """The number of requests left, refilled at a constant rate."""

    left: float = BURST
    then: float = field(default_factory=time.monotonic)


class Limits:
    """Limits of the rate per token and of wrong tokens per address."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self.rate, self.burst = rate, burst
        self._buckets: dict[str, Bucket] = {}
        self._wrong: dict[str, list[float]] = {}

    def take(self, name: str) -> bool:
        """Count a request; return False if the rate is exceeded.

        >>> limits = Limits(rate=1, burst=2)
        >>> [limits.take("a") for _ in range(3)]
        [True, True, False]
        """
        if len(self._buckets) > 10_000:
            self._buckets.clear()
        bucket = self._buckets.setdefault(name, Bucket(self.burst))
        now = time.monotonic()
        bucket.left = min(self.burst, bucket.left + (now - bucket.then) * self.rate)
        bucket.then = now
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True

    def wrong(self, address: str) -> None:
        """Count a wrong token."""
        if len(self._wrong) > 10_000:
            self._wrong.clear()
        self._wrong.setdefault(address, []).append(time.monotonic())

    def is_blocked(self, address: str) -> bool:
        """Return whether an address sent too many wrong tokens in the last minute."""
        since = time.monotonic() - 60
        recent = [moment for moment in self._wrong.get(address, []) if moment > since]
        if recent:
            self._wrong[address] = recent
        return len(recent) >= WRONG_TOKENS
