"""Alarms are sent to configured addresses, signed, until they are received."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from driftline.core.errors import InvalidInput
from driftline.service import webhooks
from driftline.service.webhooks import checked_target, signature
from driftline.service.writer import microseconds
from tests.service.running import served, wait_for

SECRET = "a secret of sixteen or more"


@pytest.fixture
def receiver():
    received, statuses = [], [500, 302, 200]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((dict(self.headers), body))
            self.send_response(statuses[min(len(received), 3) - 1])
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook", received
    server.shutdown()
    server.server_close()


def test_sent_until_received_and_never_elsewhere(tmp_path, receiver, monkeypatch):
    target, received = receiver
    monkeypatch.setattr(webhooks, "LOOK_EVERY", 0.02)
    monkeypatch.setattr(webhooks, "FIRST_WAIT", 0)
    with served(tmp_path / "store", webhooks=(target,), webhook_secret=SECRET) as client:

        def put(writer):
            body = json.dumps({"alarm": 7})
            rows = [(1, target, body, 0, microseconds(), None), (2, "http://127.0.0.1:9/other", body, 0, 0, None)]
            writer.database.executemany("INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?)", rows)

        client.service.queue.call(put).result()

        def outbox(writer):
            return writer.database.execute("SELECT id FROM outbox WHERE sent IS NOT NULL")

        wait_for(lambda: client.service.queue.call(outbox).result() == [(1,)])
    assert len(received) == 3
    headers, body = received[-1]
    assert headers["X-Driftline-Id"] == "1"
    assert headers["X-Driftline-Signature"] == signature(SECRET, body)


@pytest.mark.parametrize("address", ["ftp://a/b", "https://", "file:///etc/passwd", "https://user:word@example.org/"])
def test_bad_targets(address):
    with pytest.raises(InvalidInput, match="--webhook"):
        checked_target(address)
