import dataclasses

from driftline.report.page import render
from driftline.report.sections.cycles import SECTION, build
from driftline.report.sentences import headlines
from driftline.report.word_book import WordBook


def test_cycles_are_listed_by_period_with_their_phases(findings):
    html = render(findings, [SECTION])
    assert "in December (6.2 times, in 4 of 4 years)" in html
    assert "more than 100 times" in html
    assert html.split("<main")[1].split("</main>")[0].count("<rect") == 12 + 7
    groups = build(findings, WordBook(findings)).values["groups"]
    assert list(groups) == ["Every year", "Every week"]


def test_without_cycles_there_is_no_section(findings):
    bare = dataclasses.replace(findings, cycles=[])
    assert build(bare, WordBook(bare)) is None
    assert not any("in December (6.2 times" in sentence for sentence in headlines(bare))
    assert any("in December (6.2 times" in sentence for sentence in headlines(findings))


def test_hostile_words_are_text(findings):
    hostile = dataclasses.replace(findings.cycles[0], word="<script>alert(1)</script>")
    html = render(dataclasses.replace(findings, cycles=[hostile]), [SECTION])
    assert "<script>alert(1)" not in html
