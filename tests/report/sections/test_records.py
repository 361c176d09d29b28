from __future__ import annotations

from driftline.report.page import render
from driftline.report.sections.records import SECTION, build
from driftline.report.word_book import WordBook
from tests.report.findings_factory import quiet_findings


def test_read_and_rejected_make_up_what_was_present(findings):
    values = build(findings, WordBook(findings)).values
    assert values["present"] == findings.source.n_documents + findings.source.n_rejected
    assert [n for _, n in values["reasons"]] == [2, 2, 1, 1, 1]
    html = render(findings, [SECTION])
    assert "2,007 records were present" in html
    assert "2,000 read and 7 rejected" in html
    assert "line 1287" in html


def test_one_record_reads_well():
    html = render(quiet_findings(), [SECTION])
    assert "1 record was present in <bdi>one.txt</bdi>: 1 read, none rejected" in html
