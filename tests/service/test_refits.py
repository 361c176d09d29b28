"""A refit during the stream: ids are kept, models are swapped between two batches, and the swap can be undone."""

import pytest

from tests.service.running import send, served, story_lines, wait_for, writing

pytestmark = pytest.mark.slow  # it starts two more processes


@pytest.fixture(scope="module")
def swapped(tmp_path_factory):
    store = tmp_path_factory.mktemp("live") / "store"
    with served(store) as client:
        lines = story_lines(4000)
        for start in range(0, 3000, 500):
            send(client, lines[start : start + 500])
        client.post("/api/topics/2", json={"name": "Second"})
        before = client.get("/api/topics?span=31536000").json()
        assert client.post("/api/refit", json={}).json()["state"] in ("fitting", "catching up")
        assert client.post("/api/refit", json={}).status_code == 409
        send(client, lines[3000:3600])  # while it is fitted
        wait_for(lambda: client.service.refits.finished, 120)
        assert client.service.refits.state == "idle", client.service.refits.reason
        send(client, lines[3600:])
        yield client, store, before


def test_ids_and_names_are_kept(swapped):
    client, _, before = swapped
    assert client.service.writer.learner.version == 2
    after = client.get("/api/topics?span=31536000").json()
    old, new = ({topic["id"]: topic for topic in answer["topics"]} for answer in (before, after))
    kept = [topic for topic in new if topic in old]
    assert len(kept) >= 5
    assert any(topic["name"] == "Second" for topic in after["topics"])
    steps = client.get(f"/api/topics/{kept[0]}").json()["lineage"]
    assert steps[0]["kind"] in ("kept", "split", "merged")


def test_documents_are_counted_once(swapped):
    client, *_ = swapped
    river = client.get("/api/overview?span=31536000").json()["river"]
    assert sum(river["n_documents"]) == 4000


def test_after_a_restart_everything_is_the_same(swapped):
    client, store, _ = swapped
    expected = client.service.queue.call(lambda writer: writer.learner.to_bytes()).result()
    with writing(str(store)) as again:
        assert again.learner.to_bytes() == expected
        again.save()
        rows = again.database.execute("SELECT body FROM periods WHERE level = 2 AND kind = 'topics'")
        from driftline.service.store.period_aggregates import UNIT, unpack_topics

        found = [unpack_topics(body) for (body,) in rows]
        assert sum(each.n for each in found) == 4000
        assert sum(sum(each.sums.values()) for each in found) / UNIT == pytest.approx(4000, rel=1e-3)


def test_the_way_back(swapped):
    client, *_ = swapped
    assert client.get("/api/health").json()["refit"]["can_go_back"]
    client.service.refits.finished = None
    assert client.post("/api/refit/back", json={}).status_code == 200
    wait_for(lambda: client.service.refits.finished, 120)
    assert client.service.refits.state == "idle", client.service.refits.reason
    assert client.service.writer.learner.version == 3
    assert client.service.writer.learner.ids.tolist() == list(range(6))
