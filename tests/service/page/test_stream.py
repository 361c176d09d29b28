"""Updates: one connection for all tabs, hidden tabs, pause, gaps, loss and return of the connection."""

from __future__ import annotations

import pytest

from tests.service.page import fake_answers as fake
from tests.service.page.pressing import press

pytestmark = pytest.mark.browser

HIDE = """(hidden) => {
  Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def state(page, wanted):
    page.wait_for_function("(wanted) => document.getElementById('connection').dataset.state === wanted", arg=wanted)


def headline(page, start):
    page.wait_for_function("(start) => document.querySelector('h1').textContent.startsWith(start)", arg=start)


def test_two_tabs_share_one_connection_and_the_second_takes_over(open_page, service):
    first = open_page()
    state(first, "live")
    second = open_page(context=first.context)
    state(second, "live")
    assert len(service.readers) == 1
    service.send("delta", fake.delta(0), 101)
    for page in (first, second):
        headline(page, "Update 0")
    first.close()
    for step in range(1, 40):
        service.send("delta", fake.delta(step), 101 + step)
        second.wait_for_timeout(50)
        if "Update 0" not in second.locator("h1").inner_text():
            break
    headline(second, "Update")
    assert len(service.readers) <= 2
    assert "Update 0:" not in second.locator("h1").inner_text()


def test_a_hidden_tab_stops_and_loads_again_when_it_is_seen(open_page, service):
    page = open_page()
    state(page, "live")
    page.evaluate(HIDE, True)
    service.send("delta", fake.delta(0), 101)
    page.wait_for_timeout(150)
    assert page.locator("h1").inner_text() == fake.alarm(0)["headline"]
    page.evaluate(HIDE, False)
    page.wait_for_function("() => document.documentElement.dataset.gaps === '1'")
    service.send("delta", fake.delta(1), 102)
    headline(page, "Update 1")


def test_no_connection_and_back(open_page, service):
    page = open_page()
    state(page, "live")
    service.is_down = True
    service.cut()
    state(page, "offline")
    assert "No connection since" in page.locator("#notice").inner_text()
    assert page.locator("h1").inner_text() == fake.alarm(0)["headline"]
    service.is_down = False
    service.batch = 150
    state(page, "live")
    page.wait_for_function(
        "() => document.getElementById('notice').hidden && document.documentElement.dataset.gaps === '1'"
    )
    service.send("delta", fake.delta(60), 161)
    headline(page, "Update 60")


def test_the_browser_goes_offline_and_back(open_page, service):
    page = open_page()
    state(page, "live")
    page.context.set_offline(True)
    state(page, "offline")
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.wait_for_function("() => document.getElementById('notice').textContent.includes('cannot be reached')")
    page.keyboard.press("g")
    page.keyboard.press("o")
    page.context.set_offline(False)
    state(page, "live")
    page.wait_for_function(
        "(text) => document.querySelector('h1')?.textContent === text", arg=fake.alarm(0)["headline"]
    )
    assert [each for each in page.complaints if "error:" in each and "ERR_" not in each] == []


@pytest.mark.parametrize("n", [2, 4])
def test_a_question_whose_connection_fails_is_repeated(open_page, n):
    page = open_page()
    state(page, "live")
    failed = []

    def fail_at_first(route):
        if len(failed) < n:  # at most two are repeated at once; after a third failure, the screen is loaded again
            failed.append(route.request.url)
            route.abort("internetdisconnected")
        else:
            route.continue_()

    page.route(lambda url: "/api/words/curves" in url, fail_at_first)
    page.evaluate("() => { location.hash = '#word?w=storm&w=x1'; }")
    page.wait_for_function("() => document.querySelector('.sentence')?.textContent.includes('x1')")
    assert len(failed) == n
    page.wait_for_function("() => document.getElementById('notice').hidden")


def test_a_change_whose_connection_fails_is_not_repeated(open_page):
    page = open_page("#desk")
    failed = []
    page.route("**/api/labels", lambda route: (failed.append(route.request.url), route.abort("connectionreset")))
    press(page, "1")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('cannot be reached')")
    page.wait_for_timeout(500)
    assert len(failed) == 1


def test_a_gap_loads_the_present_state(open_page, service):
    page = open_page()
    state(page, "live")
    service.batch = 500
    service.send("gap", {"batch": 500}, 500)
    page.wait_for_function("() => document.documentElement.dataset.gaps === '1'")
    service.send("delta", fake.delta(0), 101)
    service.send("delta", fake.delta(450), 551)
    headline(page, "Update 450")


def test_a_stop_of_the_service_is_reported(open_page, service):
    page = open_page()
    state(page, "live")
    service.is_down = True
    service.send("bye", {"retry": 1.0}, 101)
    state(page, "offline")
    service.is_down = False
    state(page, "live")


def test_pause_holds_updates_back_and_counts_them(open_page, service):
    page = open_page()
    state(page, "live")
    page.keyboard.press("p")
    for step in range(3):
        service.send("delta", fake.delta(step), 101 + step)
    page.wait_for_function("() => document.getElementById('connection-text').textContent === 'Paused, 3 waiting'")
    assert page.locator("h1").inner_text() == fake.alarm(0)["headline"]
    page.locator("#pause").click()
    page.wait_for_function("() => document.getElementById('connection-text').textContent === 'Live'")
    service.send("delta", fake.delta(5), 106)
    headline(page, "Update 5")


def test_an_update_during_a_load_is_drawn_after_the_older_answer(open_page, service):
    page = open_page()
    state(page, "live")
    service.may_answer.clear()
    service.send("gap", {"batch": 101}, 101)
    page.wait_for_function("() => document.getElementById('main').hasAttribute('aria-busy')")
    service.send("delta", fake.delta(7), 107)
    page.wait_for_timeout(200)
    service.may_answer.set()
    page.wait_for_function("() => !document.getElementById('main').hasAttribute('aria-busy')")
    assert page.locator("h1").inner_text().startswith("Update 7")


@pytest.mark.slow
def test_memory_does_not_grow_with_updates(open_page, service):
    page = open_page()
    state(page, "live")
    inspector = page.context.new_cdp_session(page)
    used = {}
    for number in range(301):
        if number in (100, 300):
            headline(page, f"Update {number - 1}:")
            page.wait_for_timeout(2500)  # until the last animation is over and its elements are free
            inspector.send("HeapProfiler.collectGarbage")
            used[number] = inspector.send("Runtime.getHeapUsage")["usedSize"]
        service.send("delta", fake.delta(number), 101 + number)
        page.wait_for_timeout(20)
    assert used[300] < 1.05 * used[100]
