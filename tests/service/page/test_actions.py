"""What can be done on the screens of the page, by keyboard alone."""

from __future__ import annotations

import contextlib

import pytest

from tests.service.page import fake_answers as fake
from tests.service.page.pressing import press, shown

pytestmark = pytest.mark.browser


def test_topic_is_renamed_by_keyboard(open_page, service):
    page = open_page("#topic?id=2")
    press(page, "r")
    page.keyboard.type("Epidemic")
    press(page, "Enter")
    page.wait_for_function("() => document.querySelector('h1').textContent === 'Epidemic'")
    assert service.requests == [("POST", "/api/topics/2", {"name": "Epidemic"})]
    press(page, "j")
    page.wait_for_function("() => location.hash.includes('id=3')")
    assert page.complaints == []


def test_words_are_added_compared_and_removed(open_page):
    page = open_page("#word")
    press(page, "w")
    page.keyboard.type("sto")
    page.wait_for_selector(".chips button:has-text('storm')")
    page.keyboard.type("rm")
    press(page, "Enter")
    page.wait_for_selector(".uplot canvas")
    for word in ["ferry", "levy", "goal", "fever", "x1"]:
        page.fill("#word-search", word)
        page.press("#word-search", "Enter")
        page.wait_for_function(
            "(word) => new URLSearchParams(location.hash.split('?')[1]).getAll('w').includes(word)", arg=word
        )
    shown(page, "word?w=ferry&w=levy&w=goal&w=fever&w=x1")
    assert page.locator("[aria-label='Chosen words'] .swatch").count() == 5
    assert "Not among the words of the stream: “x1”" in page.locator(".sentence").first.inner_text()
    press(page, "Escape", "x")
    page.wait_for_function("() => document.querySelectorAll(\"[aria-label='Chosen words'] .swatch\").length === 4")


def test_a_word_that_is_unknown_before_a_time_is_said_to_be(open_page):
    page = open_page("#word?w=storm&w=the")
    page.wait_for_selector(".uplot canvas")
    sentence = page.locator(".sentence").first.inner_text()
    assert "“the” is not counted, and texts before " in sentence
    assert "“storm” is not counted" not in sentence


def test_search_as_you_type_facets_and_one_document(open_page, service):
    page = open_page("#overview")
    press(page, "/")
    shown(page, "documents")
    page.keyboard.type("storm")
    page.wait_for_function("() => location.hash.includes('q=storm')")
    page.wait_for_function("() => document.querySelector('.found').textContent === '24 documents'")
    page.locator(".facet-value").nth(2).press("Enter")
    page.wait_for_function("() => document.querySelector('.found').textContent === '3 documents'")
    page.locator(".document button").first.press("Enter")
    page.wait_for_selector(".document-panel mark")
    assert page.locator(".document-panel mark").all_inner_texts()[:2] == ["Storm", "rain"]
    page.locator(".document-panel .danger").press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('next refit')")
    assert service.requests == [("DELETE", f"/api/documents/{2:016x}", {})]
    page.fill("#search", "nothing")
    page.wait_for_function("() => document.querySelector('#results').textContent.includes('No document matches')")


def test_the_box_has_the_words_of_the_address(open_page):
    page = open_page("#documents?q=storm")
    page.wait_for_function("() => document.querySelector('#search').value === 'storm'")
    page.evaluate("() => { location.hash = '#documents?q=rain'; }")  # the box has the focus
    page.wait_for_function("() => document.querySelector('#search').value === 'rain'")
    page.focus("#search")
    page.keyboard.type("fall")
    page.wait_for_function("() => location.hash.includes('q=rainfall')")
    assert page.input_value("#search") == "rainfall"


def test_desk_by_keys_alone(open_page, service):
    page = open_page("#desk")
    press(page, "2")
    page.wait_for_function("() => document.querySelector('.tiles dd').textContent === '33'")
    press(page, "Enter")
    page.wait_for_function("() => document.querySelector('.tiles dd').textContent === '34'")
    press(page, "s")
    page.wait_for_function("() => document.querySelector('.tiles dd').textContent === '35'")
    press(page, "u")
    page.wait_for_function("() => document.querySelector('.tiles dd').textContent === '34'")
    sent = [(body["label"], body.get("undo", False)) for _, path, body in service.requests if path == "/api/labels"]
    assert sent == [("politics", False), ("weather", False), (None, False), (None, True)]
    keys = [body["key"] for _, _, body in service.requests]
    assert len({*keys[:3]}) == 3
    assert keys[2] == keys[3]
    assert "changed" in page.locator("#main").inner_text()


def test_a_label_that_is_refused_comes_back(open_page, service):
    page = open_page("#desk")
    before = page.locator("main").get_attribute("data-key")
    service.is_down = True
    press(page, "1")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('cannot be reached')")
    assert page.locator("main").get_attribute("data-key") == before


def test_a_document_that_another_person_labels_is_left_to_them(open_page, service):
    page = open_page("#desk")
    before = page.locator("main").get_attribute("data-key")
    service.refusal = (409, "another person labels this document now; take the next one")
    press(page, "1")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('another person')")
    assert page.locator("main").get_attribute("data-key") not in {before, ""}


def test_new_documents_wait_until_they_are_wanted(open_page, service):
    page = open_page("#documents?q=storm")
    button = page.locator("text=Show newer documents")
    assert button.is_hidden()
    service.send("delta", fake.delta(0), 101)
    button.wait_for()
    button.press("Enter")
    button.wait_for(state="hidden")


def test_alarms_are_acknowledged_muted_and_replayed(open_page, service):
    page = open_page("#alarms")
    press(page, "a")
    page.wait_for_selector("text=acknowledged by tester")
    press(page, "m")
    page.wait_for_selector(".actions >> text=muted until")
    assert [body for _, _, body in service.requests] == [{"acknowledge": True}, {"mute_for": 86_400}]
    press(page, "r")
    page.wait_for_function("() => Number(document.getElementById('replay').value) < 20")
    press(page, "r")
    press(page, "j")
    page.wait_for_function("() => location.hash.includes('id=99')")
    page.locator(".day").first.press("Enter")
    page.wait_for_function("() => location.hash.includes('day=')")


def test_health_shows_sources_rejections_model_and_refit(open_page, service):
    page = open_page("#health")
    text = page.locator("main").inner_text().replace("\u00a0", " ")
    for part in ["87 ms", "1,810 bytes", "the field text is missing", "version 2", "59 % used", "State: idle"]:
        assert part in text
    press(page, "f")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('refit has started')")
    assert service.requests == [("POST", "/api/refit", {})]


def test_a_token_that_may_only_read_sees_no_buttons(open_page, service):
    service.rights = ["read"]
    page = open_page("#topic?id=1")
    assert page.locator("text=Rename").count() == 0
    press(page, "g", "l")
    shown(page, "desk")
    assert "may read, but not label" in page.locator("main").inner_text()
    press(page, "g", "a")
    shown(page, "alarms")
    assert page.locator("text=Acknowledge").count() == 0


def test_a_slow_answer_does_not_replace_a_newer_one(open_page):
    page = open_page("#word?w=storm")
    page.wait_for_selector(".uplot canvas")
    held = []
    page.route(
        lambda url: "/api/words/curves" in url and "ferry" in url and "levy" not in url,
        lambda route: held.append(route),
    )
    page.evaluate("() => { location.hash = '#word?w=storm&w=ferry'; }")
    page.wait_for_function("() => document.querySelectorAll(\"[aria-label='Chosen words'] .swatch\").length === 2")
    page.evaluate("() => { location.hash = '#word?w=storm&w=ferry&w=levy'; }")
    shown(page, "word?w=storm&w=ferry&w=levy")
    for route in held:
        with contextlib.suppress(Exception):  # it has been cancelled
            route.continue_()
    page.wait_for_timeout(300)
    assert "levy" in page.locator(".sentence").first.inner_text()
