"""Words, topics, bursts, names and turning points lead to their documents: the links are followed in a real browser."""

from __future__ import annotations

import dataclasses
import math
from urllib.parse import parse_qs

import numpy as np
import pytest

from driftline import analyse, read
from driftline.analysis.findings.explorable import Groups
from driftline.report import write_report
from tests.report.browser import open_report
from tests.report.explorable_factory import explorable

pytestmark = pytest.mark.browser
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

LINKS = {
    "topic": "#topics a[href^='#explore?']",
    "burst": "#bursts a[href^='#explore?']",
    "turning point": "#turning-points a[href^='#explore?']",
    "name": "#names a[href^='#explore?']",
}
"""Where the links are, by what they belong to."""


def searchable(findings):
    """Return findings with documents in which the words and labels of their topics, bursts and names occur."""
    named = [topic.words for topic in findings.topics]
    named += [[burst.word for burst in findings.bursts], [changed.word for changed in findings.changed_words]]
    named += [[point.name for point in findings.turning_points if point.of == "word"]]
    named += [one.text.lower().split() for one in findings.names.changed]
    data = explorable(list(dict.fromkeys(word for words in named for word in words)))
    later = (np.datetime64(findings.volume.times[0], "D") - data.times[0].astype("datetime64[D]")).astype(int)
    labels = tuple(each.label for each in findings.intensities)
    moved = dataclasses.replace(
        data,
        times=data.times + later * np.timedelta64(86_400, "s"),
        unit_times=data.unit_times + later,
        when=data.when + later,
        labels=Groups(np.arange(len(data.times)) % len(labels), labels),
    )
    return dataclasses.replace(findings, explorable=moved)


@pytest.fixture(scope="module")
def opened(browser, findings, tmp_path_factory):
    made = searchable(findings)
    page = open_report(browser, write_report(made, tmp_path_factory.mktemp("links") / "report.html"))
    yield page, made.explorable
    assert page.complaints == []


def expected(data, address):
    """Return the ids of the documents that an address lists, found in the findings without the page."""
    given = parse_qs(address.removeprefix("#explore?"))
    days = data.times.astype("datetime64[D]")
    taken = np.ones(len(days), dtype=bool)
    if "from" in given:
        taken &= days >= np.datetime64(given["from"][0])
    if "to" in given:
        taken &= days <= np.datetime64(given["to"][0])
    if "label" in given:
        taken &= data.labels.codes == data.labels.names.index(given["label"][0])
    words = given.get("w", [])
    columns = [data.words.index(word) for word in words if word in data.words]
    scores = np.zeros(len(days))
    for column in columns:
        items = data.items.indices[data.items.indptr[column] : data.items.indptr[column + 1]]
        scores[np.unique(data.document[items])] += math.log(1 + data.items.shape[0] / len(items))
    rows = np.flatnonzero(taken & ((scores > 0) if words else True))
    if given.get("order") == ["best"]:
        rows = rows[np.lexsort((rows, -scores[rows].round(9)))]
    return [data.ids[int(row)].as_py() for row in rows]


def follow(page, link):
    link.scroll_into_view_if_needed()
    link.click()
    page.wait_for_function(
        "() => document.getElementById('explore').dataset.shown === location.hash && location.hash !== ''"
    )
    expect(page.locator("#explore")).to_be_in_viewport()
    return page.evaluate("() => location.hash")


def check_listed(page, data, address):
    """Check that the documents of an address are listed, and return their number."""
    wanted = expected(data, address)
    assert page.locator("#explore-documents .document-id").all_inner_texts() == wanted[:20]
    expect(page.locator("#explore-documents-count")).to_contain_text(f"{len(wanted):,} " if wanted else "match.")
    return len(wanted)


def follow_all(page, data, most):
    """Follow the first links of every kind, and return how many documents each of them lists."""
    found = {}
    for kind, selector in LINKS.items():
        links = page.locator(selector)
        followed = range(min(most, links.count()))
        found[kind] = [check_listed(page, data, follow(page, links.nth(i))) for i in followed]
    return found


def test_links_of_topics_bursts_turning_points_and_names_list_their_documents(opened):
    found = follow_all(*opened, most=4)
    assert all(any(documents) for documents in found.values()), found


def test_a_changed_word_leads_to_all_its_documents(opened):
    page, data = opened
    page.locator("#table-words button.word").first.click()
    word = page.locator("#close-up-word").inner_text()
    address = follow(page, page.locator("#close-up-explore"))
    assert parse_qs(address.removeprefix("#explore?"))["w"] == [word]
    check_listed(page, data, address)
    assert page.locator("#explore-documents mark").first.inner_text().lower() == word


def test_documents_can_be_put_into_another_order(opened):
    page, data = opened
    address = follow(page, page.locator(LINKS["topic"]).first)
    assert address.endswith("&order=best")
    page.locator('select[data-state="order"]').select_option("")
    page.wait_for_function("() => document.getElementById('explore').dataset.shown === location.hash")
    in_time = page.evaluate("() => location.hash")
    assert "order" not in in_time
    check_listed(page, data, in_time)
    assert expected(data, in_time) != expected(data, address)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["tweets_2015_2017", "abc_headlines_2003"])
def test_links_of_a_real_stream_list_their_documents(browser, real_data, tmp_path, name):
    findings = analyse(read(real_data(name)))
    page = open_report(browser, write_report(findings, tmp_path / "report.html"))
    found = follow_all(page, findings.explorable, most=30)
    assert min(len(found["topic"]), len(found["burst"])) > 0
    assert all(all(documents) for documents in found.values()), found
    assert page.complaints == []
