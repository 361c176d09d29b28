from __future__ import annotations

import dataclasses

import pytest

from driftline.report.page import render
from driftline.report.sections.long_documents import build
from driftline.report.word_book import WordBook
from driftline.report.write import write_report
from tests.report.browser import open_report
from tests.report.findings_factory import quiet_findings


def test_eras_and_documents_are_drawn_and_themes_listed(findings):
    content = build(findings, WordBook(findings))
    assert list(content.figures) == ["eras", "document-0", "document-1", "document-2"]
    assert len(content.values["themes"]) == 3
    first, _, last = content.values["themes"]
    assert first["places"][0] < 0.5 < last["places"][0]
    assert [document["why"][:12] for document in content.values["documents"]] == ["Most typical"] * 2 + ["The latest"]
    assert len(content.values["eras"]) == 2


def test_turns_and_passages_are_in_the_figure_of_a_document(findings):
    flow = findings.long_documents.documents[1]
    figure = build(findings, WordBook(findings)).figures["document-1"].figure
    assert [shape.x0 for shape in figure.layout.shapes] == [flow.positions[15]]
    shown = [passage.replace("<br>", " ") for _, passage in figure.data[-1].customdata]
    assert shown[0] == flow.passages[0]
    assert shown[-1] == flow.passages[-1]


def test_the_page_says_it_in_words_too(findings):
    page = render(findings)
    assert 'id="long-documents"' in page
    assert "Half of the documents have 640 words or more" in page
    assert '<td class="number" data-name="95 % band">70–115</td>' in page
    for document in findings.long_documents.documents:
        assert ", ".join(document.turns[1].words) in page


def test_a_theme_that_is_hardly_there_has_no_place(findings):
    found = findings.long_documents
    without = [dataclasses.replace(era, shares=[[1.0, 0.0, 0.0]] * 10) for era in found.eras]
    spoiled = dataclasses.replace(findings, long_documents=dataclasses.replace(found, eras=without))
    places = [theme["places"] for theme in build(spoiled, WordBook(spoiled)).values["themes"]]
    assert places == [[0.5, 0.5], [None, None], [None, None]]


def test_one_era_is_enough(findings):
    found = dataclasses.replace(findings.long_documents, eras=findings.long_documents.eras[:1], documents=[])
    page = render(dataclasses.replace(findings, long_documents=found))
    assert "The last two columns" not in page


def test_an_era_within_a_year_is_named_by_its_dates(findings):
    content = build(findings, WordBook(findings))
    names = [name for name, _ in content.values["eras"]]
    assert all(any(month in name for month in ("Jan", "Jun", "Jul", "Dec")) for name in names)


def test_short_documents_no_section():
    quiet = quiet_findings()
    assert build(quiet, WordBook(quiet)) is None
    assert "long-documents" not in render(quiet)


@pytest.mark.browser
def test_a_passage_is_read_under_the_pointer(browser, findings, tmp_path):
    alone = dataclasses.replace(quiet_findings(), long_documents=findings.long_documents)
    page = open_report(browser, write_report(alone, tmp_path / "long.html"))
    plot = page.locator(".plot[data-figure=document-0]")
    plot.scroll_into_view_if_needed()
    box = plot.locator(".nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 0.97 * box["width"], box["y"] + box["height"] / 2)
    label = plot.locator(".hoverlayer .hovertext")
    label.first.wait_for()
    last = findings.long_documents.documents[0].passages[-1]
    assert last[:30] in " ".join(label.all_text_contents())
    assert page.complaints == []
