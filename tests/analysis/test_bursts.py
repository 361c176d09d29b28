import numpy as np
import pytest

from driftline.analysis.bursts import describe_bursts, describe_intensities
from driftline.analysis.curve_times import grid


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


def test_intensities_follow_the_labels(corpus):
    when = grid(corpus.times, 40)
    found = describe_intensities(corpus, when)
    assert {each.label for each in found} == set(corpus.label_names)
    days = (corpus.times.max() - corpus.times.min()) / np.timedelta64(1, "D")
    for each in found:
        code = corpus.label_names.index(each.label)
        assert np.mean(each.curve.value) == pytest.approx((corpus.labels == code).sum() / days, rel=0.4)
        assert (np.array(each.curve.lower) <= np.array(each.curve.upper)).all()


def test_without_labels_there_are_no_intensities(corpus):
    assert describe_intensities(corpus.where_label("sport"), grid(corpus.times, 5)) == []
