from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys

import plotly.graph_objects as go
import pytest

from driftline.figures import plot_bursts
from driftline.report.packed_plotly import plotly_scripts
from driftline.report.table_page import Cell, PageTable, TablePage, render_table_page, write_table_page
from tests.report.test_in_browser import HOSTILE


def page_of(texts, figure=None):
    return TablePage(
        title=texts[0],
        kicker=texts[0],
        figure=figure if figure is not None else plot_bursts([(text, 0.0, 1.0, 1, 2.0) for text in texts]),
        description="What is drawn.",
        caption="All",
        headings=["word", "weight"],
        rows=[[Cell(text, [text]), Cell("2.0", number=True)] for text in texts],
    )


def test_the_page_shows_its_figure_and_its_rows(tmp_path):
    path = write_table_page(page_of(["war", "sars"]), tmp_path / "page.html")
    page = path.read_text()
    assert "<h1><bdi>war</bdi></h1>" in page
    assert page.count("<tr>") == 3
    assert '"ticktext":["war","sars"]' in page


def test_further_tables_are_shown_and_escaped():
    more = PageTable("More", ["what"], [[Cell("<b>war</b>")]])
    page = render_table_page(page_of(["war"])._replace(more_tables=[more]))
    assert "<caption>More</caption>" in page
    assert "<bdi>&lt;b&gt;war&lt;/b&gt;</bdi>" in page


def test_a_figure_without_a_height_has_room():
    assert "min-height: 420px" in render_table_page(page_of(["a"], go.Figure()))


def test_the_policy_names_the_scripts_of_the_page_and_nothing_else():
    page = render_table_page(page_of(["war"]))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")
    assert policy.startswith("default-src 'none'")
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    assert scripts[0] == plotly_scripts()[0]
    ours = {*scripts, *plotly_scripts()}
    hashes = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in ours}
    assert hashes == set(re.findall(r"sha256-([^']*)'", policy))
    assert "unsafe-eval" not in policy
    assert "http" not in policy


def test_nothing_of_a_document_becomes_markup():
    page = render_table_page(page_of(HOSTILE))
    outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    tags = set(re.findall(r"<(\w+)", re.sub(r"<style>.*?</style>", "", outside, flags=re.DOTALL)))
    assert tags <= set(re.findall(r"<(\w+)", render_table_page(page_of(["plain"])))), "no element that is not ours"
    assert outside.count("<script") == 2, "the data of the figure, and Plotly"


@pytest.mark.browser
def test_a_browser_draws_it_and_runs_nothing_else(browser, tmp_path):
    from tests.report.browser import open_report

    path = write_table_page(page_of(HOSTILE), tmp_path / "page.html")
    opened = open_report(browser, path)
    assert opened.locator(".plot .main-svg").count() >= 1
    assert opened.complaints == []
    assert opened.evaluate("window.ran") is None
    assert [request.url for request in opened.requested] == [path.resolve().as_uri()]


def test_a_page_of_a_table_needs_no_part_of_the_analysis():
    code = (
        "import sys, driftline.report.table_page; print([m for m in sys.modules if m.startswith('driftline.analysis')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_the_package_exports_is_imported_when_it_is_used():
    import driftline.report

    assert driftline.report.write_report.__module__ == "driftline.report.write"
    with pytest.raises(AttributeError, match=r"driftline\.report.* has no attribute 'nothing'"):
        driftline.report.nothing  # noqa: B018
