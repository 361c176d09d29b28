from __future__ import annotations

import dataclasses

from driftline.analysis.findings.names import ChangedName, NameFindings
from driftline.report import write_report
from driftline.report.sections.names import build
from driftline.report.word_book import WordBook
from tests.report.explorable_factory import explorable


def test_names_and_phrases_have_a_table_each(findings):
    groups = build(findings, WordBook(findings)).values["groups"]
    assert list(groups) == ["Names", "Noun phrases"]
    assert groups["Names"][0]["change"] == "rose"
    assert groups["Names"][0]["q_value"] == "< 0.001"


def test_without_changes_there_is_no_section(findings):
    assert build(dataclasses.replace(findings, names=NameFindings()), WordBook(findings)) is None


def test_names_are_escaped_and_the_sample_is_stated(findings, tmp_path):
    name = ChangedName("<img src=x onerror=alert(1)>", "name", True, 0.01, 0.05, 20, 0.01)
    made = dataclasses.replace(findings, names=NameFindings([name], 4_000, 9_000, 1_500, 77))
    page = write_report(made, tmp_path / "page.html").read_text()
    assert "<img src=x onerror" not in page
    assert "4,000 of 9,000 documents were tagged" in page


def test_few_capitals_are_reported_beside_the_names(findings):
    def warning(capitals):
        made = dataclasses.replace(findings, names=dataclasses.replace(findings.names, capitals=capitals))
        return build(made, WordBook(made)).values["warning"]

    assert "missed" in warning(0.001)
    assert "confused" in warning(0.9)
    assert warning(0.1) == warning(None) == ""


def test_a_name_is_searched_as_it_was_counted(findings):
    made = dataclasses.replace(findings, explorable=explorable(["paris", "gas", "pipeline"]))
    name = ChangedName("Gas Pipeline Ltd", "name", True, 0.01, 0.05, 20, 0.01)
    made = dataclasses.replace(made, names=NameFindings([name, dataclasses.replace(name, text="Nowhere")]))
    rows = build(made, WordBook(made)).values["groups"]["Names"]
    assert [row["search"] for row in rows] == ["#explore?w=gas&w=pipeline&order=best", ""]
