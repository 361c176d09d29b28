from __future__ import annotations

import dataclasses
import re

import pytest

from driftline.analysis.evidence import Series
from driftline.analysis.findings import ChangedWord, DriftSpeed, Truth
from driftline.analysis.word_tests import WordTests
from driftline.report.sentences import headlines, how_words_were_tested, quoted, word_sentence
from tests.report.made_findings import quiet_findings

TIMES = ["2003-01-01T00:00:00Z", "2003-06-01T00:00:00Z", "2003-12-31T00:00:00Z"]


def word(pattern, values, **changes):
    curve = Series(TIMES, values, [0.5 * v for v in values], [2 * v for v in values])
    peak = TIMES[values.index(max(values))]
    made = ChangedWord("war", pattern, 9.0, 1e-4, 1e-3, 400, 300, peak, max(values), sum(values) / 3, curve)
    return dataclasses.replace(made, **changes)


def test_each_pattern_has_its_sentence():
    assert word_sentence(word("rose", [1.0, 2.0, 4.0])) == (
        "“war” rose from 1.00 (0.50–2.00) to 4.00 (2.00–8.00) of 1,000 documents."
    )
    assert word_sentence(word("fell", [4.0, 2.0, 1.0])).startswith("“war” fell from 4.00 (2.00–8.00) to 1.00")
    assert word_sentence(word("peaked", [1.0, 10.0, 1.0])) == (
        "“war” peaked around 1 June 2003 in 10.0 of 1,000 documents (5.00–20.0), 2.5 times its mean of 4.00."
    )
    assert word_sentence(word("dipped", [8.0, 1.0, 9.0])) == (
        "“war” dipped around 1 June 2003 to 1.00 of 1,000 documents (0.50–2.00), from 6.00 on average."
    )
    assert "varied and was highest around 31 December 2003" in word_sentence(word("varied", [2.0, 1.0, 3.0]))


def test_a_word_without_a_curve_still_has_a_sentence():
    assert word_sentence(word("rose", [1.0], curve=Series([], [], [], []))).startswith("“war” changed")
    assert "times its mean" not in word_sentence(word("peaked", [0.0, 1.0, 0.0], mean_rate=0.0))


def test_undrawn_ends_are_passed_over():
    curve = Series(TIMES, [None, 2.0, 4.0], [None, 1.0, 3.0], [None, 3.0, 5.0])
    assert word_sentence(word("rose", [1.0, 2.0, 4.0], curve=curve), "passages") == (
        "“war” rose from 2.00 (1.00–3.00) to 4.00 (3.00–5.00) of 1,000 passages."
    )


def test_headlines_are_sentences_with_numbers(findings):
    lines = headlines(findings)
    assert 5 <= len(lines) <= 10
    for line in lines:
        assert line.endswith(".")
        assert line[0].isupper() or line[0] in "“0123456789"
        assert "  " not in line
        assert not re.search(r"\bnan\b|None|\{|\}", line)
    assert "of 812 words tested" in " ".join(lines)


def test_the_truth_comes_first_where_it_is_known(findings):
    first, second = headlines(findings)[:2]
    assert f"{len(findings.truth.found)} of the {len(findings.truth.changed)} words" in first
    assert "94.7\xa0%" in second
    assert "simulated" not in " ".join(headlines(dataclasses.replace(findings, truth=None)))


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        (Truth({}, [], [], [], [], [], None), "no word really changed, and none was called changed"),
        (Truth({}, [], [], [], [], ["a", "b"], None), "no word really changed, and 2 were called so"),
        (
            Truth({}, ["a"], [], ["a"], [], [], None),
            "1 of the 1 word that really changed were found, with no false alarm",
        ),
    ],
)
def test_odd_truths_are_told_plainly(findings, truth, expected):
    assert expected in headlines(dataclasses.replace(findings, truth=truth))[0]


def test_nothing_to_say_is_said():
    quiet = quiet_findings()
    assert headlines(quiet) == ["There was too little text to test any word for change."]
    tested = dataclasses.replace(quiet, n_words_tested=50)
    assert headlines(tested) == ["None of the 50 words tested changed its use by more than chance explains."]
    still = DriftSpeed(Series(TIMES, [1.0] * 3, [0.5] * 3, [2.0] * 3), [2.0] * 3, 9.0, [])
    assert "At no time" in headlines(dataclasses.replace(tested, drift=still))[-1]


def test_the_claim_about_mistakes_is_made_of_lasting_changes_only(findings):
    tests = WordTests("day", 90, True, 40, 30, 20)
    lasting, bunched, *_ = how_words_were_tested(dataclasses.replace(findings, n_words_tested=500, word_tests=tests))
    assert lasting == (
        "40 of 500 words tested changed for longer than a single day; of these, about 2 may be called so by mistake."
    )
    assert bunched.startswith("20 more words are bunched on single days, if documents are independent")
    few = WordTests("day", 25, False, 0, 0, 20)
    (only,) = how_words_were_tested(dataclasses.replace(findings, n_words_tested=500, word_tests=few))
    assert only.startswith("With only 25 days of enough text nothing can be called a lasting change; 20 of 500 words")
    quiet = dataclasses.replace(quiet_findings(), n_words_tested=9, word_tests=dataclasses.replace(few, n_events=0))
    assert "With only 25 days" in headlines(quiet)[0]


def test_volume_is_told_only_when_it_stands_out(findings):
    flat = Series(findings.volume.times, [5.0] * 365, [4.0] * 365, [6.0] * 365)
    assert "Most was written" in " ".join(headlines(findings))
    assert "Most was written" not in " ".join(headlines(dataclasses.replace(findings, volume=flat)))


def test_few_words_are_quoted():
    assert quoted(["a", "b", "c"], most=2) == "“a” and “b”"
