"""The actions on the screens of the page, by keyboard alone."""

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
    assert "Not found in the stream: “x1”" in page.locator(".sentence").first.inner_text()
    press(page, "Escape", "x")
    page.wait_for_function("() => document.querySelectorAll(\"[aria-label='Chosen words'] .swatch\").length === 4")


def test_a_late_suggestion_does_not_fill_the_list_after_a_word_was_added(open_page):
    page = open_page("#word")
    held = []
    page.route(lambda url: "/api/words?prefix=sto" in url, lambda route: held.append(route))
    with page.expect_request("**/api/words?prefix=sto"):
        page.fill("#word-search", "sto")
    page.press("#word-search", "Enter")
    shown(page, "word?w=sto")
    for route in held:
        with contextlib.suppress(Exception):  # it has been cancelled
            route.continue_()
    page.wait_for_timeout(300)
    assert page.locator("[aria-label='Words that match'] button").count() == 0


def test_words_added_before_the_page_follows_the_address_are_all_kept(open_page):
    page = open_page("#word?w=storm&span=week")
    shown(page, "word?w=storm")
    page.evaluate(
        """() => {
            const box = document.querySelector('#word-search');
            for (const word of ['ferry', 'levy']) {
                box.value = word;
                box.form.requestSubmit();
            }
        }"""
    )
    shown(page, "word?w=storm&w=ferry&w=levy&span=week")
    page.evaluate(
        """() => {
            for (const word of ['storm', 'levy']) document.querySelector(`[aria-label='Remove ${word}']`).click();
        }"""
    )
    shown(page, "word?w=ferry&span=week")
    assert page.locator("[aria-label='Chosen words'] .swatch").count() == 1


def test_keys_pressed_before_the_page_follows_the_address_all_count(open_page):
    page = open_page("#topic?id=2")
    page.evaluate(
        """() => {
            for (const key of ['j', 'j']) document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        }"""
    )
    shown(page, "topic?id=4")


def test_an_address_counts_as_shown_only_when_it_is_drawn(open_page, service):
    page = open_page("#word?w=storm")
    service.may_answer.clear()
    page.evaluate("() => { location.hash = '#word?w=ferry'; }")
    page.wait_for_selector("main[aria-busy=true]")
    page.evaluate(
        """() => {
            window.seen = [];
            new MutationObserver(() => window.seen.push(document.documentElement.dataset.shown)).observe(
                document.documentElement, { attributeFilter: ['data-shown'] });
            const main = document.querySelector('main');
            main.removeAttribute = (name) => {
                delete main.removeAttribute;
                main.removeAttribute(name);
                location.hash = '#word?w=levy';  // before the page is told that "ferry" is drawn
            };
        }"""
    )
    service.may_answer.set()
    page.wait_for_function("() => window.seen.includes('#word?w=levy')")
    assert page.evaluate("() => window.seen[0]") == "#word?w=ferry"


def test_a_word_that_is_unknown_before_a_time_is_reported_as_unknown(open_page):
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


def test_words_that_match_are_marked_and_quotation_marks_of_a_text_are_not(open_page):
    page = open_page("#documents?q=storm")
    row = page.locator(".document").nth(5)
    assert "of «day 5» was " in row.locator(".document-text").inner_text()
    assert row.locator("mark").all_inner_texts() == [fake.WORDS[5 % len(fake.NAMES)][-1]]


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
    service.refusal = (409, "another person is labelling this document; take the next one")
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


def test_the_alarm_of_a_word_has_the_documents_that_came_not_a_rate_that_no_day_had(open_page, service, monkeypatch):
    """An archive with days only has all documents of a day in one hour."""
    alarm, get = fake.alarm(0), service.get
    alarm |= {"kind": "word", "topic": None, "word": "g8", "name": "g8", "raised": alarm["start"] + 3600}
    alarm["evidence"] |= {"seen": 120.0, "expected": 0.28}

    def of_a_word(path, given):
        found = get(path, given)
        return found | {"alarms": [alarm], "n_on": 1} if path == "/api/alarms" else found

    monkeypatch.setattr(service, "get", of_a_word)
    page = open_page("#alarms")
    page.wait_for_selector(".panel .uplot canvas")
    sentence = page.locator(".panel .sentence").first.inner_text()
    assert "5 documents had arrived since" in sentence
    assert "0.0117 were expected" in sentence
    assert "documents per hour" in sentence
    tiles = page.locator(".panel .tiles").inner_text().replace("\n", " ")
    assert "per day" not in tiles
    page.locator(".panel .tools button").first.press("Enter")
    row = page.locator(".panel .numbers tbody tr").first.inner_text().split("\t")
    assert row[1:] == ["209", "0.0117"]


def test_health_shows_sources_rejections_model_and_refit(open_page, service):
    page = open_page("#health")
    text = page.locator("main").inner_text().replace("\u00a0", " ")
    for part in [
        "87 ms",
        "1,810 bytes",
        "the field text is missing",
        "version 2",
        "59 % used",
        "English and German; their function words are not counted",
        "The last refit finished",
    ]:
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


def test_the_disk_of_a_database_server_is_not_called_full(open_page, monkeypatch):
    found = fake.health()
    monkeypatch.setattr(fake, "health", lambda: {**found, "disk_free": 0.0, "disk_total": 0.0})
    page = open_page("#health")
    page.wait_for_selector('text="unknown"')
    assert "nearly full" not in page.locator("main").inner_text()


def test_earlier_alarms_are_those_of_the_chosen_day(open_page, service, monkeypatch):
    asked = []
    get = service.get

    def noted(path, given):
        found = get(path, given)
        if path == "/api/alarms":
            asked.append({name: values[0] for name, values in given.items()})
            older = 100 if "after" in given else 0
            found |= {"next": 5, "alarms": [{**alarm, "id": alarm["id"] + older} for alarm in found["alarms"]]}
        return found

    monkeypatch.setattr(service, "get", noted)
    page = open_page("#alarms?day=1711929600")
    assert "now" not in page.locator(".kicker").inner_text()
    page.locator("button:has-text('Earlier')").press("Enter")
    page.wait_for_function("() => document.querySelectorAll('.alarm-row').length === 14")
    assert asked == [
        {"from": "1711929600", "to": "1712016000"},
        {"from": "1711929600", "to": "1712016000", "after": "5"},
    ]


def test_alarms_that_are_on_are_listed_and_counted_although_newer_ones_have_ended(open_page, service, monkeypatch):
    get = service.get

    def many(path, given):
        found = get(path, given)
        if path == "/api/alarms":
            on = [fake.alarm(50 + k) for k in range(3)]
            alarms = on if given.get("state") == ["on"] else found["alarms"][1:]
            found |= {"alarms": alarms, "n_on": 3}
        return found

    monkeypatch.setattr(service, "get", many)
    page = open_page("#alarms")
    assert "3 bursts now" in page.locator(".kicker").inner_text()
    assert page.locator(".alarm-on").count() == 3
    assert page.locator(".alarm-row").count() == 9


@pytest.mark.parametrize(("ended_before", "has_end"), [(3600, False), (3 * fake.DAY, True)])
def test_the_curve_of_an_alarm_ends_with_the_newest_document(open_page, service, monkeypatch, ended_before, has_end):
    now = fake.FIRST + fake.N_DAYS * fake.DAY
    asked, get = [], service.get

    def of_a_topic(path, given):
        found = get(path, given)
        if path == "/api/alarms":
            first = {**fake.alarm(0, "off"), "topic": 1, "start": now - 5 * fake.DAY, "ended": now - ended_before}
            found |= {"alarms": [first | {"evidence": first["evidence"] | {"times": [], "values": []}}]}
        if path == "/api/topics/1":
            asked.append(given.get("at"))
        return found

    monkeypatch.setattr(service, "get", of_a_topic)
    page = open_page("#alarms")
    page.wait_for_selector(".uplot canvas")
    assert asked == [[f"{now - ended_before + fake.DAY:.0f}"] if has_end else None]


@pytest.mark.parametrize(("at", "n_more"), [("&at=1711000000", 0), ("", 1)])
def test_words_of_an_earlier_time_are_not_replaced_by_updates(open_page, service, at, n_more):
    page = open_page(f"#word?w=storm{at}")
    page.wait_for_selector(".uplot canvas")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/api/words/curves" in request.url else None)
    service.send("delta", fake.delta(0), 101)
    page.wait_for_timeout(3000)  # updates are drawn after two seconds
    for _ in range(300):
        if len(asked) >= n_more:
            break
        page.wait_for_timeout(100)
    assert len(asked) == n_more


def test_labels_of_an_axis_are_exact(open_page):
    page = open_page("#word?w=storm")
    page.wait_for_selector(".uplot canvas")
    draw = """async (highest) => {
      const { Lines } = await import("/parts/lines.js");
      const { percent } = await import("/parts/format.js");
      const place = document.createElement("div");
      document.getElementById("main").prepend(place);
      const lines = new Lines(place, { height: 320, unit: percent });
      lines.draw({ times: [0, 86400, 172800], length: 86400,
        curves: [{ name: "a", colour: "rgb(0, 0, 0)", values: [0, highest, 0] }] });
      await new Promise((next) => requestAnimationFrame(next));
      const splits = lines.plot.axes[1]._splits;
      lines.close();
      place.remove();
      return splits.map((value) => [value, percent(value)]);
    }"""
    for highest in [0.02, 0.19, 0.21, 0.9]:
        labels = page.evaluate(draw, highest)
        assert len(labels) > 2
        for value, text in labels:
            assert abs(float(text.replace("%", "").strip()) / 100 - value) < 1e-9


def test_the_curve_of_a_word_is_not_drawn_from_the_first_documents_of_a_day(open_page, monkeypatch):
    curves = fake.word_curves

    def begun(words):
        found = curves(words)
        found["totals"] = [*[100] * (len(found["totals"]) - 1), 2]
        for curve in found["words"]:
            ends = {"values": (0.1, 0.0), "low": (0.06, 0.0), "high": (0.16, 0.66)}
            for name, (before, last) in ends.items():
                curve[name] = [*[before] * (len(curve[name]) - 1), last]
        return found

    monkeypatch.setattr(fake, "word_curves", begun)
    page = open_page("#word?w=storm")
    page.wait_for_selector(".uplot canvas")
    box = page.locator(".uplot .u-over").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    page.wait_for_function("() => document.querySelector('.readout').textContent.includes('storm')")
    assert "storm: 9.8\u00a0% (" in page.locator(".readout").inner_text()
    page.keyboard.press("t")
    assert page.locator("figure table tbody tr").first.inner_text().replace("\u00a0", " ").split("\t")[1:3] == [
        "2",
        "0 %",
    ]
