import dataclasses

from driftline.analysis.findings.topics import TopicFinding
from driftline.analysis.intensities import IntensityBurst
from driftline.report.date_formats import Resolution
from driftline.report.intensity_bursts import burst_in_words, heaviest, name_of, shaded
from driftline.report.story_sentences import Setting

MILD = IntensityBurst("2025-03-01T00:00:00Z", "2025-05-01T00:00:00Z", 1, 40.0, 0.9, 1210)
FIERCE = IntensityBurst("2025-03-20T00:00:00Z", "2025-04-10T00:00:00Z", 3, 20.0, 0.751, 90)


def test_a_burst_is_reported_with_its_strength_and_certainty():
    assert (
        burst_in_words(FIERCE) == "20 Mar – 10 Apr 2025: 8 times the usual rate, at least 75 % certain (90 documents)"
    )
    assert "1,210 documents" in burst_in_words(MILD)


def test_figures_name_a_topic_as_the_table_does_unless_the_name_is_long():
    topic = TopicFinding(["iraq", "war", "troops", "tank"], 0.1, 0.0, 0.0, "holds", None, [], None, [])
    assert name_of(topic) == "iraq, war, troops"
    assert name_of(dataclasses.replace(topic, name="war in iraq")) == "war in iraq"
    assert name_of(dataclasses.replace(topic, name="the first line of a typical document, which is long")) == name_of(
        topic
    )


def test_the_heaviest_is_named_and_none_is_nothing():
    assert heaviest([FIERCE, MILD]) == burst_in_words(MILD)
    assert heaviest([]) == ""


def test_shading_keeps_times_and_levels():
    (start, end, level, text), *rest = shaded([FIERCE])
    assert (str(start)[:10], str(end)[:10], level) == ("2025-03-20", "2025-04-10", 3)
    assert text == burst_in_words(FIERCE)
    assert rest == []


def test_bursts_of_a_stream_of_hours_are_dated_and_judged_by_minutes():
    burst = dataclasses.replace(MILD, kind="lasting", start="2017-08-27T00:51:00Z", end="2017-08-27T01:10:00Z")
    words = burst_in_words(burst, Setting("posts", Resolution("minute", False), unit="minute"))
    assert words.startswith("27 Aug 2017, 00:51–01:10: ")
    assert words.endswith("longer than one minute")
