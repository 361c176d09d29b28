"""A small server with the page and deterministic answers; tests send updates through it or disconnect it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import random
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import driftline.service
from tests.service.page import fake_answers as fake

PAGE = Path(driftline.service.__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
TOKEN = "a-token-for-tests"
MOST_DELAY = float(os.environ.get("DRIFTLINE_TEST_SLOW_ANSWERS", "0"))
"""Maximum seconds by which an answer is delayed at random, to find tests that depend on the speed of answers."""


class FakeService:
    """The state of the server; `requests` are the changes that the page sent."""

    def __init__(self) -> None:
        self.rights = ["read", "send", "label", "admin"]
        self.needs_token = False
        self.is_down = False
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.refusal: tuple[int, str] | None = None
        self.requests: list[tuple[str, str, dict[str, Any]]] = []
        self.readers: list[queue.Queue[str | None]] = []
        self.n_suggested = 0
        self.n_labels = 0
        self.batch = 100
        self.address = ""

    def send(self, event: str, data: object, number: int = 0) -> None:
        """Send an event to all open pages."""
        for reader in list(self.readers):
            reader.put(f"id: {number}\nevent: {event}\ndata: {json.dumps(data)}\n\n")

    def cut(self) -> None:
        """Close all event streams."""
        for reader in list(self.readers):
            reader.put(None)

    def get(self, path: str, given: dict[str, list[str]]) -> Any:
        """Return the answer to a request, None for an unknown address."""
        one = {name: values[0] for name, values in given.items()}
        if path == "/api/overview":
            return fake.overview(float(one["at"]) if "at" in one else None, self.batch)
        if path == "/api/topics":
            days = range(fake.N_DAYS - 60, fake.N_DAYS)
            return {
                "now": fake.FIRST + fake.N_DAYS * fake.DAY,
                "level": "day",
                "times": [fake.FIRST + d * fake.DAY for d in days],
                "topics": [fake.curve(k, days) for k in range(len(fake.NAMES))],
            }
        if path.startswith("/api/topics/"):
            return fake.topic_page(int(path.rsplit("/", 1)[1]))
        if path == "/api/words":
            known = [word for words in fake.WORDS for word in words if word.startswith(one.get("prefix", "~"))]
            return {
                "words": [[word, 900 - 10 * k] for k, word in enumerate(known)],
                "drifting": [fake.drifting(k) for k in range(10)],
            }
        if path == "/api/words/curves":
            return fake.word_curves(given.get("word", []))
        if path == "/api/documents":
            return fake.document_list(one.get("q", ""), one.get("topic"))
        if path.startswith("/api/documents/"):
            return fake.document_page(path.rsplit("/", 1)[1])
        if path == "/api/alarms":
            alarms = [fake.alarm(0), *(fake.alarm(k, "off") for k in range(1, 7))]
            days = [
                {"day": a["raised"] // fake.DAY * fake.DAY, "n": 1 + k % 4, "highest": a["highest"]}
                for k, a in enumerate(alarms)
            ]
            return {"alarms": alarms, "next": None, "n_on": 1, "calendar": days}
        if path == "/api/suggestions":
            first = self.n_suggested
            self.n_suggested += int(one.get("n", "1"))
            return {
                "suggestions": [fake.suggestion(k) for k in range(first, self.n_suggested)],
                "labels": ["weather", "politics", "sport", "economy"],
            }
        if path == "/api/classifier":
            return fake.classifier(self.n_labels)
        return fake.health() if path == "/api/health" else None

    def change(self, method: str, path: str, body: dict[str, Any]) -> Any:
        """Record a change, and return the answer to it."""
        self.requests.append((method, path, body))
        if path == "/api/labels":
            self.n_labels += -1 if body.get("undo") else 1
            return {
                "event": {"number": 1, "key": body["key"], "label": body["label"], "by": "tester", "time": 0.0},
                "classifier": fake.classifier(self.n_labels),
            }
        if path.startswith("/api/topics/"):
            topic = fake.topic_page(int(path.rsplit("/", 1)[1]))["topic"]
            return {**topic, "name": body["name"]}
        if path.startswith("/api/alarms/"):
            found = fake.alarm(100 - int(path.rsplit("/", 1)[1]))
            found["acknowledged"] = "tester" if body.get("acknowledge") else None
            found["muted_until"] = found["raised"] + body["mute_for"] if body.get("mute_for") else None
            return found
        if method == "DELETE":
            return {
                "key": path.rsplit("/", 1)[1],
                "note": "Deleted. What models learned of it stays until the next refit.",
            }
        return {"state": "fitting"}


class _Handler(BaseHTTPRequestHandler):
    service: FakeService
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _answer(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": POLICY,
            "Cache-Control": "no-store",
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _json(self, status: int, data: object, **headers: str) -> None:
        self._answer(status, json.dumps(data).encode(), "application/json", **headers)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _is_known(self) -> bool:
        return not self.service.needs_token or "session=known" in self.headers.get("Cookie", "")

    def do_GET(self) -> None:
        path, given = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if path.startswith("/api/"):
            if self.service.is_down:
                return self._hang_up()
            if not self._is_known():
                return self._json(401, {"error": "no_token", "detail": "Sign in first."})
            if path == "/api/session":
                return self._json(
                    200, {"name": "tester", "rights": self.service.rights, "version": "0.1.0", "demo": True}
                )
            if path == "/api/events":
                return self._events()
            time.sleep(random.uniform(0, MOST_DELAY))
            data = self.service.get(path, given)
            self.service.may_answer.wait(30)
            return (
                self._json(200, data)
                if data is not None
                else self._json(404, {"error": "unknown", "detail": "There is no such address."})
            )
        file = PAGE / (path.lstrip("/") or "index.html")
        if not file.is_file() or PAGE not in file.resolve().parents:
            return self._json(404, {"error": "unknown", "detail": "There is no such address."})
        return self._answer(200, file.read_bytes(), TYPES.get(file.suffix, "text/plain"))

    def _events(self) -> None:
        waiting: queue.Queue[str | None] = queue.Queue()
        waiting.put('event: hello\ndata: {"batch": 100, "now": 0, "version": "0.1.0"}\n\n')
        # Before the headers, after which the page is "live" and must not miss an event
        self.service.readers.append(waiting)
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            while (text := waiting.get()) is not None:
                self.wfile.write(text.encode())
        except OSError:
            pass
        finally:
            self.service.readers.remove(waiting)

    def _change(self) -> None:
        if self.service.is_down:
            return self._hang_up()
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if self.path == "/api/session":
            if body.get("token") != TOKEN:
                return self._json(401, {"error": "bad_token", "detail": "This token is not valid."})
            return self._json(
                200,
                {"name": "tester", "rights": [], "version": "0.1.0", "demo": True},
                **{"Set-Cookie": "session=known; HttpOnly; SameSite=Strict; Path=/"},
            )
        if not self._is_known():
            return self._json(401, {"error": "no_token", "detail": "Sign in first."})
        if self.service.refusal is not None:
            status, detail = self.service.refusal
            self.service.refusal = None
            return self._json(status, {"error": "refused", "detail": detail})
        return self._json(200, self.service.change(self.command, self.path, body))

    def do_POST(self) -> None:
        self._change()

    def do_DELETE(self) -> None:
        self._change()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors: pages are closed during requests, which is not a fault of the test."""


@contextlib.contextmanager
def fake_service(port: int = 0) -> Iterator[FakeService]:
    """Run the server on a free port of this machine."""
    service = FakeService()
    server = _Server(("127.0.0.1", port), type("Handler", (_Handler,), {"service": service}))
    service.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.cut()
        server.shutdown()
        server.server_close()
        thread.join()
