from __future__ import annotations

import json

import numpy as np
import pytest

import driftline
from driftline.analysis.findings import storylines as module
from driftline.analysis.findings.storylines import (
    MIN_PROBABILITY,
    MIN_SIZE,
    STORYLINES,
    StorylineFindings,
    first_grouped,
    memory_of,
    storylines_of,
)
from driftline.analysis.serialise import from_json, to_json
from driftline.nonparametric import StoryStream
from driftline.streams.corpus import Corpus
from driftline.streams.stream import Stream

DAYS = 100
TOLD = {"war": (10, 40), "virus": (50, 70)}
"""The days of two groups of documents with words of their own."""


def _told(name, rng):
    common = [f"{name}{part}" for part in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")]
    return " ".join([*common, *(f"w{k}" for k in rng.integers(0, 9000, 3))])


def documents():
    """Fifteen documents a day of words that rarely recur, and two a day of each group."""
    rng = np.random.default_rng(0)
    found = []
    for day in range(DAYS):
        texts = [" ".join(f"w{k}" for k in rng.integers(0, 9000, 6)) for _ in range(15)]
        for name, (first, last) in TOLD.items():
            if first <= day < last:
                texts += [_told(name, rng) for _ in range(2)]
        found += [(np.datetime64("2020-01-01") + day, text) for text in texts]
    return found


def corpus(found=None):
    times, texts = zip(*(documents() if found is None else found))
    return Corpus.from_texts(list(texts), times=list(times))


@pytest.fixture(scope="module")
def found():
    return storylines_of(corpus())


def by_start(found):
    return sorted(found.storylines, key=lambda one: one.start)


def test_groups_are_found_with_their_words_times_and_first_document(found):
    for one, (name, (first, last)) in zip(by_start(found), TOLD.items(), strict=True):
        assert {f"{name}alpha", f"{name}beta", f"{name}gamma"} <= set(one.words)
        assert one.start[:10] == str(np.datetime64("2020-01-01") + first)
        assert one.end[:10] == str(np.datetime64("2020-01-01") + last - 1)
        assert one.n_documents == 2 * (last - first)
        assert set(one.words) <= set(one.examples[0].text.split())
        assert one.start <= one.examples[0].time <= one.end
    assert found.memory_days == 14.0
    assert found.n_grouped == found.n_documents == len(documents())


def test_all_is_what_the_model_says(found):
    data = corpus()
    model = StoryStream(memory=14, vocabulary=data.vocabulary, random_state=0).fit(data.counts, times=data.times)
    by_number = {one.number: one for one in found.storylines}
    shares = model.shares(len(by_number))
    assert list(by_number) == shares.stories[:-1].tolist()
    sizes = {story.id: story.size for story in model.stories_}
    assert [one.n_documents for one in found.storylines] == [sizes[number] for number in by_number]
    for row, one in enumerate(found.storylines):
        places = np.searchsorted(found.others.times, one.curve.times)
        np.testing.assert_array_equal(found.others.times[places], one.curve.times)
        np.testing.assert_allclose(one.curve.value, shares.share[row, places], rtol=1e-5)
        inside = (shares.times >= np.datetime64(one.start[:-1])) & (shares.times <= np.datetime64(one.end[:-1]))
        assert set(np.flatnonzero(inside)) < set(places)
    told = {(event.kind, event.storyline, event.other) for event in found.events}
    assert told == {
        (event.kind, event.story, event.other)
        for event in model.events_
        if event.story in by_number or event.other in by_number
    }
    assert [event.time for event in found.events if event.kind == "ended"] == [one.end for one in by_start(found)]
    assert all(event.probability >= MIN_PROBABILITY for event in found.events)
    assert min(sizes[number] for number in by_number) >= MIN_SIZE


def test_without_groups_nothing_is_reported():
    rng = np.random.default_rng(1)
    times = np.datetime64("2020-01-01") + np.arange(300).astype("timedelta64[D]")
    alone = [(time, " ".join(f"w{k}" for k in rng.integers(0, 90_000, 5))) for time in times]
    assert storylines_of(corpus(alone)) == StorylineFindings()
    at_once = [(times[0], "war in iraq") for _ in range(300)]
    assert storylines_of(corpus(at_once)) == StorylineFindings()


def test_the_memory_is_shorter_in_shorter_streams():
    memories = [memory_of(span) for span in (4000, 180, 179, 50, 10, 2, 0.5)]
    assert memories == [30, 30, 14, 7, 1, 0.25, 1 / 12]
    assert memory_of(0.0) is None
    hours = [(np.datetime64("2020-01-01T00", "m") + 3 * i, f"war iraq {i % 3}x") for i in range(300)]
    found = storylines_of(corpus(hours))
    assert found.memory_days == 1 / 12
    assert found.storylines[0].n_documents >= 100


def test_only_the_latest_documents_of_a_large_stream_are_grouped(monkeypatch, found):
    monkeypatch.setattr(module, "MOST_DOCUMENTS", 800)
    few = storylines_of(corpus())
    assert (few.n_grouped, few.n_documents) == (800, found.n_documents)
    assert "virusalpha" in few.storylines[0].words
    assert "virusalpha" in few.storylines[0].examples[0].text
    assert not any("waralpha" in one.words for one in few.storylines)
    monkeypatch.setattr(module, "MOST_COUNTS", 7)
    assert first_grouped([5, 3, 4]) == 1
    assert first_grouped([5, 3, 8]) == 3
    assert first_grouped([]) == 0


def test_the_analysis_has_them_and_json_keeps_them(found):
    findings = driftline.analyse(Stream.from_documents(documents()))
    assert {"waralpha", "virusalpha"} <= {word for one in STORYLINES.of(findings).storylines for word in one.words}
    assert from_json(to_json(findings)) == findings
    assert len(json.loads(to_json(findings))["storylines"]["storylines"]) <= module.MOST_STORYLINES


def test_small_streams_have_none():
    findings = driftline.analyse(Stream.from_documents(documents()[:150]))
    assert findings.storylines == StorylineFindings()
