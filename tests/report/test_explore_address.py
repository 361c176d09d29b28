from __future__ import annotations

import dataclasses
from urllib.parse import parse_qsl

from driftline.report.explore_address import MOST_WORDS, can_explore, explore_address
from driftline.report.page import render


def test_words_and_days_survive_the_address():
    words = ['"><script>', "größe", "a b", "100%", "\ud800"]
    address = explore_address(words, "2003-03-20T12:00:00", "2003-04-02T00:00:00")
    assert address.isascii()
    assert not set(address) & set('"<> ')
    given = parse_qsl(address.removeprefix("#explore?"))
    assert [value for name, value in given if name == "w"][:4] == words[:4]
    assert dict(given)["from"] == "2003-03-20"
    assert explore_address(["word"] * 9).count("w=") == MOST_WORDS


def test_bursts_and_topics_link_to_the_search_of_the_page(findings):
    page = render(findings)
    wanted = can_explore(findings)
    assert ('href="#explore?w=' in page) == wanted
    bare = dataclasses.replace(findings, explorable=None)
    assert not can_explore(bare)
    assert 'href="#explore?w=' not in render(bare)
