import dataclasses

from driftline.analysis.findings.cycles import Cycle
from driftline.report.cycle_sentences import cycle_sentences


def cycle(word, peak, ratio=2.4):
    return Cycle(word, "year", peak, ratio, 6, 6, 120, [])


def test_the_words_of_a_phrase_are_not_named_beside_it(findings):
    found = [cycle("old", "March"), cycle("year old", "March"), cycle("year", "March"), cycle("old", "May", 2.1)]
    (sentence,) = cycle_sentences(dataclasses.replace(findings, cycles=found))
    assert sentence == (
        "Yearly cycles: “year old” in March (2.4 times, in 6 of 6 years) and “old” in May (2.1 times, in 6 of 6 years)."
    )
