"""The desk does not make anybody wait: suggestions come at once, and long counts are kept for a while."""

import json

from driftline.service import desk as desk_module
from tests.service.running import send, served, story_lines


def labelled(lines):
    return [json.dumps({**json.loads(line), "label": "a" if k % 3 else "b"}).encode() for k, line in enumerate(lines)]


def test_a_stream_with_all_labels_has_nothing_to_suggest(tmp_path, monkeypatch):
    learned = []
    monkeypatch.setattr(desk_module, "learned_answers", lambda *given: learned.append(given))
    with served(tmp_path / "store") as client:
        send(client, labelled(story_lines(300)))
        assert client.get("/api/suggestions?n=2").json()["suggestions"] == []
        client.service.desk._learn()
        found = client.get("/api/classifier").json()
    assert not learned
    assert (found["labels"], found["counts"], found["n_frame"]) == (["a", "b"], [200, 100], 300)


def test_the_first_suggestions_do_not_wait_for_learning(tmp_path, monkeypatch):
    with served(tmp_path / "store") as client:
        send(client, [*labelled(story_lines(300)), *story_lines(100, first=300)])
        monkeypatch.setattr(client.service.desk, "refresh", lambda: None)
        found = client.get("/api/suggestions?n=3").json()["suggestions"]
        assert len({each["key"] for each in found}) == 3
        assert all(each["guess"] is None for each in found)


def test_a_count_that_takes_long_is_kept(tmp_path, monkeypatch):
    with served(tmp_path / "store") as client:
        send(client, labelled(story_lines(30)))
        assert sum(client.get("/api/classifier").json()["counts"]) == 30
        send(client, labelled(story_lines(30, first=30)))
        assert sum(client.get("/api/classifier").json()["counts"]) == 60
        monkeypatch.setattr(desk_module, "QUICK", -1.0)
        monkeypatch.setattr(desk_module, "COUNT_SHARE", 1e9)
        client.get("/api/classifier")
        send(client, labelled(story_lines(30, first=60)))
        assert sum(client.get("/api/classifier").json()["counts"]) == 60
