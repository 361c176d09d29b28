"""The gate: checks host, origin, token, rights and rate of every request before it is processed."""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message

from driftline.service.security import (
    HEADERS,
    LOOPBACK,
    Limits,
    Person,
    Sessions,
    Tokens,
    cookie_name,
    digest_of,
    is_allowed_host,
    is_own_origin,
)
from driftline.service.views.read_connections import Readers

Scope = Message
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]

OPEN = ("/healthz", "/readyz")
"""Paths that need no token."""
DOCUMENTS, EVENTS, METRICS = "/api/documents", "/api/events", "/metrics"
MOST_BYTES = 64 * 2**10
"""Maximum size of a request in bytes; requests with documents have their own limit."""
CHANGES = ("POST", "PUT", "PATCH", "DELETE")
JSON_TYPES = ("application/json", "application/x-ndjson", "application/jsonl", "application/octet-stream")


@dataclass(frozen=True)
class Proxy:
    """A proxy that signs people in: its addresses, the secret that it sends, and the rights of these people."""

    addresses: tuple[str, ...]
    secret: str
    rights: tuple[str, ...] = ("read", "label")


class Refused(Exception):
    """A refused request: status, short name, sentence, and seconds to wait."""

    def __init__(self, status: int, error: str, detail: str, retry: int | None = None) -> None:
        self.status, self.error, self.detail, self.retry = status, error, detail, retry


def needed_right(method: str, path: str) -> str:
    """Return the right that a request needs.

    >>> needed_right("GET", "/api/overview"), needed_right("POST", "/api/documents"), needed_right("POST", "/api/refit")
    ('read', 'send', 'admin')
    """
    if method == "POST" and path == DOCUMENTS:
        return "send"
    if path in ("/api/suggestions", "/api/labels") or (method == "POST" and path.startswith("/api/alarms/")):
        return "label"
    if method in ("GET", "HEAD") or path == "/api/session":
        return "read"
    return "admin"


class Gate:
    """ASGI middleware that refuses a request, or passes it on with the person in its state."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        readers: Readers,
        tokens: Tokens,
        sessions: Sessions,
        limits: Limits,
        hosts: tuple[str, ...] = LOOPBACK,
        proxy: Proxy | None = None,
        joined: bool = False,
    ) -> None:
        self.app, self.readers, self.tokens, self.sessions = app, readers, tokens, sessions
        self.limits, self.hosts, self.proxy, self.joined = limits, hosts, proxy, joined
        self._accepted: set[str] = set()
        """Digests of valid tokens, which wrong tokens from the same address (such as a proxy) must not block."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        method = scope["method"]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            elif method == "HEAD" and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        try:
            person = self._person(scope)
        except Refused as refused:
            await _refuse(send_with_headers, refused)
            return
        scope.setdefault("state", {})["person"] = person
        if method == "HEAD" and _is_question(scope["path"]):
            scope = {**scope, "method": "GET"}  # answered like GET, without the body
        if scope["path"] != DOCUMENTS:
            receive = _limited(receive, MOST_BYTES)
        await self.app(scope, receive, send_with_headers)

    def _person(self, scope: Scope) -> Person | None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        method, path = scope["method"], scope["path"]
        host = headers.get("host")
        if not is_allowed_host(host, self.hosts):
            raise Refused(421, "wrong_host", "the Host header names another service; use the printed address")
        needs_token = path.startswith("/api/") or path == METRICS
        site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
        is_visit = not needs_token and method == "GET" and mode == "navigate"
        if site not in (None, "same-origin", "none") and not is_visit:
            raise Refused(403, "other_site", "another site sent this request; open the page of the service itself")
        origin = headers.get("origin")
        if origin is not None and not is_own_origin(origin, host):
            raise Refused(403, "other_origin", "another page sent this request; open the page of the service itself")
        declared = headers.get("content-length", "")
        if path != DOCUMENTS and declared.isdigit() and int(declared) > MOST_BYTES:
            raise Refused(413, "too_large", f"this request may have at most {MOST_BYTES:,} bytes")
        if not needs_token or path in OPEN:
            return None
        if method in CHANGES:
            self._check_change(headers, origin)
        address = (scope.get("client") or ("", 0))[0]
        if path == "/api/session" and method in ("POST", "DELETE"):
            if self.limits.is_blocked(address):
                raise Refused(429, "too_many", "too many wrong tokens; wait a minute", 60)
            return None
        person = self._known(headers, address)
        if person is None:
            raise Refused(401, "no_token", "send a valid token: Authorization: Bearer …, or sign in on the page")
        if needed_right(method, path) not in person.rights:
            needed = needed_right(method, path)
            raise Refused(403, "no_right", f"this token may only {', '.join(person.rights)}; {needed!r} is needed")
        if self.joined and needed_right(method, path) not in ("read", "send"):
            raise Refused(409, "joined", "this process has joined another one; send labels and changes to that one")
        if not self.limits.take(person.name):
            raise Refused(429, "too_many", "too many requests; send more documents per request", 1)
        return person

    def _check_change(self, headers: dict[str, str], origin: str | None) -> None:
        """Refuse changes that a form on another page could send: without a token they need an origin and JSON."""
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        has_bearer = headers.get("authorization", "").lower().startswith("bearer ")
        if not has_bearer and origin is None:
            raise Refused(403, "no_origin", "send a token (Authorization: Bearer …), or an Origin from a page")
        if not has_bearer and kind not in JSON_TYPES:
            raise Refused(415, "not_json", "send JSON, with Content-Type: application/json")

    def _known(self, headers: dict[str, str], address: str) -> Person | None:
        proxy = self.proxy
        user = headers.get("x-forwarded-user")
        if proxy is not None and user and address in proxy.addresses:
            sent = headers.get("x-driftline-proxy-secret", "")
            if hmac.compare_digest(sent.encode(), proxy.secret.encode()):
                return Person(user[:100], proxy.rights)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and token:
            digest = digest_of(token.strip())
            if digest not in self._accepted and self.limits.is_blocked(address):
                raise Refused(429, "too_many", "too many wrong tokens; wait a minute", 60)
            person = self._of_digest(digest)
            if person is None:
                self.limits.wrong(address)
                self._accepted.discard(digest)
            else:
                self._accepted.add(digest)
            return person
        found = self.sessions.read(_cookie(headers.get("cookie", ""), cookie_name(headers.get("host"))))
        return None if found is None else self._of_digest(found)

    def _of_digest(self, digest: str) -> Person | None:
        return self.tokens.person(digest, self.readers.at_once)


def _is_question(path: str) -> bool:
    """Return whether GET has a complete answer at a path; events never end, and files of the page handle HEAD.

    >>> _is_question("/api/overview"), _is_question("/healthz"), _is_question("/api/events"), _is_question("/main.js")
    (True, True, False, False)
    """
    return path in (*OPEN, METRICS) or (path.startswith("/api/") and path != EVENTS)


def _cookie(header: str, wanted: str) -> str:
    """Return the value of a cookie; cookies of other programs on this host may have any format.

    >>> _cookie('a={"b": "c"}; driftline_session=d.e', "driftline_session")
    'd.e'
    """
    for part in header.split(";"):
        name, _, value = part.strip().partition("=")
        if name == wanted:
            return value
    return ""


def _limited(receive: Receive, limit: int) -> Receive:
    """Return a function that receives a request up to a number of bytes."""
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise Refused(413, "too_large", f"this request may have at most {limit:,} bytes")
        return message

    return limited


async def _refuse(send: Send, refused: Refused) -> None:
    body = json.dumps({"error": refused.error, "detail": refused.detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.retry is not None:
        headers.append((b"retry-after", str(refused.retry).encode()))
    if refused.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
