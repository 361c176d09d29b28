"""The report in a real browser: it draws, it answers, and nothing in a document can make it do anything else."""

from __future__ import annotations

import pytest

from driftline.report import write_report
from driftline.report.story_sentences import Setting
from tests.report.browser import open_report
from tests.report.findings_factory import hostile_findings, quiet_findings

pytestmark = pytest.mark.browser
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

HOSTILE = [
    "<script>window.ran = 1; alert(1)</script>",
    '"><img src=x onerror="window.ran = 2">',
    "</script><script>window.ran = 3</script>",
    "</style><style>body { display: none }</style>",
    '<a href="javascript:window.ran = 4">press</a>',
    "<b>bold</b><br>&lt;i&gt;",
    "line\u2028separator\u2029here",
    "left\u202eright\u2066",
    "{{ 7 * 7 }} {% raw %} ${7 * 7} %{x}",
    "<!-- <script> ]]> \\u003cimg\\u003e",
    "__proto__",
    "lone \ud800 surrogate \x00 and \x1b[31m",
    "“quoted” 'and' \"more\" `ticks` \\ back",
    "https://example.invalid/x.png",
    "word" * 200,
]


@pytest.fixture(scope="module")
def page(browser, report):
    opened = open_report(browser, report)
    yield opened
    assert opened.complaints == []
    assert addresses(opened) == [report.resolve().as_uri()]


def addresses(page):
    return [request.url for request in page.requested]


def text_of(page, selector):
    return page.locator(selector).inner_text()


def test_every_figure_is_drawn_without_a_complaint(page):
    drawn = page.locator(".plot .main-svg").count()
    assert page.locator(".plot").count() == 19
    assert drawn >= 19
    assert page.complaints == []


def test_a_word_of_the_table_opens_close_up(page, findings):
    word = findings.changed_words[4]
    page.locator("#table-words").get_by_role("button", name=word.word, exact=True).click()
    assert text_of(page, "#close-up-word") == word.word
    assert word.word in text_of(page, "#close-up-sentence")
    assert page.locator("#close-up-documents li").count() == 3
    assert page.locator("#close-up-documents mark").first.inner_text().lower() == word.word
    assert page.locator("#table-words tr.chosen").count() == 1


def test_a_word_can_be_opened_with_the_keyboard(page, findings):
    word = findings.changed_words[2]
    page.locator("#table-words").get_by_role("button", name=word.word, exact=True).focus()
    page.keyboard.press("Enter")
    assert text_of(page, "#close-up-word") == word.word


def test_a_strip_opens_its_word(page):
    plot = page.locator(".plot[data-figure=strips]")
    plot.scroll_into_view_if_needed()
    box = plot.locator(".plotbg, .bglayer").first.bounding_box() or plot.bounding_box()
    label = plot.locator(".ytick text").nth(3)
    line = label.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, line["y"] + line["height"] / 2)
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("#close-up-word")).to_have_text(label.text_content())


def test_the_table_sorts_and_says_so(page, findings):
    page.locator("#show-all").click()
    noun = Setting.of(findings).noun
    page.locator("#table-words thead").get_by_role("button", name=noun).click()
    head = page.locator("#table-words thead th", has_text=noun)
    assert head.get_attribute("aria-sort") == "descending"
    documents = [
        int(text.replace(",", "")) for text in page.locator("#table-words tbody tr td:nth-child(4)").all_inner_texts()
    ]
    assert documents == sorted((word.n_documents for word in findings.changed_words), reverse=True)
    page.locator("#table-words thead").get_by_role("button", name="word").click()
    words = page.locator("#table-words tbody th").all_inner_texts()
    assert words == sorted(words)


def test_the_table_can_be_searched(page, findings):
    page.locator("#filter-text").fill("ok")
    expected = {word.word for word in findings.changed_words if "ok" in word.word}
    assert set(page.locator("#table-words tbody tr:visible th").all_inner_texts()) == expected
    page.locator("#filter-text").fill("")
    page.locator("#filter-pattern").select_option("peaked")
    expected = {word.word for word in findings.changed_words if word.pattern == "peaked"}
    assert set(page.locator("#table-words tbody tr:visible th").all_inner_texts()) <= expected
    page.locator("#filter-pattern").select_option("")
    assert "words shown" in text_of(page, "#filter-count")


def test_one_label_is_shown_at_a_time(page, findings):
    page.locator("#choose-label").select_option("2")
    assert page.locator(".label-part:visible").count() == 1
    assert findings.labels[2].label in page.locator(".label-part:visible h3").inner_text()
    page.locator(".label-part:visible tbody button").first.click()
    assert findings.labels[2].label in text_of(page, "#close-up-label")
    page.locator("#close-up-return").click()


@pytest.mark.parametrize("width", [1400, 768])
def test_every_section_can_be_seen_in_the_contents(browser, report, width):
    page = open_report(browser, report, width=width)
    boxes = page.evaluate(
        "[...document.querySelectorAll('.contents a')].map((link) => link.getBoundingClientRect().right)"
    )
    assert len(boxes) > 8
    assert max(boxes) <= width


def test_it_fits_a_phone(browser, report):
    page = open_report(browser, report, width=375, height=812, is_mobile=True, has_touch=True)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 375
    assert page.complaints == []
    page.locator(".headlines button").first.tap()
    expect(page.locator("#close-up h3")).to_be_in_viewport()


def test_panels_keep_their_headings_on_a_phone(browser, report):
    page = open_report(browser, report, width=390, height=844)
    drawn = page.locator(".plot[data-figure=topics]")
    headings = drawn.locator(".annotation-text").all_text_contents()
    wide = open_report(browser, report)
    assert headings == wide.locator(".plot[data-figure=topics] .annotation-text").all_text_contents()
    assert len(set(headings)) > 1
    left = {round(part.bounding_box()["x"]) for part in drawn.locator(".nsewdrag").all()}
    assert len(left) == 1


def test_storylines_have_names_on_a_phone_or_where_there_is_no_room_the_numbers_of_their_table(
    browser, report, findings
):
    page = open_report(browser, report, width=390, height=844)
    drawn = page.locator(".plot[data-figure=storylines] .annotation-text").all_text_contents()
    assert drawn.pop() == "all others"
    assert sorted(drawn) == sorted(" ".join(each.words[:2]) for each in findings.storylines.storylines)
    narrow = """(width) => {
        const note = (x, text, name) => ({ x, y: 0, text, name });
        const [first, second] = [note(0, "war iraq", "1"), note(30, "sars virus", "2")];
        const annotations = [first, second, note(40, "ebb", "3"), note(98, "budget", "4")];
        const layout = { annotations, yaxis: { tickvals: [1], ticktext: ["others"] } };
        const named = driftline.storylineNames({ data: [{ x: [0, 100] }], layout }, width);
        return named.map((each) => `${each.text} ${each.xanchor}`);
    }"""
    assert page.evaluate(narrow, 100) == ["war left", "2 left", "ebb left", "4 right", "others left"]
    assert page.evaluate(narrow, 1000)[1:4] == ["sars virus left", "ebb left", "budget right"]


def test_no_cell_of_a_table_is_narrower_than_its_words_on_a_phone(browser, report):
    page = open_report(browser, report, width=390, height=844)
    heads = page.locator("tbody th[scope=row]:not(:has(.long))").all()
    assert heads
    tall = [head.inner_text() for head in heads if head.is_visible() and head.bounding_box()["height"] > 260]
    assert tall == []


@pytest.mark.parametrize("width", [390, 768, 1400])
def test_no_table_is_wider_than_its_place(browser, report, width):
    page = open_report(browser, report, width=width, height=844)
    wide = page.evaluate(
        """() => [...document.querySelectorAll(".scroll")].filter(one => one.scrollWidth > one.clientWidth + 1)
                 .map(one => one.querySelector("caption")?.textContent ?? one.textContent)"""
    )
    assert wide == []


def test_empty_cells_have_no_line_of_their_own_on_a_phone(browser, report):
    page = open_report(browser, report, width=390, height=844)
    page.evaluate("() => document.querySelector('.fast tbody tr').append(document.createElement('td'))")
    assert not page.locator(".fast td:empty").first.is_visible()


def test_it_prints(browser, report):
    page = open_report(browser, report)
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert 5 < printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") + printed.count(b"/Type /Page/") < 40
    assert page.complaints == []


def test_without_scripts_the_sentences_and_tables_are_there(browser, report, findings):
    page = open_report(browser, report, java_script_enabled=False)
    assert page.locator(".headlines li").first.is_visible()
    assert page.locator("#table-words tbody tr:visible").count() == len(findings.changed_words)
    assert page.locator(".label-part:visible").count() == len(findings.labels)
    assert page.locator(".plot:visible").count() == 0
    assert page.locator("#close-up").is_hidden()


def test_nothing_in_a_document_runs_loads_or_breaks_out(browser, tmp_path):
    hostile = hostile_findings(HOSTILE)
    report = write_report(hostile, tmp_path / "hostile.html")
    page = open_report(browser, report)
    for button in page.locator("#table-words tbody tr:visible th button").all()[:15]:
        button.click()
    plot = page.locator(".plot[data-figure=strips]")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    for share in (0.2, 0.4, 0.6, 0.8):  # hovering writes labels too
        page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] * share)
        page.wait_for_timeout(60)
    assert page.complaints == []
    assert addresses(page) == [report.resolve().as_uri()]
    assert page.evaluate("() => window.ran") is None
    assert page.locator("main img, main script, main iframe, main object, svg a").count() == 0
    assert page.locator("body").is_visible()
    shown = page.locator("body").inner_text()
    for text in (
        "<script>window.ran = 1; alert(1)</script>",
        "</style><style>",
        "<b>bold</b><br>&lt;i&gt;",
        "{{ 7 * 7 }}",
    ):
        assert text in shown
    assert "<script>" in plot.text_content()
    assert "\u202e" not in shown
    assert "\u2028" not in shown
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 1280


def test_a_stream_with_nothing_to_say_still_makes_a_page(browser, tmp_path):
    page = open_report(browser, write_report(quiet_findings(), tmp_path / "quiet.html"))
    assert page.complaints == []
    assert "too little text" in page.locator(".headlines").inner_text()


def test_the_policy_stops_what_escaping_did_not(browser, tmp_path):
    """Even if markup got in, it could neither run nor load: put some in by hand and see it refused."""
    report = write_report(quiet_findings(), tmp_path / "broken.html")
    attack = "<script>window.ran = 9</script><img src='https://example.invalid/x.png' onerror='window.ran = 8'>"
    report.write_text(report.read_text(encoding="utf-8").replace("<main", attack + "<main", 1), encoding="utf-8")
    page = open_report(browser, report)
    assert page.evaluate("() => window.ran") is None
    assert len(page.complaints) >= 2
    assert all("Content Security Policy" in complaint for complaint in page.complaints)
    assert [request.failure for request in page.requested[1:]] == ["csp"]
