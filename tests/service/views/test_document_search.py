"""Search, facets and histogram equal those of a plain pass over all documents."""

import re
from collections import Counter

import pytest

from driftline.service.store.keys import DAY
from driftline.service.views import document_search
from driftline.service.views.document_search import Asked, document_list


def has(text, word):
    found = re.findall(r"\w+", text.lower())
    return any(each.startswith(word[:-1]) for each in found) if word.endswith("*") else word in found


@pytest.mark.parametrize("q", ["rain ", "win", "rain and ", "petra flo", "nothinglikethis "])
@pytest.mark.parametrize("source", [None, "second"])
@pytest.mark.parametrize("interval", [None, (40, 200)])
def test_found_documents(filled, q, source, interval):
    first, last = (None, None) if interval is None else (int(filled.times[0]) + k * DAY for k in interval)
    with filled.readers.reading() as database:
        found = document_list(database, Asked(q=q, source=source, first=first, last=last))
        topics = dict(database.execute("SELECT text || time, topic FROM documents"))
    words = [word.lower() for word in document_search.query_words(q)]
    expected = [
        k
        for k, (moment, text) in enumerate(zip(filled.times.tolist(), filled.texts))
        if all(has(text, word) for word in words)
        and (source is None or (k >= 1200) == (source == "second"))
        and (first is None or first <= moment <= last)
    ]
    assert found["total"] == len(expected)
    assert not found["is_capped"]
    assert sum(found["counts"]) == len(expected)
    shown = [row["time"] for row in found["documents"]]
    assert shown == sorted((filled.times[k] / 1e6 for k in expected), reverse=True)[:50]
    sources = Counter("first" if k < 1200 else "second" for k in expected)
    assert {each["value"]: each["n"] for each in found["facets"]["source"]} == sources
    of_topic = Counter(str(topics[f"{filled.texts[k]}{filled.times[k]}"]) for k in expected)
    assert {each["value"]: each["n"] for each in found["facets"]["topic"]} == of_topic
    assert all(a["n"] >= b["n"] for a, b in zip(found["facets"]["topic"], found["facets"]["topic"][1:]))


def test_pages_are_the_whole(filled):
    with filled.readers.reading() as database:
        keys, after = [], None
        while True:
            found = document_list(database, Asked(q="rain ", after=after))
            keys += [row["key"] for row in found["documents"]]
            after = found["next"]
            if after is None:
                break
    assert len(keys) == len(set(keys)) == found["total"]


def test_filter_without_words(filled):
    with filled.readers.reading() as database:
        everything = document_list(database, Asked())
        topic = int(everything["facets"]["topic"][0]["value"])
        found = document_list(database, Asked(topic=topic))
    assert found["total"] == everything["facets"]["topic"][0]["n"]
    assert {row["topic"] for row in found["documents"]} == {topic}


def test_more_than_are_counted(filled, monkeypatch):
    monkeypatch.setattr(document_search, "CAP", 20)
    monkeypatch.setattr(document_search, "BEST_OF", 15)
    with filled.readers.reading() as database:
        newest = document_list(database, Asked(q="rain "))
        best = document_list(database, Asked(q="rain ", sort="best"))
    assert newest["is_capped"]
    assert newest["total"] == 20
    assert "newest 15 matches" in best["note"]


def test_the_best_first(filled):
    with filled.readers.reading() as database:
        newest = document_list(database, Asked(q="rain "))
        best = document_list(database, Asked(q="rain ", sort="best"))
    assert best["total"] == newest["total"]
    assert {row["key"] for row in best["documents"]} != {row["key"] for row in newest["documents"]} or (
        best["total"] <= 50
    )
    assert best["note"] is None
