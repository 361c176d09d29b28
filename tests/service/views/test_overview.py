"""The overview counts what there was at its time, and lists the newest documents in order of time."""

import json

import numpy as np

from driftline.service.store.keys import DAY
from driftline.service.views.default_span import LONGEST, default_span
from driftline.service.views.overview import DriftCache, overview
from driftline.service.views.read_connections import Readers
from tests.service.running import take, writing


def test_documents_before_the_river_are_counted(filled):
    with filled.readers.reading() as database:
        at = int(filled.times[1500]) // DAY * DAY - 1
        found = overview(filled.readers, database, DriftCache(), at=at, span=30 * DAY)
    assert found["n_documents"] == int((filled.times <= at).sum())
    assert sum(found["river"]["n_documents"]) < found["n_documents"]
    assert found["n_topics"] == 6


def test_more_topics_than_the_river_shows_are_counted(tmp_path):
    lines = [json.dumps({"id": str(k), "time": 1.7e9 + k, "text": f"rain wind w{k % 90}"}).encode() for k in range(600)]
    with writing(str(tmp_path / "store"), n_topics=30) as writer:
        take(writer, lines)
        readers = Readers(str(tmp_path / "store"), writer, n=1)
        with readers.reading() as database:
            found = overview(readers, database, DriftCache(), at=None, span=DAY)
        readers.close()
    assert found["n_topics"] == 30
    assert len(found["river"]["topics"]) == 20


def test_newest_documents_of_one_request_are_in_order_of_time(tmp_path):
    order = np.random.default_rng(0).permutation(50)
    lines = [json.dumps({"id": str(k), "time": 1.7e9 + int(k), "text": f"text {k}"}).encode() for k in order]
    with writing(str(tmp_path / "store")) as writer:
        take(writer, lines)
        readers = Readers(str(tmp_path / "store"), writer, n=1)
        with readers.reading() as database:
            found = overview(readers, database, DriftCache(), at=None, span=DAY)
        readers.close()
    assert [row["id"] for row in found["newest"]] == [str(k) for k in range(49, 34, -1)]


def test_a_stream_with_few_documents_is_shown_for_longer(filled, tmp_path):
    def span(readers, at=None, usual=60 * DAY):
        with readers.reading() as database:
            return default_span(readers, database, at, usual)

    assert span(filled.readers) == 60 * DAY  # 2,000 stories in a year
    early = int(filled.times[50])
    assert span(filled.readers, early) == 60 * DAY  # all of the first documents
    lines = [json.dumps({"id": str(k), "time": 86_400 * 30 * k, "text": f"text {k}"}).encode() for k in range(320)]
    with writing(str(tmp_path / "store")) as writer:
        take(writer, lines)
        readers = Readers(str(tmp_path / "store"), writer, n=1)
        assert span(readers) == LONGEST  # one document per month
        assert span(readers, 30 * DAY * 60) == 60 * 30 * DAY
        assert span(readers, usual=200 * 30 * DAY) == 200 * 30 * DAY
        with readers.reading() as database:
            found = overview(readers, database, DriftCache(), at=None, span=LONGEST)
        readers.close()
    assert found["river"]["level"] == "month"
    assert len(found["river"]["times"]) in (71, 72, 73)
