"""The words of topics ranked by relevance, in a real browser."""

from __future__ import annotations

import pytest

from tests.report.browser import open_report

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(browser, report):
    opened = open_report(browser, report)
    yield opened
    assert opened.complaints == []


def shown(page, topic):
    return page.locator(f'[data-topic-words="{topic}"]').inner_text().split(", ")


@pytest.mark.parametrize("relevance", [0.0, 0.4, 1.0])
def test_words_are_ranked_by_relevance(page, findings, relevance):
    page.locator("#relevance").fill(f"{relevance:g}")
    assert page.locator("#relevance-value").inner_text() == f"{relevance:.1f}"
    for topic, words in enumerate(findings.topic_layout.words):
        ranked = sorted(words, key=lambda each: -(relevance * each.log_share + (1 - relevance) * each.log_lift))
        assert shown(page, topic) == [each.word for each in ranked[:8]]


def test_a_ranked_word_opens_close_up(page, findings):
    page.locator("#relevance").fill("0.2")
    button = page.locator('[data-topic-words="1"] button').first
    word = button.inner_text()
    button.click()
    assert page.locator("#close-up-word").inner_text() == word
