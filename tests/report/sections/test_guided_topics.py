from __future__ import annotations

import dataclasses

from driftline.analysis.findings.guided_topics import GuidedTopic, GuidedTopics, WishOutcome
from driftline.report.page import render
from driftline.report.sections.guided_topics import build
from driftline.report.word_book import WordBook


def guided(findings):
    topic = GuidedTopic("<b>medicine</b>", ["doctor"], 0.1, 0.02, 0.01, 0.03, "rises", findings.volume)
    wishes = [WishOutcome("medicine", True, "seeds", 0.9), WishOutcome("<i>war</i>", False, "seeds", 0.1, ["too rare"])]
    return dataclasses.replace(findings, guided_topics=GuidedTopics(topics=[topic], wishes=wishes, n_topics=20))


def test_topics_of_the_guide_and_wishes_that_were_not_heeded_are_shown(findings):
    with_guide = guided(findings)
    content = build(with_guide, WordBook(with_guide))
    assert list(content.figures) == ["guided"]
    assert [wish.name for wish in content.values["unheeded"]] == ["<i>war</i>"]
    page = render(with_guide)
    assert "&lt;b&gt;medicine&lt;/b&gt;" in page
    assert "<i>war</i>" not in page


def test_without_a_guide_there_is_no_section(findings):
    assert build(findings, WordBook(findings)) is None
