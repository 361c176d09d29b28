from driftline.analysis.intensities import IntensityBurst
from driftline.report.intensity_bursts import burst_in_words, heaviest, shaded

MILD = IntensityBurst("2025-03-01T00:00:00Z", "2025-05-01T00:00:00Z", 1, 40.0, 0.9, 1210)
FIERCE = IntensityBurst("2025-03-20T00:00:00Z", "2025-04-10T00:00:00Z", 3, 20.0, 0.751, 90)


def test_a_burst_is_told_with_its_strength_and_certainty():
    assert (
        burst_in_words(FIERCE)
        == "20 Mar – 10 Apr 2025: 8 times the usual rate, at least 75 % certain (20.0 nats, 90 documents)"
    )
    assert "1,210 documents" in burst_in_words(MILD)


def test_the_heaviest_is_named_and_none_is_nothing():
    assert heaviest([FIERCE, MILD]) == burst_in_words(MILD)
    assert heaviest([]) == ""


def test_shading_keeps_times_and_levels():
    (start, end, level, text), *rest = shaded([FIERCE])
    assert (str(start)[:10], str(end)[:10], level) == ("2025-03-20", "2025-04-10", 3)
    assert text == burst_in_words(FIERCE)
    assert rest == []
