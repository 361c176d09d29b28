import numpy as np
import pytest

from driftline.analysis.analyse import analyse
from driftline.analysis.serialise import from_json, to_json
from driftline.readers.read import read
from driftline.streams.stream import Stream


def test_clear_changes_are_found_and_few_claims_are_false(findings):
    truth = findings.truth
    assert len(truth.found) >= 0.6 * len(truth.changed)
    assert len(truth.false_alarms) <= max(2, 0.15 * findings.n_words_changed)
    assert findings.n_words_changed <= findings.n_words_tested


def test_bands_of_the_changed_words_cover_the_true_curves(findings):
    assert 0.88 <= findings.truth.band_coverage <= 1.0


def test_findings_survive_json(findings):
    assert from_json(to_json(findings)) == findings


def test_everything_read_is_accounted_for(findings, wire):
    assert findings.source.n_documents == len(wire)
    assert findings.source.n_rejected == 0
    assert sum(findings.source.labels.values()) == len(wire)
    counted = sum(period.n_documents for period in findings.periods)
    repeated = sum(left.n for left in findings.text.left_out if left.kind == "duplicates")
    assert counted == findings.text.n_counted == len(wire) - repeated


def test_headlines_come_first_and_all_words_are_significant(findings):
    headline = [word.change.headline for word in findings.changed_words]
    assert headline == sorted(headline, reverse=True)
    assert findings.changed_words[0].word == findings.stories[0].change.word
    leads = {story.change.word for story in findings.stories}
    more = [word.change for word in findings.changed_words if word.change.headline and word.change.direction == "more"]
    first = [change.word in leads for change in more]
    assert first == sorted(first, reverse=True)
    for leading in (True, False):
        weights = [np.log(each.lower) * np.sqrt(each.n_inside) for each in more if (each.word in leads) == leading]
        assert len(weights) > 1
        assert weights == sorted(weights, reverse=True)
    assert all(bool(word.event_time) == (word.kind == "event") for word in findings.changed_words)
    assert findings.word_tests.n_lasting + findings.word_tests.n_events == findings.n_words_changed
    assert all(word.q_value <= findings.false_discovery_rate for word in findings.changed_words)
    for word in findings.changed_words:
        assert all(word.word in example.text.lower() for example in word.examples if "…" not in example.text)


def test_the_same_source_gives_the_same_findings(unlabelled):
    assert analyse(unlabelled) == analyse(unlabelled)


def test_a_stream_in_which_nothing_changes_claims_almost_nothing():
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(200)])
    days = np.sort(rng.integers(0, 200, 1500))
    documents = [
        (np.datetime64("2024-01-01") + int(day), " ".join(rng.choice(words, 20)))  # the same distribution every day
        for day in days
    ]
    findings = analyse(Stream.from_documents(documents))
    assert findings.n_words_tested == 200
    assert findings.n_words_changed <= 2
    assert findings.labels == []
    assert findings.drift.fastest == []


@pytest.mark.parametrize("times", [["2024-01-01"] * 8, [f"{1790 + 30 * i}-01-08" for i in range(8)]])
def test_one_instant_and_centuries(times):
    findings = analyse(Stream.from_documents([(time, "the union is strong and the union is free") for time in times]))
    numbers = [findings.volume.value, findings.drift.curve.value, findings.drift.noise_floor]
    assert all(np.isfinite(values).all() for values in numbers)
    assert from_json(to_json(findings)) == findings


def test_what_is_requested_is_taken(unlabelled):
    findings = analyse(unlabelled, title="A year", every="3mo", n_words=2, bandwidth="20d")
    assert findings.title == "A year"
    assert len(findings.periods) == 4
    assert len(findings.changed_words) == 2
    assert findings.bandwidth_days == 20


@pytest.mark.slow
@pytest.mark.data
def test_the_war_and_the_epidemic_of_2003_are_found_without_being_told(real_data):
    import driftline

    findings = analyse(driftline.read(real_data("abc_headlines_2003")))
    first = [word.word for word in findings.changed_words[:12]]
    assert {"war", "baghdad", "sars", "iraq", "budget"} <= set(first)
    by_word = {word.word: word for word in findings.changed_words}
    assert by_word["war"].peak.startswith("2003-03")
    assert by_word["sars"].peak.startswith("2003-04")


def test_the_columns_that_are_read_are_announced(monkeypatch):
    messages = []
    monkeypatch.setattr("driftline.analysis.analyse.announce", messages.append)
    analyse(read([{"day\x1b": "2024-01-01", "remark": "snow again", "class": "a"}] * 3))
    assert messages[0] == r"Reading list (time: day\x1b; text: remark; label: class) ..."
