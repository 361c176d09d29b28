"""Accessibility of the report by axe in a real browser: WCAG 2.2, levels A and AA, light and dark, wide and narrow."""

from __future__ import annotations

import dataclasses

import pytest

from driftline.report import write_report
from tests.report.browser import open_report
from tests.report.explorable_factory import explorable

pytestmark = pytest.mark.browser
base = pytest.importorskip("axe_playwright_python.base", reason="axe-playwright-python is not installed")

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
CHECK = "async (levels) => (await axe.run(document, { runOnly: levels, resultTypes: ['violations'] })).violations"


@pytest.fixture(scope="module")
def page_file(findings, tmp_path_factory):
    whole = dataclasses.replace(findings, explorable=explorable())
    return write_report(whole, tmp_path_factory.mktemp("accessible") / "report.html")


def violations(page):
    page.evaluate(base.AXE_FILE_PATH.read_text(encoding="utf-8"))
    found = page.evaluate(CHECK, LEVELS)
    return [(each["id"], node["target"], node["failureSummary"]) for each in found for node in each["nodes"][:3]]


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (1400, "dark"), (390, "light")])
@pytest.mark.parametrize(
    "fragment", ["#explore?w=word00&w=word03", "#explore?tab=compare&a.from=2024-04-10&word=word00"]
)
def test_nothing_violates_the_guidelines(browser, page_file, width, scheme, fragment):
    page = open_report(browser, page_file, width=width, color_scheme=scheme)
    page.evaluate("(hash) => { location.hash = hash; }", fragment)
    page.wait_for_function("() => document.getElementById('explore').dataset.shown === location.hash")
    assert violations(page) == []
    page.context.close()


def test_a_violation_is_found(browser, page_file):
    page = open_report(browser, page_file)
    page.evaluate("() => document.querySelector('.kicker').style.setProperty('color', '#ddd')")
    assert "color-contrast" in {name for name, _, _ in violations(page)}
    page.context.close()
