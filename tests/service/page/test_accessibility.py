"""Accessibility of the page by axe in a real browser: WCAG 2.2, levels A and AA, light and dark, wide and narrow."""

from __future__ import annotations

import pytest

from tests.service.page.pressing import press, shown

pytestmark = pytest.mark.browser
base = pytest.importorskip("axe_playwright_python.base", reason="axe-playwright-python is not installed")

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
CHECK = "async (levels) => (await axe.run(document, { runOnly: levels, resultTypes: ['violations'] })).violations"
VIEWS = [
    "overview",
    "overview?at=1708387200",
    "topic?id=0",
    "word",
    "word?w=storm&w=ferry",
    "documents?q=storm",
    "documents?q=storm&key=0000000000000009",
    "desk",
    "alarms",
    "health",
]


def violations(page):
    page.evaluate(base.AXE_FILE_PATH.read_text(encoding="utf-8"))
    found = page.evaluate(CHECK, LEVELS)
    return [(each["id"], node["target"], node["failureSummary"]) for each in found for node in each["nodes"][:3]]


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (1400, "dark"), (360, "light")])
def test_nothing_violates_the_guidelines(open_page, width, scheme):
    page = open_page(width=width, color_scheme=scheme, reduced_motion="reduce")
    for view in VIEWS:
        page.evaluate("(hash) => { location.hash = hash; }", view)
        shown(page, view)
        assert violations(page) == [], view


def test_tables_dialogs_and_signing_in_do_not_either(open_page, service):
    page = open_page("#overview", reduced_motion="reduce")
    press(page, "t")
    for view in ["overview", "topic?id=0", "alarms"]:
        page.evaluate("(hash) => { location.hash = hash; }", view)
        shown(page, view)
        assert violations(page) == [], view
    press(page, "?")
    assert violations(page) == []
    service.needs_token = True
    assert violations(open_page()) == []


def test_a_violation_is_found(open_page):
    page = open_page()
    page.evaluate("() => document.querySelector('.kicker').style.setProperty('color', '#ddd')")
    assert "color-contrast" in {name for name, _, _ in violations(page)}


@pytest.mark.parametrize("width", [360, 768])
def test_nothing_is_wider_than_a_narrow_window(open_page, width):
    page = open_page(width=width, height=760)
    for view in VIEWS:
        page.evaluate("(hash) => { location.hash = hash; }", view)
        shown(page, view)
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0, view


def test_dark_follows_the_system_and_the_choice(open_page):
    ground = "() => getComputedStyle(document.body).backgroundColor"
    page = open_page(color_scheme="dark")
    assert page.evaluate(ground) == "rgb(20, 25, 31)"
    press(page, "?")
    page.locator("dialog input[value=light]").check()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


def test_reduced_motion_stops_the_river(open_page):
    count = """() => new Promise((done) => {
      const plain = window.requestAnimationFrame;
      let n = 0;
      window.requestAnimationFrame = (run) => { n += 1; return plain(run); };
      setTimeout(() => { window.requestAnimationFrame = plain; done(n); }, 300);
    })"""
    page = open_page(reduced_motion="reduce")
    page.wait_for_timeout(200)
    assert page.evaluate(count) <= 2


def test_swipe_labels_on_a_narrow_screen(open_page, service):
    page = open_page("#desk", width=360, height=760, has_touch=True)
    swipe = """(across) => {
      const card = document.querySelector('.desk-card');
      const event = (type, x) => new PointerEvent(type, { pointerType: 'touch', clientX: 180 + x, clientY: 300 });
      const at = (type, x) => card.dispatchEvent(event(type, x));
      at('pointerdown', 0); at('pointermove', across / 2); at('pointermove', across); at('pointerup', across);
    }"""
    page.evaluate(swipe, 120)
    page.wait_for_function("() => document.querySelector('.tiles dd').textContent === '33'")
    page.evaluate(swipe, -120)
    page.wait_for_function("() => document.querySelector('.tiles dd').textContent === '34'")
    page.evaluate(swipe, 30)
    page.wait_for_timeout(80)
    assert [body["label"] for _, _, body in service.requests] == ["weather", None]
