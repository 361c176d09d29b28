from __future__ import annotations

import dataclasses

from driftline.report.page import render
from driftline.report.sections.topics import DRAWN, build
from driftline.report.word_book import WordBook
from tests.report.findings_factory import quiet_findings


def test_moving_topics_are_drawn_first_and_all_are_listed(findings):
    content = build(findings, WordBook(findings))
    assert len(content.values["rows"]) == len(findings.topics)
    assert content.values["counts"] == {"rises": 1, "falls": 1, "holds": 1}
    headings = [heading.text for heading in content.figures["topics"].figure.layout.annotations]
    still = next(topic for topic in findings.topics if topic.movement == "holds")
    assert headings[-1] == ", ".join(still.words[:3])


def test_bursts_lie_over_the_shares_and_are_reported(findings):
    content = build(findings, WordBook(findings))
    figure = content.figures["topics"].figure
    bursting = [topic for topic in findings.topics if topic.bursts]
    assert content.values["n_bursting"] == len(bursting) == 2
    assert len(figure.layout.shapes) == sum(len(topic.bursts) for topic in bursting)
    reported = [trace.text[0] for trace in figure.data if trace.text]
    assert any("2 times the usual rate, at least 90 % certain" in text for text in reported)
    assert any("4 times the usual rate, at least 75 % certain" in text for text in reported)
    row = next(row for row in content.values["rows"] if row["topic"] is bursting[0])
    assert row["burst"].startswith("1 Mar – 1 May 2025: 2 times")


def test_a_bursting_topic_is_drawn_before_one_that_does_nothing(findings):
    quiet = dataclasses.replace(findings.topics[1], bursts=[], movement="holds")
    busy = dataclasses.replace(quiet, words=["busy"], bursts=findings.topics[0].bursts)
    many = dataclasses.replace(findings, topics=[quiet] * 12 + [busy])
    content = build(many, WordBook(many))
    headings = [heading.text for heading in content.figures["topics"].figure.layout.annotations]
    assert headings[0] == "busy"
    assert len(headings) == DRAWN


def test_topics_that_came_and_went_are_reported(findings):
    content = build(findings, WordBook(findings))
    assert [kind for kind, _ in content.values["changes"]] == ["came", "merged"]
    assert content.values["parted"] == "20 June 2025"
    page = render(findings)
    assert "Topics that appeared or disappeared" in page
    none = dataclasses.replace(findings, topic_changes=[])
    assert "Topics that appeared or disappeared" not in render(none)


def test_no_topics_no_section():
    quiet = quiet_findings()
    assert build(quiet, WordBook(quiet)) is None


def test_changes_have_intervals_in_points(findings):
    rows = build(findings, WordBook(findings)).values["rows"]
    assert rows[0]["trend"] == "rises, +10.0 points (+5.0 to +15.0)"
    assert rows[1]["trend"] == "–"
    older = dataclasses.replace(
        findings, topics=[dataclasses.replace(findings.topics[0], trend_lower=0.0, trend_upper=0.0)]
    )
    assert build(older, WordBook(older)).values["rows"][0]["trend"] == "rises (+10.0 points)"


def test_map_tree_and_ranked_words_need_the_layout(findings):
    content = build(findings, WordBook(findings))
    assert set(content.figures) == {"topics", "topic-map", "topic-tree"}
    assert [word[0] for word in content.data["words"][0]] == [w.word for w in findings.topic_layout.words[0]]
    older = dataclasses.replace(findings, topic_layout=None)
    content = build(older, WordBook(older))
    assert set(content.figures) == {"topics"}
    assert content.data is None
    assert 'id="relevance"' not in render(older)


def test_the_rest_comes_last_under_a_heading_of_its_own(findings):
    assert "The rest" not in render(findings)
    junk = [dataclasses.replace(findings.topics[-1], state="junk", share=share) for share in (0.125, 0.25)]
    page = render(dataclasses.replace(findings, topics=[*findings.topics[:-1], *junk], topic_layout=None))
    assert page.count("<b>The rest</b>") == 1
    assert "37.5 %" in page, "the share of all of them"
    assert page.index(findings.topics[0].words[0]) < page.index("<b>The rest</b>")
    assert "2 groups of words that occur together no more often" in page


def test_topics_whose_words_do_not_belong_together_are_neither_drawn_nor_counted(findings):
    junk = dataclasses.replace(findings.topics[0], state="junk")
    some = dataclasses.replace(findings, topics=[*findings.topics[1:], junk], topic_layout=None)
    content = build(some, WordBook(some))
    assert content.values["n_topics"] == len(findings.topics) - 1
    assert sum(content.values["counts"].values()) == len(findings.topics) - 1
    assert len(content.figures["topics"].figure.layout.annotations) == len(findings.topics) - 1
    none = dataclasses.replace(findings, topics=[dataclasses.replace(each, state="junk") for each in findings.topics])
    assert not build(none, WordBook(none)).figures
    page = render(none)
    assert f"No topics were found: in each of the {len(findings.topics)} groups" in page
    assert "The intensity of each topic" not in page
