import numpy as np

from driftline.analysis.findings.bursts import describe_bursts
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.corpus import Corpus


def test_events_of_the_newswire_are_found_where_they_were(wire, corpus):
    found = describe_bursts(corpus)
    by_word = {}
    for burst in found:
        by_word.setdefault(burst.word, burst)
    event = next(event for event in wire.bursts if event.name == "Marlowe fever")
    burst = by_word["quarantine"]
    assert str(event.start)[:10] <= burst.end[:10]
    assert burst.start[:10] <= str(event.end)[:10]
    assert len({b.word for b in found}) <= 25
    weights = [by_word[word].weight for word in by_word]
    assert all(weight > 0 for weight in weights)


def test_a_burst_of_minutes_in_a_stream_of_an_hour_is_of_several_units():
    rng = np.random.default_rng(0)
    minute = np.repeat(np.arange(70), 20)
    late = minute >= 50
    single = minute == 30
    draw = rng.random((len(minute), 3))
    texts = [
        " ".join(["fight", *(["winner"] if a else []), *(["sudden"] if b else []), *(["round"] if c else [])])
        for a, b, c in zip(
            draw[:, 0] < np.where(late, 0.6, 0.05), draw[:, 1] < np.where(single, 0.9, 0.005), draw[:, 2] < 0.3
        )
    ]
    times = (
        np.datetime64("2017-08-27T00:05", "us")
        + minute * np.timedelta64(1, "m")
        + rng.integers(0, 60_000_000, len(minute))
    )
    corpus = Corpus.from_texts(texts, times)
    found = describe_bursts(corpus, tests=changed_words(corpus.counts, times=corpus.times))
    by_word = {burst.word: burst for burst in reversed(found)}
    assert by_word["winner"].kind == "lasting"
    assert by_word["winner"].start == "2017-08-27T00:55:00Z"
    assert by_word["winner"].end == "2017-08-27T01:15:00Z"
    assert (by_word["sudden"].start, by_word["sudden"].end) == ("2017-08-27T00:35:00Z", "2017-08-27T00:36:00Z")
    assert by_word["sudden"].kind == "event"


def test_numbers_come_after_all_words():
    day = np.arange(400)
    texts = [f"1{i // 40 + 900} {'storm' if 100 <= i < 120 else 'calm'} tonight" for i in day]
    corpus = Corpus.from_texts(texts, np.datetime64("2024-01-01", "us") + day * np.timedelta64(1, "D"))
    words = list(dict.fromkeys(burst.word for burst in describe_bursts(corpus)))
    assert words[0] == "storm"
    assert len(words) > 5
    assert describe_bursts(corpus, n_words=1)[0].word == "storm"
