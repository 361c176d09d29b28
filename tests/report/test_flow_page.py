from __future__ import annotations

import json
import re

import pytest

from driftline.coding.text_flow import text_flow
from driftline.report.flow_page import render_flow, write_flow
from tests.coding.stories import three_parts
from tests.report.browser import open_report
from tests.report.test_in_browser import HOSTILE


@pytest.fixture(scope="module")
def flow():
    return text_flow(three_parts(), n_topics=3)


@pytest.fixture(scope="module")
def hostile():
    """A flow of a text whose passages try everything."""
    paragraphs = [f"{paragraph} {HOSTILE[i % len(HOSTILE)]}" for i, paragraph in enumerate(three_parts())]
    return text_flow(paragraphs, n_topics=3)


def test_the_page_says_what_the_flow_says(flow):
    page = render_flow(flow, title="A story", chapters=[(0, "One"), (1000, "Two")])
    assert "<h1><bdi>A story</bdi></h1>" in page
    assert page.count('class="opening') or page.count("opening")
    for turn in flow.turns:
        assert ", ".join(turn.words) in page
    data = json.loads(re.search(r'id="data-flow">(.*?)</script>', page)[1])
    assert data["chapters"] == ["One", "Two"]
    assert len(data["words"]) == len(data["passageOf"]) == len(flow.shares)
    assert data["passages"][data["passageOf"][0]] == flow.passages[0]


def test_nothing_of_a_text_becomes_markup(hostile):
    page = render_flow(hostile, title="</title><script>alert(1)</script>", chapters=[(0, "<img src=x>")])
    shown = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert "<script>window" not in page
    assert "<img" not in shown
    assert page.count("<script>") == 2
    assert "default-src 'none'" in page


@pytest.mark.browser
def test_a_place_can_be_read_by_pointer_and_by_button(browser, flow, tmp_path):
    path = write_flow(flow, tmp_path / "flow.html", title="A story", chapters=[(0, "One"), (1400, "Two")])
    page = open_report(browser, path)
    first = page.locator("#passage-text").inner_text()
    assert first == flow.passages[0]
    box = page.locator("#flow-plot .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 0.95 * box["width"], box["y"] + box["height"] / 2)
    page.wait_for_function("(first) => document.getElementById('passage-text').textContent !== first", arg=first)
    assert "wood" in page.locator("#passage-text").inner_text()
    assert page.locator("#passage-place").inner_text().startswith("Two · word")
    page.locator("[data-place]").nth(1).click()
    second = page.locator("#passage-text").inner_text()
    assert second == flow.passages[flow.passage_of[flow.turns[1].start]]
    page.locator("#passage-after").click()
    assert page.locator("#passage-text").inner_text() != second
    page.locator("#passage-before").click()
    assert page.locator("#passage-text").inner_text() == second
    assert page.complaints == []
    assert [request.url for request in page.requested] == [path.resolve().as_uri()]


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280])
def test_a_hostile_text_can_do_nothing(browser, hostile, tmp_path, width):
    path = write_flow(hostile, tmp_path / "flow.html", title=HOSTILE[0], chapters=[(0, HOSTILE[1]), (900, HOSTILE[-1])])
    page = open_report(browser, path, width=width)
    for place in range(0, len(hostile.words), 40):
        page.evaluate(
            "(n) => { const b = document.querySelector('[data-place]'); b.dataset.place = n; b.click(); }", place
        )
    assert page.evaluate("window.ran") is None
    assert page.complaints == []
    assert len(page.requested) == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
