from __future__ import annotations

import dataclasses
import re

from driftline.report.page import render
from driftline.report.sections.explore import build
from driftline.report.word_book import WordBook
from tests.report.explorable_factory import explorable


def test_only_groups_that_exist_can_be_chosen(findings):
    assert build(findings, WordBook(findings)) is None
    whole = dataclasses.replace(findings, explorable=explorable())
    values = build(whole, WordBook(whole)).values
    assert (values["first"], values["last"]) == ("2024-01-01", "2024-05-29")
    assert 'data-group="authors"' in render(whole)
    alone = dataclasses.replace(whole, explorable=dataclasses.replace(whole.explorable, authors=None))
    assert 'data-group="authors"' not in render(alone)


def test_a_small_page_says_what_it_lacks(findings):
    words = [f"word{i:04}" for i in range(4000)]
    whole = dataclasses.replace(findings, explorable=explorable(words))
    assert "To keep this page small" in render(whole, page_bytes=1)
    assert "To keep this page small" not in render(whole, page_bytes=40_000_000)


def test_the_index_is_base64_and_nothing_else(findings):
    html = render(dataclasses.replace(findings, explorable=explorable(["<script>", "</script>", "--><b>"])))
    (words,) = re.findall(r'id="index-words">([^<]*)</script>', html)
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", words)
