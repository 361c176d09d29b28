from __future__ import annotations

from dataclasses import replace

from driftline.analysis.findings.text_record import LeftOutFinding, TextRecord
from driftline.report.page import render
from driftline.report.sections.counted_text import SECTION, build, sentences
from driftline.report.word_book import WordBook
from tests.report.findings_factory import quiet_findings

RECORD = TextRecord(
    source_kind="mail",
    kind_given=False,
    languages=["de", "en"],
    n_stop_words=400,
    n_read=1000,
    n_counted=998,
    n_empty=1,
    left_out=[
        LeftOutFinding("quotes", "quoted lines", "line", 1234, 500, ["> <b>hi</b>", "> x"]),
        LeftOutFinding("duplicates", "duplicates of a document of the last 30 days", "document", 2, 2, []),
    ],
)


def test_what_was_left_out_is_listed_and_how_to_count_it():
    html = render(replace(quiet_findings(), text=RECORD), [SECTION])
    assert "look like mail" in html
    assert "German and English" in html
    assert "1,234 lines" in html
    assert "<code>--keep quotes</code>" in html
    assert "50\xa0%" in html or "50&nbsp;%" in html
    assert "&lt;b&gt;hi&lt;/b&gt;" in html
    assert "<b>hi</b>" not in html


def test_numbers_agree_with_their_nouns():
    reported = " ".join(sentences(RECORD))
    assert "2 of 1,000 documents repeat" in reported
    assert "In 1 document nothing is left" in reported
    assert "1 of 1,000 documents repeats" in " ".join(sentences(replace(RECORD, n_counted=999)))


def test_a_requested_kind_and_languages_that_were_not_found():
    reported = " ".join(sentences(replace(RECORD, kind_given=True, languages=[], n_stop_words=0)))
    assert "as requested" in reported
    assert "not recognised; all words are counted" in reported


def test_scripts_without_spaces_are_reported_plainly():
    reported = " ".join(sentences(replace(RECORD, unspaced="Chinese", languages=[])))
    assert "without spaces between words" in reported


def test_findings_without_a_record_have_no_section():
    findings = replace(quiet_findings(), text=None)
    assert build(findings, WordBook(findings)) is None


def test_nothing_left_out():
    assert "Nothing else was left out" in render(
        replace(quiet_findings(), text=replace(RECORD, left_out=[])), [SECTION]
    )
