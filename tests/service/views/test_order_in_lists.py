"""Documents that arrive out of order within an hour are listed in order of their times."""

import json
import random

from driftline.service.store.keys import DAY
from driftline.service.views.document_search import Asked, document_list
from driftline.service.views.overview import DriftCache, overview
from driftline.service.views.read_connections import Readers
from driftline.service.views.topic import topic_page
from tests.service.running import take, writing


def test_lists_are_in_order_of_time(tmp_path):
    minutes = list(range(600))
    random.Random(1).shuffle(minutes)
    lines = [
        json.dumps({"time": f"2026-03-01T{9 + m // 60:02}:{m % 60:02}:00Z", "text": f"rain and wind in valley {m % 7}"})
        for m in minutes
    ]
    with writing(str(tmp_path / "store"), n_topics=2) as writer:
        take(writer, [line.encode() for line in lines])
        readers = Readers(str(tmp_path / "store"), writer, n=1)
        with readers.reading() as database:
            topic = int(database.execute("SELECT topic FROM documents GROUP BY topic ORDER BY count(*) DESC")[0][0])
            lists = [
                document_list(database, Asked())["documents"],
                document_list(database, Asked(q="rain "))["documents"],
                overview(readers, database, DriftCache(), at=None, span=DAY)["newest"],
                topic_page(readers, database, topic, at=None, span=DAY)["documents"],
            ]
        readers.close()
    for rows in lists:
        times = [row["time"] for row in rows]
        assert len(times) >= 8
        assert times == sorted(times, reverse=True)
