from __future__ import annotations

import json
from datetime import datetime

from driftline.datasets.broken_records import broken_record

MADE = {}
for number in range(6):
    MADE.update([broken_record(number, "2025-03-01T12:00:00Z", "Rain is expected near Thornbridge today.")])


def test_every_defect_has_its_turn():
    assert len(MADE) == 6
    assert broken_record(6, "2025-03-01T12:00:00Z", "x")[0] == broken_record(0, "2025-03-01T12:00:00Z", "x")[0]


def _fails(work):
    try:
        work()
    except ValueError:
        return True
    return False


def test_each_record_has_the_defect_it_is_named_for():
    assert "time" not in json.loads(MADE["no time"])
    assert _fails(lambda: json.loads(MADE["broken JSON"]))
    assert _fails(lambda: datetime.fromisoformat(json.loads(MADE["impossible date"])["time"]))
    assert _fails(lambda: datetime.fromisoformat(json.loads(MADE["no date at all"])["time"]))
    assert _fails(lambda: MADE["bad encoding"].decode("utf-8"))
    assert isinstance(json.loads(MADE["not a record"]), list)
    assert all(b"\n" not in line for line in MADE.values())
