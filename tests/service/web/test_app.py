"""Every route answers in its declared shape, from a store with documents."""

import json

import pytest
from pydantic import TypeAdapter

from driftline.service import answers
from tests.service.running import send, served, story_lines, take, wait_for, writing


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("live") / "store") as client:
        lines = story_lines(3000)
        for start in range(0, 3000, 500):
            assert send(client, lines[start : start + 500]).json()["taken"] == 500
        yield client


ADDRESSES = [
    ("/api/session", answers.Session),
    ("/api/overview", answers.Overview),
    ("/api/overview?at=1740000000", answers.Overview),
    ("/api/topics", answers.TopicList),
    ("/api/topics/0?span=31536000", answers.TopicPage),
    ("/api/words?prefix=st", answers.WordList),
    ("/api/words", answers.WordList),
    ("/api/words/curves?word=petra&word=rain&word=neverseen", answers.WordPage),
    ("/api/documents", answers.DocumentList),
    ("/api/documents?q=storm+pet&sort=best", answers.DocumentList),
    ("/api/alarms", answers.AlarmList),
    ("/api/suggestions?n=2", answers.SuggestionList),
    ("/api/classifier", answers.Classifier),
    ("/api/health", answers.Health),
    ("/api/settings", answers.Settings),
]


@pytest.mark.parametrize("address, shape", ADDRESSES)
def test_every_answer_has_its_shape(client, address, shape):
    found = client.get(address)
    assert found.status_code == 200, found.text
    TypeAdapter(shape).validate_json(found.content, strict=False)
    assert set(found.json()) == set(shape.__annotations__)


def test_overview_is_small_and_complete(client):
    found = client.get("/api/overview?span=31536000")
    assert len(found.content) < 60_000
    body = found.json()
    assert body["n_documents"] == 3000
    assert sum(body["river"]["n_documents"]) == 3000
    shares = [sum(curve["values"][k] or 0 for curve in body["river"]["topics"]) for k in range(3, 10)]
    assert all(share == pytest.approx(1, abs=0.01) for share in shares)


def test_time_travel_shows_nothing_later(client):
    at = 1740000000
    body = client.get(f"/api/overview?at={at}&span=31536000").json()
    assert all(document["time"] <= at for document in body["newest"])
    assert body["river"]["times"][-1] <= at
    later = client.get("/api/overview?span=31536000").json()
    assert 0 < sum(body["river"]["n_documents"]) < sum(later["river"]["n_documents"])


def test_a_document_says_which_words_spoke_for_its_topic(client):
    key = client.get("/api/documents").json()["documents"][0]["key"]
    body = client.get(f"/api/documents/{key}").json()
    TypeAdapter(answers.DocumentPage).validate_python(body)
    assert body["spoke"]
    assert body["spoke"][0]["word"] in body["text"].lower()


def test_word_curve_from_index_and_from_aggregates_agree(client, monkeypatch):
    from driftline.service.views import word_history

    address = "/api/words/curves?word=rain&span=31536000"
    from_index = client.get(address).json()["words"][0]["n_documents"]
    monkeypatch.setattr(word_history, "FEW", 0)
    assert client.get(address).json()["words"][0]["n_documents"] == from_index
    assert sum(from_index) > 50


def test_search_filters_and_pages(client):
    everything = client.get("/api/documents?q=rain").json()
    assert everything["total"] == sum(everything["counts"])
    topic = everything["facets"]["topic"][0]
    some = client.get(f"/api/documents?q=rain&topic={topic['value']}").json()
    assert some["total"] == topic["n"]
    assert all(row["topic"] == int(topic["value"]) for row in some["documents"])
    keys = [row["key"] for row in everything["documents"]]
    following = client.get(f"/api/documents?q=rain&after={everything['next']}").json()
    assert not set(keys) & {row["key"] for row in following["documents"]}
    assert all(row["snippet"][1].lower() == "rain" for row in everything["documents"])


def test_best_first_finds_the_same_documents(client):
    newest = client.get("/api/documents?q=petra").json()
    best = client.get("/api/documents?q=petra&sort=best").json()
    assert newest["total"] == best["total"] > 0


@pytest.mark.parametrize(
    "q", ['" OR 1', "text:rain", "rain NOT wind", "(((", "*", "^rain", "NEAR(a b)", "a" * 400, "\0"]
)
def test_search_words_are_never_syntax(client, q):
    found = client.get("/api/documents", params={"q": q})
    assert found.status_code == 200
    assert found.json()["total"] >= 0


@pytest.mark.parametrize(
    "address",
    ["/api/topics/99999", "/api/documents/zz", "/api/documents/ffffff", "/api/nothing", "/nothing.html"],
)
def test_what_does_not_exist(client, address):
    found = client.get(address)
    assert found.status_code == 404
    assert set(found.json()) == {"error", "detail"}


@pytest.mark.parametrize("query", ["at=soon", "at=nan", "at=1e300", "span=1"])
def test_bad_parameters(client, query):
    found = client.get(f"/api/overview?{query}")
    assert found.status_code == 422
    assert "at" in found.json()["detail"] or "span" in found.json()["detail"]


def test_rename(client):
    found = client.post("/api/topics/1", json={"name": "Weather"})
    assert found.json()["name"] == "Weather"
    assert client.get("/api/topics/1").json()["topic"]["name"] == "Weather"
    assert client.post("/api/topics/1", json={"name": ""}).json()["name"] != "Weather"
    assert client.post("/api/topics/1", json={"name": "a\u202eb\0"}).status_code == 422


def test_delete_removes_text_index_and_id(client):
    send(client, [json.dumps({"id": "gone", "time": "2025-06-01", "text": "zanzibar quokka"}).encode()])
    key = client.get("/api/documents?q=quokka").json()["documents"][0]["key"]
    found = client.request("DELETE", f"/api/documents/{key}", json={})
    assert "next refit" in found.json()["note"]
    assert client.get("/api/documents?q=quokka").json()["total"] == 0
    assert client.get(f"/api/documents/{key}").status_code == 404
    assert client.request("DELETE", f"/api/documents/{key}", json={}).status_code == 404
    with client.service.readers.reading() as database:
        assert not database.execute("SELECT 1 FROM documents WHERE id = 'gone'")


def test_metrics_health_and_readiness(client):
    text = client.get("/metrics").text
    assert "# TYPE driftline_documents_total counter" in text
    assert "driftline_documents_total 300" in text
    assert client.get("/healthz").json()["alive"]
    assert client.get("/readyz").status_code == 200


def test_labels_teach_the_classifier(client):
    labels = {}
    for _ in range(12):
        suggestion = client.get("/api/suggestions?n=1").json()["suggestions"][0]
        label = "sport" if "match" in suggestion["text"] or "championship" in suggestion["text"] else "other"
        body = {"key": suggestion["key"], "label": label, "lease": suggestion["lease"]}
        assert client.post("/api/labels", json=body).json()["event"]["label"] == label
        labels[suggestion["key"]] = label
    assert len(labels) == 12
    found = wait_for(lambda: (c := client.get("/api/classifier").json())["pending"] == 0 and c)
    assert found["n_labels"] == 12
    if len(found["labels"]) > 1:
        chances = [each["probabilities"] for each in client.get("/api/suggestions?n=5").json()["suggestions"]]
        assert any(set(each) == set(found["labels"]) for each in chances)
        assert all(abs(sum(each.values()) - 1) < 1e-4 for each in chances if set(each) == set(found["labels"]))
    assert sum(found["counts"]) == 12
    key = next(iter(labels))
    undone = client.post("/api/labels", json={"key": key, "undo": True}).json()
    assert undone["event"]["label"] is None
    assert client.get(f"/api/documents/{key}").json()["label"] is None
    assert len(client.get(f"/api/documents/{key}").json()["labels"]) == 2


def test_a_leased_document_is_not_given_to_another(client):
    token = client.service
    from driftline.service.store.tokens import add_token

    other = token.queue.call(lambda writer: add_token(writer.database, "ann", "read,label")).result()
    mine = {row["key"] for row in client.get("/api/suggestions?n=5").json()["suggestions"]}
    headers = {"Authorization": f"Bearer {other}"}
    hers = {row["key"] for row in client.get("/api/suggestions?n=5", headers=headers).json()["suggestions"]}
    assert mine
    assert not mine & hers
    taken = client.post("/api/labels", json={"key": next(iter(mine)), "label": "x"}, headers=headers)
    assert taken.status_code == 409


def test_too_many_pages_are_refused_and_told_when_to_come_again(client, monkeypatch):
    monkeypatch.setattr("driftline.service.hub.MOST_READERS", 0)
    found = client.get("/api/events")
    assert (found.status_code, found.json()["error"], found.headers["retry-after"]) == (503, "too_many_readers", "10")


def test_a_source_of_another_process_is_not_called_ended(tmp_path):
    with writing(str(tmp_path / "store")) as writer:
        take(writer, story_lines(20), source="follow:/var/log/app.jsonl")
    with served(tmp_path / "store") as client:
        (found,) = client.get("/api/health").json()["sources"]
    assert (found["kind"], found["taken"], found["state"]) == ("follow", 20, "not read by this process")
