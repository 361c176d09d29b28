from driftline.analysis.findings.bursts import describe_bursts


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
