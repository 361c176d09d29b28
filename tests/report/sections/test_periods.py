from __future__ import annotations

import dataclasses

from driftline.analysis.findings.periods import CharacteristicWord, Period
from driftline.report.page import render
from driftline.report.sections.periods import SECTION, build, card
from driftline.report.word_book import WordBook

JANUARY = ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z")


def test_cards_have_bars_relative_to_the_best(findings):
    cards = build(findings, WordBook(findings)).values["cards"]
    assert [each["name"] for each in cards][:2] == ["January 2025", "February 2025"]
    bars = [word["bar"] for each in cards for word in each["words"]]
    assert max(bars) == 100
    assert min(bars) >= 0


def test_ratios_to_elsewhere(findings):
    words = [CharacteristicWord("twice", 4.0, 2.0, 3.0), CharacteristicWord("new", 4.0, 0.0, 3.0)]
    made = card(Period(*JANUARY, 5, words), 3.0, WordBook(findings), JANUARY)
    assert [word["ratio"] for word in made["words"]] == ["2.0 ×", "only here"]


def test_the_first_period_begins_and_the_last_ends_with_the_documents(findings):
    years = Period("2025-01-01T00:00:00Z", "2030-01-01T00:00:00Z", 5, [])
    ends = ("2026-01-11T09:00:00Z", "2028-11-13T09:00:00Z")
    assert card(years, 1.0, WordBook(findings), ends)["name"] == "2026–2028"
    assert card(years, 1.0, WordBook(findings), ("2024-01-01T00:00:00Z", ends[1]))["name"] == "2025–2028"


def test_periods_without_words_are_a_sentence(findings):
    plain = dataclasses.replace(
        findings, periods=[dataclasses.replace(each, words=[], examples=[]) for each in findings.periods]
    )
    assert build(plain, WordBook(plain)).values["cards"] == []
    assert "No word distinguishes any period" in render(plain, [SECTION])


def test_no_periods_no_section(findings):
    without = dataclasses.replace(findings, periods=[])
    assert build(without, WordBook(without)) is None
