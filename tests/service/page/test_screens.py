"""Each screen of the page, by keyboard alone."""

from __future__ import annotations

import re

import pytest

from tests.service.page import fake_answers as fake
from tests.service.page.pressing import press, shown

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("keys", "screen", "title"),
    [
        ("go", "overview", "tripled"),
        ("gt", "topic", "storm"),
        ("gw", "word", "Words"),
        ("/", "documents", "Documents"),
        ("gl", "desk", "Desk"),
        ("ga", "alarms", "Alarms"),
        ("gh", "health", "Health"),
    ],
)
def test_every_screen_is_reached_by_its_keys(open_page, keys, screen, title):
    page = open_page("#health" if screen == "overview" else "#overview")
    press(page, *keys)
    shown(page, screen)
    assert title in page.locator("h1").inner_text()
    assert page.locator("nav a[aria-current=page]").get_attribute("href") == f"#{screen}"
    assert page.complaints == []


def test_overview_shows_the_headline_the_river_bursts_words_and_documents(open_page):
    page = open_page()
    assert page.locator("h1").inner_text() == fake.alarm(0)["headline"]
    assert page.locator(".river-names a").count() == len(fake.NAMES)
    assert page.locator(".alarm-card").count() == 3
    assert page.locator(".drifting tbody tr").count() == 10
    assert page.locator(".document").count() == 8
    painted = """() => {
      const { width, height } = document.querySelector('.river-canvas');
      const pen = document.querySelector('.river-canvas').getContext('2d');
      return pen.getImageData(width / 2, height / 4, 4, height / 2).data.some((value, i) => i % 4 === 3 && value > 200);
    }"""
    assert page.evaluate(painted)


def test_a_river_of_one_period_names_it_once(open_page, service, monkeypatch):
    get = service.get

    def first_day(path, given):
        found = get(path, given)
        if path == "/api/overview":
            river = found["river"]
            river |= {name: river[name][:1] for name in ("times", "n_documents")}
            for topic in river["topics"]:
                topic |= {name: topic[name][:1] for name in ("values", "low", "high")}
        return found

    monkeypatch.setattr(service, "get", first_day)
    page = open_page()
    sentence = page.locator(".river .sentence").inner_text()
    assert "Shares of the topics per " in sentence
    assert " to " not in sentence.partition(". Largest now")[0]


def test_time_travel_shows_the_page_as_it_was(open_page):
    page = open_page()
    page.keyboard.press("[")
    page.keyboard.press("[")
    page.wait_for_function("() => location.hash.includes('at=')")
    shown(page, "overview?at=")
    assert "As it was on" in page.locator(".kicker").inner_text()
    page.locator("#travel").focus()
    page.keyboard.press("Home")
    page.wait_for_function("() => document.querySelectorAll('.alarm-card').length === 0")
    assert "Nothing unusual" in page.locator("h1").inner_text()
    page.locator("main").focus()
    page.keyboard.press("n")
    page.wait_for_function("() => document.querySelectorAll('.alarm-card').length === 3")
    assert "at=" not in page.evaluate("() => location.hash")


def test_updates_change_the_overview(open_page, service):
    page = open_page()
    for step in range(12):
        service.send("delta", fake.delta(step), 101 + step)
    page.wait_for_function("() => document.querySelector('h1').textContent.startsWith('Update 11')")
    assert page.locator(".document.fresh").count() > 0
    new = fake.alarm(0) | {"id": 900, "name": "petra", "headline": "“petra” rises, 93 % certain"}
    service.send("alarm", {"alarm": new}, 113)
    page.wait_for_selector(".alarm-card[data-alarm='900']")
    press(page, "t")
    assert page.locator(".river table tbody tr").first.inner_text().startswith("2 Apr 2024")


def test_the_address_holds_the_view_and_the_back_button_works(open_page):
    page = open_page("#topic?id=4")
    assert "football" in page.locator("h1").inner_text()
    press(page, "g", "h")
    shown(page, "health")
    page.go_back()
    shown(page, "topic?id=4")
    assert "football" in page.locator("h1").inner_text()


def test_keys_are_listed_and_single_keys_can_be_turned_off(open_page):
    page = open_page()
    press(page, "?")
    listed = page.locator("dialog .keys dd").all_inner_texts()
    assert {"Overview", "Desk", "Pause or resume updates", "Back to now"} <= set(listed)
    page.locator("dialog label:has-text('Single-key shortcuts')").click()
    press(page, "Escape", "g", "h")
    page.wait_for_timeout(100)
    assert "#health" not in page.url
    page.locator("#help").press("Enter")
    page.locator("dialog label:has-text('Single-key shortcuts')").click()
    press(page, "Escape", "g", "h")
    shown(page, "health")


def test_every_figure_has_a_table_and_a_sentence(open_page):
    page = open_page()
    press(page, "t")
    for screen in ["overview", "topic?id=0", "word?w=storm", "documents", "desk", "alarms", "health"]:
        page.evaluate("(hash) => { location.hash = hash; }", screen)
        shown(page, screen)
        figures = page.locator("figure:visible")
        assert figures.count() >= 1, screen
        for figure in figures.all():
            assert len(figure.locator(".sentence").inner_text()) > 20
            assert figure.locator("table tbody tr").count() >= 2
            assert not figure.locator(".plot").is_visible()


def test_live_region_speaks_at_most_once_in_ten_seconds(open_page, service):
    page = open_page()
    page.evaluate(
        """() => {
          window.said = 0;
          const watch = new MutationObserver(() => { window.said += 1; });
          watch.observe(document.getElementById('live'), { childList: true });
        }"""
    )
    for step in range(8):
        service.send("delta", fake.delta(step), 101 + step)
        page.wait_for_timeout(60)
    assert page.evaluate("() => window.said") <= 1
    assert page.locator("#live").get_attribute("aria-live") == "polite"
    assert re.search(r"quietFor = 10_000", page.request.get(page.url.split("#")[0] + "parts/announce.js").text())


def test_an_empty_store_names_no_dates_and_says_what_comes(open_page, service, monkeypatch):
    get = service.get
    nothing = {"now": 0.0, "first": None, "n_documents": 0, "n_topics": 0, "n_on": 0, "alarms": [], "drifting": []}
    river = {"level": "hour", "times": [0.0], "n_documents": [0], "topics": []}

    def empty(path, given):
        found = get(path, given)
        if path == "/api/overview":
            return {**found, **nothing, "newest": [], "river": river, "headline": "No documents yet"}
        if path == "/api/topics":
            return {**found, "topics": []}
        if path == "/api/documents":
            return {**found, "documents": [], "total": 0, "times": [], "counts": [], "next": None}
        if path == "/api/health":
            return {**found, "model": {**found["model"], "fitted": 0.0}}
        return found

    monkeypatch.setattr(service, "get", empty)
    for screen, said in (
        ("overview", "No document has arrived yet"),
        ("topic", "No topics yet"),
        ("documents", "No document has arrived yet"),
        ("health", "not fitted yet"),
    ):
        page = open_page(f"#{screen}")
        page.wait_for_selector("h1:not(:text('…'))")
        text = page.locator("main").inner_text()
        assert said in text
        assert "1970" not in text


def test_the_sentence_and_the_names_of_the_river_have_the_same_shares(open_page, monkeypatch):
    overview = fake.overview

    def begun(*given):
        found = overview(*given)
        n = found["river"]["n_documents"]
        n[-2:] = [100, 60]  # the last period is incomplete
        for k, topic in enumerate(found["river"]["topics"]):
            topic["values"][-2:] = [0.05, 0.3 if k == 0 else 0.1]
        return found

    monkeypatch.setattr(fake, "overview", begun)
    page = open_page()
    names = page.locator(".river-names a").all_inner_texts()
    sentence = page.locator(".sentence").first.inner_text()
    share = next(name for name in names if name.startswith(fake.NAMES[0])).removeprefix(fake.NAMES[0]).strip()
    assert share == "20\u00a0%"
    assert f"{fake.NAMES[0]} {share} (" in sentence
