"""Invented, deterministic answers in the shapes of `service.answers`, some with hostile texts."""

from __future__ import annotations

import math
import random
from typing import Any

from driftline.service.answers import Alarm, Delta, DocumentRow, Overview, PeriodDelta, TopicCurve

DAY = 86_400
FIRST = 1_704_067_200.0
N_DAYS = 90
NAMES = [
    "storm · rain · coast",
    "election · votes",
    "clinic · fever",
    "harbour · ships",
    "football · match",
    "budget · tax",
    "school · exams",
    "railway · strike",
]
WORDS = [name.split(" · ") for name in NAMES]
HOSTILE = [
    "<script>window.hacked = true</script><img src=x onerror='window.hacked = true'>",
    "\u202eright to left override\u202c and مرحبا بالعالم, then back",
    "w" * 3000,
    "javascript:alert(1) \"'`<b>bold</b> &amp; ]]> --> {{7*7}} ${7*7}",
]


def shares(day: int) -> list[float]:
    """Return the shares of the topics on a day: slow waves, and a storm that rises on day 60."""
    raw = [1.0 + 0.6 * math.sin(day / (7.0 + 3 * k) + k) for k in range(len(NAMES))]
    raw[0] *= 1.0 + 4.0 * math.exp(-(((day - 72) / 9.0) ** 2))
    return [each / sum(raw) for each in raw]


def curve(topic: int, days: range) -> TopicCurve:
    """Return the curve of a topic with its band."""
    values = [shares(day)[topic] for day in days]
    width = [0.02 + 0.02 * value for value in values]
    return {
        "id": topic,
        "name": NAMES[topic],
        "colour": topic,
        "words": [*WORDS[topic], "report", "people"],
        "values": [*values],
        "low": [max(0.0, v - w) for v, w in zip(values, width, strict=True)],
        "high": [v + w for v, w in zip(values, width, strict=True)],
    }


def document(number: int, text: str | None = None) -> DocumentRow:
    """Return a document of a list; the first ones have hostile texts."""
    topic = number % len(NAMES)
    plain = [f"The {WORDS[topic][0]} of «day {number}» was ", WORDS[topic][-1], " for many people, a report says."]
    return {
        "key": f"{number:016x}",
        "id": f"doc-{number}",
        "time": FIRST + (N_DAYS - 1) * DAY - 600 * number,
        "source": "newswire",
        "topic": topic,
        "snippet": [text] if text else [HOSTILE[number]] if number < len(HOSTILE) else plain,
        "probability": 0.8,
        "label": "weather" if topic == 0 else None,
    }


def alarm(number: int, state: str = "on") -> Alarm:
    """Return an alarm with its evidence."""
    start = FIRST + (N_DAYS - 20 - 9 * number) * DAY
    values = [40.0 + 3 * ((7 * i) % 5) + (160.0 / (1 + math.exp(-(i - 20) / 2.0))) for i in range(40)]
    ended = None if state == "on" else start + 6 * DAY
    return {
        "id": 100 - number,
        "kind": "topic",
        "topic": number % len(NAMES),
        "word": None,
        "name": NAMES[number % len(NAMES)],
        "state": state,
        "start": start,
        "headline": f"{NAMES[number % len(NAMES)]} has tripled since 14:10, 97 % certain",
        "raised": start + 7200,
        "ended": ended,
        "probability": 0.97 if state == "on" else 0.3,
        "highest": 0.97 - 0.01 * number,
        "ratio": 3.1,
        "acknowledged": None,
        "muted_until": None,
        "evidence": {
            "words": [*WORDS[number % len(NAMES)], "warning", "flood"],
            "documents": [document(k) for k in range(5)],
            "expected": 46.0,
            "seen": 143.0,
            "times": [start + (i - 20) * 3600 for i in range(40)],
            "values": values,
        },
    }  # type: ignore[typeddict-item]


def drifting(number: int) -> dict[str, Any]:
    """Return a drifting word."""
    rises = number % 3 != 2
    values = [0.01 + 0.002 * (i if rises else 40 - i) + 0.004 * math.sin(i) for i in range(40)]
    word = ["petra", "gusts", "ballot", "ferry", "fever", "levy", "<b>sluice</b>", "strike", "goal", "turbine"][number]
    return {
        "word": word,
        "before": values[0],
        "now": values[-1],
        "ratio": 6.1 - 0.5 * number if rises else 0.3,
        "probability": 0.99 - 0.01 * number,
        "values": values,
    }


def overview(at: float | None = None, batch: int = 100) -> Overview:
    """Return the overview, now or at an earlier time."""
    last = N_DAYS if at is None else max(2, min(N_DAYS, int((at - FIRST) // DAY) + 1))
    days = range(max(0, last - 60), last)
    alarms = [alarm(0), alarm(1, "off"), alarm(2, "off")] if last > 70 else []
    return {
        "now": FIRST + last * DAY - 1,
        "at": at,
        "first": FIRST,
        "batch": batch,
        "n_documents": 500 * last,
        "n_topics": len(NAMES),
        "n_on": sum(alarm["state"] == "on" for alarm in alarms),
        "headline": alarms[0]["headline"] if alarms else "Nothing unusual: all topics are within their bands",
        "river": {
            "level": "day",
            "times": [FIRST + d * DAY for d in days],
            "n_documents": [500] * len(days),
            "topics": [curve(k, days) for k in range(len(NAMES))],
        },
        "alarms": alarms,
        "drifting": [drifting(k) for k in range(10)],
        "newest": [document(k) for k in range(10)],
    }  # type: ignore[typeddict-item]


def delta(step: int, *, arrived: float | None = None, sent: float = 0.0) -> Delta:
    """Return the update of a later batch; a day has five of them."""
    day = N_DAYS + step // 5
    n = 100 * (step % 5 + 1)
    period: PeriodDelta = {
        "level": "day",
        "start": FIRST + day * DAY,
        "n": n,
        "sums": {str(k): n * share for k, share in enumerate(shares(day))},
    }
    rows = [{**document(1000 + 3 * step + k), "time": FIRST + day * DAY + k} for k in range(3)]
    return {
        "batch": 101 + step,
        "now": FIRST + day * DAY + 17_000 * (step % 5),
        "n_documents": 45_000 + 100 * step,
        "level": "day",
        "periods": [period],
        "newest": rows,
        "sent": sent,
        "arrived": arrived,
        "headline": f"Update {step}: the storm passes",
        "drifting": [drifting(k) for k in range(10)],
    }  # type: ignore[typeddict-item]


def topic_page(topic: int) -> dict[str, Any]:
    """Return a topic with its words now and earlier."""
    days = range(N_DAYS - 60, N_DAYS)
    chance = random.Random(topic)
    words = [
        *WORDS[topic],
        "report",
        "people",
        "city",
        "warning",
        "minister",
        "night",
        "river",
        "damage",
        "plan",
        "<i>week</i>",
    ]
    now = sorted(
        ({"word": word, "share": 0.002 + 0.05 * chance.random() ** 2} for word in words),
        key=lambda each: -each["share"],
    )
    then = sorted(
        ({"word": word, "share": 0.002 + 0.05 * chance.random() ** 2} for word in words),
        key=lambda each: -each["share"],
    )
    whole = curve(topic, days)
    return {
        "topic": {name: whole[name] for name in ("id", "name", "colour", "words")},
        "present": True,
        "level": "day",
        "times": [FIRST + d * DAY for d in days],
        "n_documents": [500] * 60,  # type: ignore[literal-required]
        "curve": {name: whole[name] for name in ("values", "low", "high")},
        "words_now": now,
        "words_then": then,
        "changed": [then[0]["word"]],
        "then": FIRST,  # type: ignore[literal-required]
        "documents": [document(8 * k + topic) for k in range(6)],
        "alarms": [alarm(topic)] if topic < 2 else [],
        "lineage": [
            {"time": FIRST + 40 * DAY, "kind": "kept", "old": [topic], "new": [topic], "overlap": 0.91},
            {"time": FIRST + 70 * DAY, "kind": "split", "old": [topic], "new": [topic, 7], "overlap": 0.62},
        ],
    }


def word_curves(words: list[str]) -> dict[str, Any]:
    """Return the curves of words; a word with a digit is unknown."""
    days = range(N_DAYS - 80, N_DAYS)
    curves = []
    for k, word in enumerate(word for word in words if not any(letter.isdigit() for letter in word)):
        values = [
            0.02 + 0.06 / (1 + k) * math.exp(-(((day - 60 + 12 * k) / 6.0) ** 2)) + 0.004 * math.sin(day + k)
            for day in days
        ]
        burst = {
            "start": FIRST + (54 - 12 * k) * DAY,
            "end": None if k == 0 else FIRST + (66 - 12 * k) * DAY,
            "ratio": 3.7,
            "weight": 21.0,
        }
        curves.append(
            {
                "word": word,
                "values": values,
                "low": [0.8 * v for v in values],
                "high": [1.2 * v for v in values],
                "n_documents": [int(500 * v) for v in values],
                "known_since": None if word != "the" else FIRST + 20 * DAY,
                "bursts": [burst],
            }
        )
    unknown = [word for word in words if any(letter.isdigit() for letter in word)]
    return {
        "level": "day",
        "times": [FIRST + d * DAY for d in days],
        "totals": [500] * 80,
        "words": curves,
        "unknown": unknown,
    }


def document_list(q: str, topic: str | None) -> dict[str, Any]:
    """Return matches; the word "nothing" has none."""
    rows = [] if q == "nothing" else [document(k) for k in range(24) if topic is None or k % len(NAMES) == int(topic)]
    facets = {
        "topic": [{"value": str(k), "name": NAMES[k], "n": 310 - 30 * k} for k in range(len(NAMES))],
        "label": [{"value": "weather", "name": "weather", "n": 41}],
        "source": [{"value": "newswire", "name": "newswire", "n": 1200}],
    }
    counts = [20 + (37 * k) % 23 + (60 if 40 < k < 50 else 0) for k in range(60)] if rows else []
    return {
        "documents": rows,
        "total": 10_000 if not q else len(rows),
        "is_capped": not q,
        "next": None,
        "facets": facets if rows else {},
        "level": "day",
        "times": [FIRST + (N_DAYS - 60 + k) * DAY for k in range(len(counts))],
        "counts": counts,
        "note": None,
    }


def document_page(key: str) -> dict[str, Any]:
    """Return one document."""
    row = document(int(key, 16))
    refs = [{name: curve(k, range(2))[name] for name in ("id", "name", "colour", "words")} for k in range(3)]  # type: ignore[literal-required]
    text = "".join(row["snippet"])
    return {
        "key": key,
        "id": row["id"],
        "time": row["time"],
        "arrived": row["time"] + 2,
        "source": "newswire",
        "text": f"{text} Storm and rain reached the coast before noon; people were told to stay at home.",
        "topics": [
            {"topic": refs[0], "share": 0.71},
            {"topic": refs[1], "share": 0.2},
            {"topic": refs[2], "share": 0.09},
        ],
        "spoke": [
            {"word": "storm", "weight": 3.1},
            {"word": "coast", "weight": 2.2},
            {"word": "rain", "weight": 1.4},
            {"word": "people", "weight": -0.3},
        ],
        "label": row["label"],
        "guess": "weather",
        "guess_probability": 0.83,
        "labels": [],
    }


def classifier(n_labels: int) -> dict[str, Any]:
    """Return the state of the classifier after some labels."""
    bins = [
        {
            "predicted": 0.05 + 0.1 * k,
            "right": min(1.0, max(0.0, 0.05 + 0.1 * k + 0.06 * math.sin(3 * k))),
            "n": 4 + 3 * k,
        }
        for k in range(10)
    ]
    return {
        "labels": ["weather", "politics", "sport", "economy"],
        "counts": [12, 9, 7, 4],
        "n_labels": 32 + n_labels,
        "pending": 0,
        "n_frame": 2000,
        "flipped": 17 + n_labels,
        "expected": 0.86,
        "expected_low": 0.79,
        "expected_high": 0.91,
        "right": 0.84,
        "n_tested": 175,
        "calibration": bins,
        "kappa": 0.81,
        "n_double": 12,
        "examples": [
            {
                "key": f"{k:016x}",
                "snippet": HOSTILE[0] if k == 0 else f"Gusts in the harbour kept the ferries away, day {k}.",
                "before": "economy",
                "now": "weather",
            }
            for k in range(3)
        ],
    }


def suggestion(number: int) -> dict[str, Any]:
    """Return a document to label."""
    texts = [
        "Storm Petra has reached the coast. Gusts of 130 km/h closed the harbour, and the ferries stay in port "
        "until Thursday; the weather service expects rain of 60 mm by the evening.",
        HOSTILE[0],
        HOSTILE[1],
        "The minister defended the budget; the vote is on Friday. " + HOSTILE[2][:300],
    ]
    return {
        "key": f"{500 + number:016x}",
        "id": f"doc-{500 + number}",
        "time": FIRST + 80 * DAY + 60 * number,
        "source": "newswire",
        "text": texts[number % len(texts)],
        "guess": "weather",
        "probability": 0.61,
        "probabilities": {"weather": 0.61, "politics": 0.2, "sport": 0.05, "economy": 0.14},
        "lease": f"lease-{number}",
        "until": FIRST + 90 * DAY,
        "second_opinion": number % 3 == 1,
    }


def health() -> dict[str, Any]:
    """Return the state of the service."""
    now = FIRST + N_DAYS * DAY
    return {
        "now": now,
        "started": now - 7_300,
        "version": "0.1.0",
        "store": "./driftline-live",
        "store_bytes": 48_200_000,
        "wal_bytes": 1_400_000,
        "disk_free": 41e9,
        "disk_total": 100e9,
        "memory": 412_000_000,
        "queue_bytes": 18_000,
        "queue_limit": 32_000_000,
        "per_second": 203.4,
        "latency": {"p50": 0.031, "p95": 0.087, "n": 61_000},
        "readers": 3,
        "sources": [
            {
                "name": "newswire",
                "kind": "demo",
                "place": "day 90",
                "lag": 0,
                "unit": "documents",
                "last": now,
                "taken": 45_000,
                "rejected": 3,
                "repeated": 12,
                "state": "running",
            },
            {
                "name": "/var/log/app.jsonl",
                "kind": "file",
                "place": "byte 81,002",
                "lag": 1810,
                "unit": "bytes",
                "last": now - 60,
                "taken": 812,
                "rejected": 0,
                "repeated": 0,
                "state": "waiting",
            },
        ],
        "rejections": [
            {
                "time": now - 60 * k,
                "source": "http",
                "place": f"line {7 + k}",
                "reason": "the field text is missing; add it, or name another with --text",
            }
            for k in range(3)
        ],
        "n_rejected": 3,
        "model": {
            "name": "OnlineLDA",
            "version": 2,
            "fitted": now - 90_000,
            "snapshot": 98,
            "n_documents": 44_980,
            "n_words": 21_900,
            "languages": ["en", "de"],
            "score": -7.31,
            "band": [-7.6, -7.0],
            "unknown": 0.021,
            "scores": [-7.3 + 0.1 * math.sin(k) for k in range(40)],
        },
        "refit": {
            "state": "idle",
            "reason": "",
            "started": now - 90_400,
            "finished": now - 90_000,
            "can_go_back": True,
        },
        "keep": "90d",
        "outbox": 0,
    }
