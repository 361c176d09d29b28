"""Documents over HTTP: stored once, rejected individually, and limited in size, number, depth and rate."""

import gzip
import json

import pytest

from tests.service.running import BEARER, send, served, story_lines


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("live") / "store") as client:
        yield client


def line(**record):
    return json.dumps({"time": "2025-01-01T10:00:00Z", "text": "rain", **record}).encode()


def test_taken_repeated_rejected(client):
    lines = [line(id="a"), b"{", line(id="a"), line(id="b", time="soon"), b"", line(id="c", text=" ")]
    found = send(client, lines).json()
    assert (found["taken"], found["repeated"]) == (1, 1)
    assert [each["line"] for each in found["rejected"]] == [2, 4, 6]
    assert send(client, lines).json()["repeated"] == 2


@pytest.mark.parametrize(
    "record, reason",
    [
        (b"[1]", "not a JSON object"),
        (b'{"text": "no time"}', "no time"),
        (b'{"time": "2025-01-01"}', "no text"),
        (b'{"time": "2025-01-01", "text": 5}', "not a string"),
        (b'{"time": "3025-01-01", "text": "x"}', "ahead of the clock"),
        (b'{"time": "1700-01-01", "text": "x"}', "before 1850"),
        (b'{"time": true, "text": "x"}', "its time cannot be read"),
        (b'{"time": NaN, "text": "x"}', "its time cannot be read"),
        (b'{"time": null, "text": "x"}', "no time"),
        (b'{"time": "2025-01-01", "text": "\\ud800"}', "Unicode"),
        (b'{"time": "2025-01-01", "text": "x", "id": [1]}', "id"),
        (b'{"time": "2025-01-01", "text": "x", "id": "' + b"i" * 600 + b'"}', "id"),
        (b'{"time": "2025-01-01", "text": "x", "a": ' + b"[" * 5000 + b"]" * 5000 + b"}", "nested"),
        (b'{"time": "2025-01-01", "text": "\xff"}', "UTF-8"),
        (b'{"time": "2025-01-01", "text": "' + b"y" * (2**20 + 1) + b'"}', "bytes"),
    ],
)
def test_a_bad_record_is_rejected_alone_with_its_line(client, record, reason):
    good = line(id=f"good-{reason}-{len(record)}")
    found = send(client, [good, record]).json()
    assert found["taken"] == 1
    assert found["rejected"][0]["line"] == 2
    assert reason in found["rejected"][0]["reason"]


def test_a_time_whose_day_and_month_can_be_exchanged(client):
    found = send(client, [b'{"time": "05/04/2025", "text": "x"}']).json()
    assert "day and month" in found["rejected"][0]["reason"]


def test_rejections_are_listed_without_text(client):
    send(client, [b'{"time": "never", "text": "a secret text"}'])
    health = client.get("/api/health").json()
    assert health["n_rejected"] >= 1
    assert "cannot be read" in health["rejections"][0]["reason"]
    assert "secret" not in json.dumps(health)


def test_repeats_are_known_by_key_or_content(client):
    body = [line(text="no id, the same text"), line(text="no id, the same text")]
    assert send(client, body).json()["taken"] == 1
    with_key = [line(text="with a key"), line(text="with a key")]
    assert send(client, with_key, **{"Idempotency-Key": "k1"}).json()["taken"] == 2
    assert send(client, with_key, **{"Idempotency-Key": "k1"}).json()["repeated"] == 2
    assert send(client, with_key, **{"Idempotency-Key": "k2"}).json()["taken"] == 2


def test_an_empty_id_names_nothing(client):
    lines = [json.dumps({"time": "2025-01-01T00:00:00Z", "text": text, "id": " " * k}) for k, text in enumerate("abc")]
    assert client.post("/api/documents", content="\n".join(lines)).json()["taken"] == 3


def test_gzip(client):
    body = gzip.compress(b"\n".join([line(id="z1"), line(id="z2")]))
    found = client.post("/api/documents", content=body, headers={"Content-Encoding": "gzip"})
    assert found.json()["taken"] == 2


@pytest.mark.parametrize(
    "body, headers, status",
    [
        (b"x" * (16 * 2**20 + 1), {}, 413),
        (gzip.compress(b" " * (16 * 2**20 + 1), mtime=0), {"Content-Encoding": "gzip"}, 413),
        (b"{}\n" * 10_001, {}, 413),
        (b"not gzip", {"Content-Encoding": "gzip"}, 400),
        (gzip.compress(b"cut off early", mtime=0)[:-9], {"Content-Encoding": "gzip"}, 400),
        (gzip.compress(b"", mtime=0) * 100_000, {"Content-Encoding": "gzip"}, 413),
        (b"{}", {"Content-Encoding": "br"}, 415),
        (b"{}", {"Idempotency-Key": "k" * 201}, 400),
    ],
)
def test_limits(client, body, headers, status):
    found = client.post("/api/documents", content=body, headers=headers)
    assert found.status_code == status
    assert found.json()["detail"]


def test_damage_after_the_first_member_of_gzip_is_named(client):
    body = gzip.compress(line(id="whole"), mtime=0) + b"something else"
    found = client.post("/api/documents", content=body, headers={"Content-Encoding": "gzip"})
    assert (found.status_code, "damaged" in found.json()["detail"]) == (400, True)


def test_a_body_that_is_cut_off_is_refused_without_a_fault(client):
    """The connection ends after a part of the body, as when a sender is killed."""
    headers = {"host": "127.0.0.1:8765", "content-length": "5000", **BEARER}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/api/documents",
        "raw_path": b"/api/documents",
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 5000),
        "server": ("127.0.0.1", 8765),
    }
    received = iter([{"type": "http.request", "body": line(id="cut"), "more_body": True}, {"type": "http.disconnect"}])
    sent = []

    async def receive():
        return next(received)

    async def note(message):
        sent.append(message)

    client.portal.call(client.app, scope, receive, note)
    assert [each["status"] for each in sent if each["type"] == "http.response.start"] == [400]
    assert send(client, [line(id="cut")]).json()["taken"] == 1


def test_gzip_of_several_members(client):
    lines = [line(id=f"member {k}") for k in range(2_000)]
    body = b"".join(gzip.compress(each + b"\n", mtime=0) for each in lines[:900])
    body += gzip.compress(b"\n".join(lines[900:]), mtime=0)
    found = client.post("/api/documents", content=body, headers={"Content-Encoding": "gzip"})
    assert found.json()["taken"] == 2_000
    assert client.post("/api/documents", content=b"", headers={"Content-Encoding": "gzip"}).json()["taken"] == 0


def test_labels_of_documents(client):
    labels = ["sport", " sport ", 5, "", "x" * 201, "a\u202eb", ["a"], {"a": 1}, True, None]
    found = send(client, [line(id=f"labelled {k}", label=label) for k, label in enumerate(labels)]).json()
    assert [each["line"] for each in found["rejected"]] == [5, 6, 7, 8, 9]
    with client.service.readers.reading() as database:
        rows = database.execute("SELECT label FROM documents WHERE id LIKE 'labelled %' ORDER BY id")
    assert [label for (label,) in rows] == ["sport", "sport", "5", None, None]


def test_brackets_in_a_text_are_not_nested(client):
    assert send(client, [line(id="brackets", text='sad :[ "' + "[{" * 100)]).json()["taken"] == 1


def test_a_full_queue_refuses_and_says_when_to_come_again(client, monkeypatch):
    queue = client.service.queue
    monkeypatch.setattr(queue, "limit", 1)
    monkeypatch.setattr(queue, "n_bytes", 10)
    found = send(client, [line(id="late")])
    assert found.status_code == 429
    assert int(found.headers["Retry-After"]) >= 1


def test_a_full_disk_refuses_and_keeps_the_store_whole(client, monkeypatch):
    from driftline.service import writer

    monkeypatch.setattr(writer, "disk_share", lambda folder: 0.01)
    found = send(client, [line(id="no room")])
    assert found.status_code == 507
    monkeypatch.undo()
    assert send(client, [line(id="no room")]).json()["taken"] == 1


def test_an_empty_request(client):
    assert send(client, []).json() == {"taken": 0, "repeated": 0, "rejected": [], "batch": None}


def test_many_documents_in_one_request(client):
    found = send(client, story_lines(5000, seed=3)).json()
    assert found["taken"] == 5000


def test_a_number_whose_unit_is_not_clear_is_rejected_alone(tmp_path):
    unclear = b'{"time": 104, "text": "rain"}'
    with served(tmp_path / "store") as client:
        mixed = send(client, [unclear, *story_lines(2)]).json()
        alone = send(client, [unclear]).json()
    assert (mixed["taken"], [each["line"] for each in mixed["rejected"]]) == (2, [1])
    assert (alone["taken"], [each["line"] for each in alone["rejected"]]) == (0, [1])
    assert "unit is unclear" in alone["rejected"][0]["reason"]
