"""Words looked up and sets compared in a real browser, with the results of the estimators in Python."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from datetime import datetime

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from driftline.analysis.findings.cycles import curves_without_cycles
from driftline.analysis.serialise import from_json
from driftline.core.times import TimeAxis
from driftline.local import compare_sets
from driftline.report import write_report
from driftline.report.date_formats import clock
from driftline.streams.unit_counts import UnitCounts, rows_with_word
from driftline.streams.units import Units
from tests.report.browser import open_report
from tests.report.explorable_factory import explorable

pytestmark = pytest.mark.browser
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

CURVE = """async ([number, label]) => {
  const index = await driftline.words();
  const mask = driftline.maskOf(index, { label });
  const curve = driftline.wordCurve(index, number, mask, driftline.windowsOf(index, mask));
  const plain = (values) => values.map((v) => (Number.isNaN(v) ? null : v));
  return [...["value", "lower", "upper"].map((part) => plain(curve[part])), curve.bandwidth];
}"""
COMPARED = """async ([a, b]) => {
  const index = await driftline.words();
  const side = Uint8Array.from(index.document, (row) => (a.includes(row) ? 1 : b.includes(row) ? 2 : 0));
  const found = driftline.compareSets(index, side);
  const finite = (v) => (v === Infinity ? 1e300 : v);
  const row = (w) => [w.number, w.ratio, ...driftline.intervalOf(w, found), w.p, w.q].map(finite);
  return [found.smallest, found.units, found.words.map(row)];
}"""


@pytest.fixture(scope="module")
def whole(findings):
    return dataclasses.replace(findings, explorable=explorable())


@pytest.fixture(scope="module")
def page_file(whole, tmp_path_factory):
    return write_report(whole, tmp_path_factory.mktemp("explore") / "report.html")


@pytest.fixture(scope="module")
def page(browser, page_file):
    opened = open_report(browser, page_file)
    yield opened
    assert opened.complaints == []
    assert [request.url for request in opened.requested if not request.url.startswith(("blob:", "data:"))] == [
        page_file.resolve().as_uri()
    ]


def go(page, fragment):
    page.evaluate("(hash) => { location.hash = hash; }", fragment)
    shown(page)


def shown(page):
    page.wait_for_function(
        "() => document.getElementById('explore').dataset.shown === location.hash && location.hash !== ''"
    )


def python_curve(data, number, label=-1):
    rows = np.ones(len(data.times), dtype=bool) if label < 0 else data.labels.codes == label
    counts, totals = rows_with_word(sp.csr_array(data.items)[rows], data.unit[rows], len(data.unit_times))
    kept = totals > 0
    axis = TimeAxis("datetime")
    counted = UnitCounts(data.unit_times[kept], sp.csc_array(counts.tocsr()[kept]), totals[kept], "day", axis)
    width = "auto" if data.bandwidth is None else data.bandwidth
    found = curves_without_cycles(
        counted.words(np.array([number])),
        np.array([number]),
        axis.restore(data.when),
        bandwidth=width,
        cycles=data.cycles,
        events=np.isin([number], data.events),
    )
    return found.curve.value[0], found.curve.lower[0], found.curve.upper[0], found.bandwidth[0]


def matches(got, wanted):
    for part, known in zip(got[:3], wanted[:3]):
        np.testing.assert_allclose([np.nan if v is None else v for v in part], known, atol=1e-9, rtol=1e-6)
    assert got[3] == pytest.approx(wanted[3], rel=1e-9)


@pytest.mark.parametrize("label", [-1, 1])
@pytest.mark.parametrize("number", [0, 1, 2, 5, 11, 23])
def test_curves_are_those_of_python(page, whole, number, label):
    matches(page.evaluate(CURVE, [number, label]), python_curve(whole.explorable, number, label))


def test_a_given_bandwidth_is_used(browser, whole, tmp_path):
    data = explorable(bandwidth=9.0)
    page = open_report(browser, write_report(dataclasses.replace(whole, explorable=data), tmp_path / "given.html"))
    for number in (0, 1, 7):
        matches(page.evaluate(CURVE, [number, -1]), python_curve(data, number))


@pytest.mark.parametrize(
    ("bandwidth", "said"), [(9.0, "9 days"), (1.0, "1 day"), (0.25, "6 hours"), (0.01, "14.4 min")]
)
def test_widths_are_in_readable_units(browser, whole, tmp_path, bandwidth, said):
    data = explorable(bandwidth=bandwidth)
    page = open_report(browser, write_report(dataclasses.replace(whole, explorable=data), tmp_path / "widths.html"))
    go(page, "#explore?w=word03")
    expect(page.locator("#explore-facts")).to_contain_text(f"averaged over {said}")
    page.context.close()


@pytest.mark.parametrize("kind", ["periods", "labels", "sources", "few days", "fewer days", "one day"])
def test_comparisons_are_those_of_python(page, whole, kind):
    data = whole.explorable
    day = data.unit
    if kind == "periods":
        in_a, in_b = day >= 70, day < 60
    elif kind == "labels":
        in_a, in_b = data.labels.codes == 0, data.labels.codes == 1
    elif kind == "sources":
        in_a, in_b = data.sources.codes == 0, data.sources.codes == 1
    else:
        in_a, in_b = (
            day < {"few days": 4, "fewer days": 2, "one day": 1}[kind],
            day >= (87 if kind == "fewer days" else 50),
        )
    smallest, n_units, got = page.evaluate(COMPARED, [np.flatnonzero(in_a).tolist(), np.flatnonzero(in_b).tolist()])
    units = Units(data.exchanged, data.unit_times, "day")
    found = compare_sets(sp.csr_array(data.items), in_a, in_b, times=data.times, unit=units)
    assert n_units == [found.units_a, found.units_b]
    assert smallest == pytest.approx(found.smallest_p, rel=1e-9, abs=1e-300)
    wanted = np.column_stack([found.columns, found.ratio, found.lower, found.upper, found.p_value, found.q_value])
    np.testing.assert_allclose(got, np.minimum(wanted, 1e300), rtol=1e-6, atol=1e-12)


def test_a_word_is_found_drawn_and_listed_with_all_its_documents(page, whole):
    go(page, "#explore")
    page.locator("#explore-search").fill("ord05")
    expect(page.locator("#explore-suggestions button").first).to_contain_text("word05")
    page.locator("#explore-search").press("Enter")
    shown(page)
    assert page.evaluate("() => location.hash") == "#explore?w=word05"
    number = whole.explorable.words.index("word05")
    n = int(np.diff(whole.explorable.items.indptr)[number])
    expect(page.locator("#explore-documents-count")).to_contain_text(f"{n} ")
    seen = []
    for _ in range(-(-n // 20)):
        seen += page.locator("#explore-documents .document-id").all_inner_texts()
        later = page.locator("#explore-pager").get_by_role("button", name="Later")
        if later.count():
            later.click()
            shown(page)
    rows = whole.explorable.items.indices[
        whole.explorable.items.indptr[number] : whole.explorable.items.indptr[number + 1]
    ]
    assert seen == [f"id{row}" for row in rows]
    assert page.locator("#explore-documents mark").first.inner_text() == "word05"
    assert page.locator("#explore-plot .scatterlayer .trace").count() == 2


def test_up_to_five_words_are_compared_and_can_be_removed(page):
    go(page, "#explore?" + "&".join(f"w=word0{i}" for i in range(7)))
    assert page.locator("#explore-chosen li").count() == 5
    assert page.locator("#explore-plot .legendtext").count() == 5
    page.get_by_role("button", name="Remove word01").click()
    shown(page)
    assert page.locator("#explore-chosen li").count() == 4


def test_the_search_box_says_how_many_words_match(page):
    go(page, "#explore")
    box, found = page.locator("#explore-search"), page.locator("#explore-found")
    box.fill("WORD0")
    expect(found).to_have_text("10 words match")
    box.fill("word")
    expect(found).to_have_text("24 words match; 12 are listed")
    box.fill("word05")
    expect(found).to_have_text("1 word matches")
    box.fill("elsewhere")
    expect(found).to_have_text("No counted word matches.")
    box.press("Escape")
    expect(found).to_be_empty()


def test_words_are_found_however_their_accents_are_typed(browser, whole, tmp_path):
    data = explorable(["caf\u00e9", "tea", "milk"])
    page = open_report(browser, write_report(dataclasses.replace(whole, explorable=data), tmp_path / "accents.html"))
    go(page, "#explore")
    page.locator("#explore-search").fill("cafe\u0301")
    expect(page.locator("#explore-found")).to_have_text("1 word matches")
    page.context.close()


def test_a_sixth_word_replaces_the_first_and_says_so(page):
    go(page, "#explore?" + "&".join(f"w=word0{i}" for i in range(5)))
    page.locator("#explore-search").fill("word07")
    page.locator("#explore-search").press("Enter")
    shown(page)
    expect(page.locator("#explore-found")).to_have_text("At most 5 words are compared: “word00” was removed.")
    assert page.locator("#explore-chosen li").count() == 5


def test_what_is_left_out_of_the_page_is_said_where_words_are_looked_up(browser, whole, tmp_path, monkeypatch):
    monkeypatch.setattr("driftline.report.page.LEAST_BYTES", 4000)
    small = write_report(whole, tmp_path / "small.html", page_size=1e-6)
    page = open_report(browser, small)
    go(page, "#explore")
    expect(page.locator("#explore-status")).to_contain_text("--page-size includes more")
    page.locator("#explore-search").fill("elsewhere")
    expect(page.locator("#explore-found")).to_have_text("No word in this page matches; some are left out of it.")
    page.context.close()


def test_back_goes_back_and_a_link_leads_there(page, browser, page_file):
    go(page, "#explore?w=word03")
    go(page, "#explore?w=word04&label=politics")
    page.go_back()
    shown(page)
    assert page.locator("#explore-chosen").inner_text().split() == ["word03", "×"]
    page.go_forward()
    shown(page)
    assert page.locator('select[data-state="label"]').input_value() == "politics"
    link = page.evaluate("() => location.href")
    other = browser.new_context().new_page()
    other.goto(link)
    shown(other)
    assert other.locator("#explore-chosen").inner_text().split() == ["word04", "×"]
    expect(other.locator("#explore")).to_be_in_viewport()
    other.close()


def test_the_link_can_be_copied(page):
    go(page, "#explore?w=word03")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#explore-copy").click()
    expect(page.locator("#explore-copied")).not_to_be_empty()
    copied = page.locator("#explore-copied").inner_text()
    link = (
        page.evaluate("() => navigator.clipboard.readText()")
        if copied == "Copied."
        else page.locator("#explore-link").input_value()
    )
    assert link.endswith("#explore?w=word03")


def test_documents_are_filtered_by_label_author_and_date(page, whole):
    data = whole.explorable
    go(page, "#explore")
    page.locator('select[data-state="label"]').select_option("politics")
    shown(page)
    page.locator('select[data-state="author"]').select_option("bob")
    shown(page)
    page.locator('input[data-state="from"]').fill("2024-01-10")
    page.locator('input[data-state="from"]').dispatch_event("change")
    shown(page)
    page.locator('input[data-state="to"]').fill("2024-02-10")
    page.locator('input[data-state="to"]').dispatch_event("change")
    shown(page)
    days = data.times.astype("datetime64[D]")
    inside = (days >= np.datetime64("2024-01-10")) & (days <= np.datetime64("2024-02-10"))
    n = int(((data.labels.codes == 1) & (data.authors.codes == 1) & inside).sum())
    expect(page.locator("#explore-documents-count")).to_contain_text(f"{n} ")
    assert set(page.locator("#explore-documents .label").all_inner_texts()) == {"politics"}


def test_tabs_answer_the_keyboard(page):
    go(page, "#explore?w=word03")
    page.locator("#tab-words").focus()
    page.keyboard.press("ArrowRight")
    shown(page)
    assert page.locator("#explore-compare").is_visible()
    assert page.locator("#explore-words").is_hidden()
    assert page.locator("#tab-compare").get_attribute("aria-selected") == "true"
    expect(page.locator("#compare-summary")).to_contain_text(
        "Choose A: drag over the time axis, or pick dates, a label, an author or a source."
    )


def test_two_periods_are_compared(page):
    go(page, "#explore?tab=compare&a.from=2024-04-10&b.to=2024-02-29")
    expect(page.locator("#compare-summary")).to_contain_text("; days are the independent units")
    assert page.locator("#compare-more-a tbody tr th").first.inner_text() == "word00"
    page.locator("#compare-more-a tbody button").first.click()
    shown(page)
    expect(page.locator("#explore-documents-count")).to_contain_text("with “word00”")
    assert page.locator("#compare-plot .scatterlayer .trace").count() >= 2


def test_numbers_come_last_among_the_words_that_differ(browser, whole, tmp_path):
    data = explorable(["2003", "word01", "word02", "word03"])
    items = data.items.toarray()
    items[:, 3] = items[:, 0] * (np.arange(len(items)) % 4 > 0)  # less certain
    data = dataclasses.replace(data, items=sp.csc_array(items))
    page = open_report(browser, write_report(dataclasses.replace(whole, explorable=data), tmp_path / "numbers.html"))
    go(page, "#explore?tab=compare&a.from=2024-04-10&b.to=2024-02-29")
    expect(page.locator("#compare-summary")).to_contain_text("differ")
    assert page.locator("#compare-more-a tbody tr th").all_inner_texts() == ["word03", "2003"]


def test_two_sources_are_compared(page, whole):
    data = whole.explorable
    go(page, "#explore?tab=compare")
    page.locator('select[data-state="a.source"]').select_option("mail & news.csv")
    shown(page)
    page.locator('select[data-state="b.source"]').select_option("a/<b>")
    shown(page)
    in_a, in_b = data.sources.codes == 1, data.sources.codes == 0
    expect(page.locator("#compare-summary")).to_contain_text(f"A has {in_a.sum()} headlines, B has {in_b.sum()}.")
    found = compare_sets(
        sp.csr_array(data.items), in_a, in_b, times=data.times, unit=Units(data.exchanged, data.unit_times, "day")
    )
    differing = [
        data.words[c] for c, ratio, q in zip(found.columns, found.ratio, found.q_value) if q <= 0.05 and ratio > 1
    ]
    assert differing == ["word00"]
    assert page.locator("#compare-more-a tbody tr th").all_inner_texts() == differing
    link = page.evaluate("() => location.hash")
    go(page, "#explore")
    go(page, link)
    assert page.locator('select[data-state="b.source"]').input_value() == "a/<b>"


def test_documents_are_filtered_by_source(page, whole):
    codes = whole.explorable.sources.codes
    go(page, "#explore?source=a%2F%3Cb%3E")
    expect(page.locator("#explore-documents-count")).to_contain_text(f"{int((codes == 0).sum())} ")
    go(page, "#explore?source=unknown")
    expect(page.locator("#explore-documents-count")).to_contain_text("No headlines match")


def test_days_that_are_merged_are_not_called_days(browser, whole, tmp_path):
    data = explorable()
    data = dataclasses.replace(data, exchanged=data.exchanged // 2)
    page = open_report(browser, write_report(dataclasses.replace(whole, explorable=data), tmp_path / "merged.html"))
    go(page, "#explore?tab=compare&a.from=2024-04-10&b.to=2024-02-29")
    said = page.locator("#compare-summary")
    expect(said).to_contain_text("; days, several together where they have few headlines, are the independent units")
    page.context.close()


def test_a_point_shows_an_example_of_each_set(page):
    go(page, "#explore?tab=compare&a.from=2024-04-10&b.to=2024-02-29")
    page.locator("#compare-plot").scroll_into_view_if_needed()
    box = page.locator("#compare-plot .scatterlayer .points path").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    hovered = page.locator("#compare-hovered .document")
    expect(hovered).to_have_count(2)
    days = [hovered.nth(i).locator("time").inner_text() for i in (0, 1)]
    in_a, in_b = (datetime.strptime(day, "%d %b %Y" if "," not in day else "%d %b %Y, %H:%M") for day in days)
    assert in_a >= datetime(2024, 4, 10)
    assert in_b < datetime(2024, 3, 1)


def test_documents_are_dated_as_in_the_rest_of_the_page(page, whole):
    go(page, "#explore?tab=words")
    shown = page.locator("#explore-documents time").first
    expect(shown).to_have_text(clock(f"{whole.explorable.times.min().astype('datetime64[s]')}Z"))
    assert not re.search(r"\d{4}-\d\d-\d\d", page.locator("#explore").inner_text())


def test_a_period_is_chosen_by_dragging(page):
    go(page, "#explore?tab=compare")
    page.locator("#compare-axis").scroll_into_view_if_needed()
    page.locator("input[name=brush][value=b]").check()
    area = page.locator("#compare-axis .nsewdrag").first.bounding_box()
    page.mouse.move(area["x"] + area["width"] * 0.1, area["y"] + area["height"] / 2)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.3, area["y"] + area["height"] / 2, steps=5)
    page.mouse.up()
    page.wait_for_function("() => location.hash.includes('b.from=2024-01')")
    shown(page)
    assert "b.to=2024-02" in page.evaluate("() => location.hash")
    page.locator("input[name=brush][value=a]").check()


def test_an_empty_set_is_reported(page):
    go(page, "#explore?tab=compare&a.from=2031-01-01")
    expect(page.locator("#compare-summary")).to_have_text("Set A has no documents.")
    assert page.locator("#compare-result").is_hidden()


@pytest.mark.parametrize(
    "fragment",
    [
        "#explore?w=nosuchword",
        "#explore?from=rubbish&page=-4",
        "#explore?label=none&a.label=x&tab=compare",
        "#explore?w=%00%ff",
    ],
)
def test_a_link_with_anything_in_it_is_harmless(page, fragment):
    go(page, fragment)
    assert page.complaints == []


def saved(page, click):
    with page.expect_download() as waiting:
        click()
    path = waiting.value.path()
    return waiting.value.suggested_filename, path.read_bytes()


def test_every_figure_can_be_saved(page):
    go(page, "#explore?w=word00&w=word03")
    tools = page.locator("#explore-plot + .tools")
    name, picture = saved(page, tools.get_by_text("PNG").click)
    assert (name, picture[:8]) == ("words.png", b"\x89PNG\r\n\x1a\n")
    name, picture = saved(page, tools.get_by_text("SVG").click)
    assert name == "words.svg"
    assert picture.startswith(b"<svg")
    name, table = saved(page, tools.get_by_text("CSV").click)
    rows = table.decode().split("\r\n")
    assert rows[0] == "series,x,y,lower,upper,text"
    assert {row.split(",")[0] for row in rows[1:-1]} == {"word00", "word03"}
    lower, value, upper = (float(rows[1].split(",")[place]) for place in (3, 2, 4))
    assert lower <= value <= upper
    for plot in page.locator(".plot[data-figure]").all():
        assert plot.evaluate("(place) => place.nextElementSibling.matches('.tools')")
        assert plot.evaluate("(place) => driftline.rowsOf(place).length") > 1


def test_cells_of_a_table_are_not_formulas(page):
    rows = [["=1+1", "-5", "-x", '"q", r', "'=a", "＠b", None, -1.5]]
    assert page.evaluate("(rows) => driftline.csv(rows)", rows) == '\'=1+1,-5,\'-x,"""q"", r",\'\'=a,\'＠b,,-1.5\r\n'


def test_the_findings_can_be_saved(page, whole):
    files = dict(saved(page, button.click) for button in page.locator(".files button").all())
    assert set(files) == {"findings.json", "words.parquet", "curves.parquet"}
    assert from_json(files["findings.json"].decode()) == whole
    assert json.loads(files["findings.json"])["title"] == whole.title
    assert pq.read_table(io.BytesIO(files["words.parquet"])).num_rows > len(whole.changed_words)


def test_a_word_close_up_leads_to_its_documents(page, whole):
    page.locator("#table-words tbody th button").first.click()
    word = page.locator("#close-up-word").inner_text()
    assert page.locator("#close-up-explore").get_attribute("href") == f"#explore?w={word}"


def test_dark_figures_are_light_on_paper(browser, page_file):
    page = open_report(browser, page_file, color_scheme="dark")
    line = ".plot[data-figure=volume] .scatterlayer .js-line"
    dark = page.locator(line).first.evaluate("(path) => path.style.stroke")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function(f"() => document.querySelector('{line}').style.stroke !== {json.dumps(dark)}")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(20, 25, 31)"
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    page.wait_for_function(f"() => document.querySelector('{line}').style.stroke === {json.dumps(dark)}")
    assert page.complaints == []
