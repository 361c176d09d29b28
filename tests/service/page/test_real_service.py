"""The page of `driftline serve --demo`: every screen with real answers, no violation of the policy, updates painted."""

from __future__ import annotations

import pytest

from tests.service.page.demonstration import demonstration
from tests.service.page.pressing import press, shown
from tests.service.page.test_accessibility import violations

pytest.importorskip("fastapi", reason="fastapi is not installed; pip install 'driftline[service]'")
pytest.importorskip("apsw", reason="apsw is not installed; pip install 'driftline[service]'")
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def address():
    with demonstration(["weather", "politics"]) as running:
        yield running


@pytest.fixture
def page(open_page, address):
    base, _, fragment = address.partition("/#")
    opened = open_page(f"#{fragment}", url=base)
    shown(opened, "overview")
    opened.wait_for_function("() => Number(document.documentElement.dataset.painted ?? 0) > 3", timeout=60_000)
    return opened


def test_the_token_is_traded_and_updates_are_painted(page, address):
    assert address.rsplit("=", 1)[1] not in page.url
    before = page.locator(".tiles dd").first.inner_text()
    page.wait_for_function("(before) => document.querySelector('.tiles dd').textContent !== before", arg=before)
    page.wait_for_selector(".document")  # the list is drawn every two seconds
    assert page.complaints == []


def test_every_screen_shows_real_answers(page):
    page.wait_for_function("() => document.querySelectorAll('.river-names a').length > 1", timeout=60_000)
    for keys, screen, selector in [
        ("gt", "topic", ".slopes li"),
        ("gw", "word", "#word-search"),
        ("/", "documents", ".document"),
        ("gl", "desk", ".label-key"),
        ("ga", "alarms", "#calendar-title"),
        ("gh", "health", ".facts dd"),
        ("go", "overview", ".river-canvas"),
    ]:
        page.locator("main").focus()
        press(page, *keys)
        shown(page, screen)
        page.wait_for_selector(selector)
        assert page.locator("#notice").is_hidden(), page.locator("#notice").inner_text()
        assert violations(page) == [], screen
    assert page.complaints == []


def test_search_word_document_and_label_against_the_real_store(page):
    page.evaluate("() => { location.hash = 'documents?q=said'; }")
    shown(page, "documents?q=said")
    page.wait_for_selector(".document mark")
    page.locator(".document button").first.press("Enter")
    page.wait_for_selector(".document-panel .bars li")
    page.evaluate("() => { location.hash = 'word?w=said&w=minister'; }")
    shown(page, "word?w=said")
    page.wait_for_selector(".uplot canvas")
    page.evaluate("() => { location.hash = 'desk'; }")
    shown(page, "desk")
    page.wait_for_selector(".desk-text")
    first = page.locator("main").get_attribute("data-key")
    page.locator("main").focus()
    press(page, "1")
    page.wait_for_function("() => document.querySelector('.panel-paper .tiles dd').textContent === '1'")
    assert page.locator("main").get_attribute("data-key") != first
    press(page, "u")
    page.wait_for_function("(key) => document.getElementById('main').dataset.key === key", arg=first)
    assert page.complaints == []


def test_time_travel_against_the_real_store(page):
    press(page, "ArrowLeft")
    page.wait_for_function("() => location.hash.includes('at=')")
    shown(page, "overview?at=")
    assert "As it was on" in page.locator(".kicker").inner_text()
    press(page, "n")
    page.wait_for_function("() => !location.hash.includes('at=')")
