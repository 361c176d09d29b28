from __future__ import annotations

import dataclasses

import pytest

from driftline.analysis.findings.storylines import StorylineEvent, StorylineFindings
from driftline.analysis.shown_evidence import Example
from driftline.report import write_report
from driftline.report.page import render
from driftline.report.sections.storylines import SECTION, build
from driftline.report.word_book import WordBook

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def section(findings):
    """The text of the section on the page."""
    page = render(findings, [SECTION])
    return page[page.index('<section id="storylines"') :].split("</section>")[0]


def changed(findings, **values):
    return dataclasses.replace(findings, storylines=dataclasses.replace(findings.storylines, **values))


def test_storylines_are_listed_with_times_shares_and_events(findings):
    rows = build(findings, WordBook(findings)).values["rows"]
    assert [row["storyline"].number for row in rows] == [4, 9]
    assert (rows[0]["start"], rows[0]["end"]) == ("1 Feb 2025", "1 Apr 2025")
    assert rows[0]["share"] == "2\xa0%"
    assert rows[0]["events"] == ["began on 1 Feb 2025 (p = 0.93)", "returned as storyline 9 on 20 May 2025 (p = 0.97)"]
    assert rows[1]["events"] == ["returned from storyline 4 on 20 May 2025 (p = 0.97)", "ended"]


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("split", "storyline 9 split off", "split off storyline 4"),
        ("merged", "storyline 9 joined", "joined storyline 4"),
        ("revived", "returned as storyline 9", "returned from storyline 4"),
    ],
)
def test_an_event_of_two_storylines_is_described_from_each_side(findings, kind, first, second):
    event = StorylineEvent(kind, "2025-03-01T00:00:00Z", 4, 9, 0.95)
    rows = build(changed(findings, events=[event]), WordBook(findings)).values["rows"]
    assert [row["events"] for row in rows] == [[f"{told} on 1 Mar 2025 (p = 0.95)"] for told in (first, second)]


def test_a_storyline_that_is_not_listed_has_no_number(findings):
    event = StorylineEvent("revived", "2025-03-01T00:00:00Z", 3, 9, 0.95)
    rows = build(changed(findings, events=[event]), WordBook(findings)).values["rows"]
    assert [row["events"] for row in rows] == [[], ["returned from another storyline on 1 Mar 2025 (p = 0.95)"]]


@pytest.mark.parametrize(("n", "more"), [(4, None), (5, "2 more events"), (17, "14 more events")])
def test_a_storyline_that_returns_again_and_again_does_not_fill_the_page(findings, n, more):
    events = [StorylineEvent("revived", f"2025-03-{day:02}T00:00:00Z", 4, 9, 0.95) for day in range(1, n + 1)]
    rows = build(changed(findings, events=events), WordBook(findings)).values["rows"]
    first = [f"returned as storyline 9 on {day} Mar 2025 (p = 0.95)" for day in range(1, n + 1)]
    assert rows[0]["events"] == (first if more is None else [*first[:3], more])


def test_the_figure_draws_every_storyline_and_the_others(findings):
    drawn = build(findings, WordBook(findings)).figures["storylines"]
    words = [" ".join(one.words[:4]) for one in findings.storylines.storylines]
    assert [note.text for note in drawn.figure.layout.annotations] == words
    hover = "".join(str(text) for trace in drawn.figure.data for text in trace.text or ())
    assert findings.storylines.storylines[0].examples[0].text[:30] in hover
    assert "revived, p = 0.97" in hover
    assert "all other stories" in hover


def test_without_storylines_there_is_no_section(findings):
    without = dataclasses.replace(findings, storylines=StorylineFindings())
    assert build(without, WordBook(without)) is None


def test_the_page_says_what_was_grouped_and_how(findings):
    text = section(findings)
    assert "the 14 days before it" in text
    assert "latest" not in text
    assert "All storylines of at least 5" in text
    assert "the stories of “In short” are words that changed" in text
    capped = section(changed(findings, n_grouped=50_000, n_documents=60_000, n_storylines=300, memory_days=0.25))
    assert "latest 50,000 of 60,000" in capped
    assert "the 6 hours before it" in capped
    assert "The 2 largest of 300 storylines" in capped


def test_text_of_documents_is_escaped(findings, tmp_path):
    one = findings.storylines.storylines[0]
    evil = dataclasses.replace(one, words=[EVIL], examples=[Example(EVIL, one.start, EVIL)])
    page = write_report(changed(findings, storylines=[evil]), tmp_path / "page.html").read_text()
    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page
    assert 'href="#storylines"' in page
