"""Hostile texts and addresses, the policy, signing in, and expressions that the modules must not contain."""

from __future__ import annotations

import re

import pytest

from tests.service.page import fake_answers as fake
from tests.service.page.fake_service import PAGE, TOKEN
from tests.service.page.pressing import press, shown

OWN = sorted(path for path in PAGE.rglob("*") if path.suffix in {".js", ".css", ".html"} and "vendor" not in path.parts)


@pytest.mark.browser
def test_hostile_texts_are_shown_as_text(open_page, service):
    page = open_page()
    for view in [
        "overview",
        "topic?id=0",
        "topic?id=1",
        "word?w=%3Cscript%3Ealert(1)%3C/script%3E",
        "documents?q=storm",
        "documents?key=0000000000000000",
        "documents?key=0000000000000002",
        "desk",
        "alarms",
    ]:
        page.evaluate("(hash) => { location.hash = hash; }", view)
        shown(page, view)
        assert (
            page.evaluate("() => document.querySelectorAll('main script, main img, main b:not([class]) b').length") == 0
        )
    press(page, "g", "o")
    shown(page, "overview")
    text = page.locator("main").inner_text()
    assert fake.HOSTILE[0] in text
    assert fake.HOSTILE[3] in text
    assert "<b>sluice</b>" in text
    evil = fake.alarm(0) | {"id": 901, "name": "<img src=x onerror=alert(1)>", "headline": "<script>alert(1)</script>"}
    service.send("alarm", {"alarm": evil}, 101)
    page.wait_for_selector(".alarm-card[data-alarm='901']")
    assert page.evaluate("() => window.hacked") is None
    assert page.complaints == []


@pytest.mark.browser
@pytest.mark.parametrize(
    "address",
    [
        "#nowhere",
        "#topic?id=-1",
        "#topic?id=%00%ff",
        "#overview?at=never",
        "#word?w=",
        "#documents?from=2024-99-99&key=../../x",
        "#alarms?id=1e9&day=x",
        "#__proto__?constructor=1",
    ],
)
def test_rubbish_in_the_address_is_survived(open_page, address):
    page = open_page(address)
    press(page, "g", "h")
    shown(page, "health")
    assert not [each for each in page.complaints if each.startswith(("error: TypeError", "dialog"))]


@pytest.mark.browser
def test_the_policy_is_in_force(open_page):
    page = open_page()
    page.evaluate(
        """() => {
          const script = document.createElement('script');
          script.textContent = 'window.hacked = true';
          document.body.append(script);
          document.body.setAttribute('style', 'color: red');
        }"""
    )
    assert page.evaluate("() => window.hacked") is None
    assert len([each for each in page.complaints if "Content Security Policy" in each]) == 2


@pytest.mark.browser
def test_a_token_is_traded_and_leaves_the_address(open_page, service):
    service.needs_token = True
    page = open_page(f"#token={TOKEN}")
    shown(page, "overview")
    assert TOKEN not in page.url
    assert page.evaluate("() => document.cookie") == ""
    assert TOKEN not in page.evaluate("() => JSON.stringify([localStorage, sessionStorage, location.href])")
    page.go_back()
    assert TOKEN not in page.evaluate("() => location.href")


@pytest.mark.browser
def test_signing_in_by_hand(open_page, service):
    service.needs_token = True
    page = open_page("#token=wrong")
    page.fill("#token", "wrong again")
    page.press("#token", "Enter")
    page.wait_for_selector("text=This token is not valid")
    page.fill("#token", TOKEN)
    page.press("#token", "Enter")
    shown(page, "overview")
    press(page, "p")
    assert page.locator("#pause").get_attribute("aria-pressed") == "true"
    page.context.clear_cookies()
    press(page, "g", "t")
    page.wait_for_selector("h1:has-text('Sign in')")


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.relative_to(PAGE).as_posix())
def test_modules_make_no_markup_and_load_nothing_from_elsewhere(path):
    text = path.read_text(encoding="utf-8")
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment|srcdoc|@import|https?://(?!www\.w3\.org/2000/svg)"
    assert re.findall(forbidden, text) == []
    assert len(text.splitlines()) <= 400
    if path.suffix == ".html":
        assert not re.search(r"\sstyle=|\son\w+=|<script>|<style", text)


def test_every_module_is_used_and_the_licence_is_there():
    loaded, waiting = set(), [PAGE / "main.js"]
    while waiting:
        path = waiting.pop().resolve()
        if path not in loaded:
            loaded.add(path)
            waiting += [
                path.parent / name
                for name in re.findall(
                    r'^(?:import|export) .*?from "(\./[^"]+|\.\./[^"]+)"',
                    path.read_text(encoding="utf-8"),
                    re.MULTILINE,
                )
            ]
    assert loaded == {path for path in OWN if path.suffix == ".js"}
    html = (PAGE / "index.html").read_text(encoding="utf-8")
    assert all(f'href="style/{path.name}"' in html for path in (PAGE / "style").glob("*.css"))
    assert "MIT" in (PAGE / "vendor" / "uplot" / "LICENSE").read_text(encoding="utf-8")
