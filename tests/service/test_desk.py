"""The desk answers without delay: suggestions are available at once, and long counts are cached."""

import json

from driftline.service import desk as desk_module
from tests.service.running import send, served, story_lines, wait_for


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


def test_many_documents_of_a_label_are_counted_behind_and_kept_for_a_while(tmp_path, monkeypatch):
    with served(tmp_path / "store") as client:
        desk = client.service.desk
        count = desk._count
        monkeypatch.setattr(desk, "_count", lambda: None)
        send(client, labelled(story_lines(30)))
        assert client.get("/api/classifier").json()["counts"] == [20, 10]
        monkeypatch.setattr(desk_module, "MOST_COUNTED", 5)
        assert client.get("/api/classifier").json()["counts"] == [5, 5]
        monkeypatch.setattr(desk, "_count", count)
        wait_for(lambda: client.get("/api/classifier").json()["counts"] == [20, 10])
        send(client, labelled(story_lines(30, first=30)))
        monkeypatch.setattr(desk, "_count_again", float("inf"))
        assert client.get("/api/classifier").json()["counts"] == [20, 10]
        monkeypatch.setattr(desk, "_count_again", 0.0)
        wait_for(lambda: client.get("/api/classifier").json()["counts"] == [40, 20])


def test_counting_behind_does_not_learn_again(tmp_path, monkeypatch):
    learned = []
    monkeypatch.setattr(desk_module.Desk, "_learn", lambda desk: learned.append(1))
    monkeypatch.setattr(desk_module, "MOST_COUNTED", 5)
    with served(tmp_path / "store") as client:
        send(client, labelled(story_lines(30)))
        wait_for(lambda: client.get("/api/classifier").json()["counts"] == [20, 10])
    assert not learned


def test_nothing_is_guessed_from_a_single_label():
    stories = [json.loads(line) for line in story_lines(40)]
    rows = [(k, 10**15 + k, story["text"], "a" if k < 5 else None) for k, story in enumerate(stories)]
    found = desk_module.learned_answers(rows, 5)
    assert (found.guess, found.chances, found.expected) == ({}, {}, None)
    assert found.suggested
    two = [(*row[:3], "b" if row[0] == 0 else row[3]) for row in rows]
    assert desk_module.learned_answers(two, 5).guess
