from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from driftline.analysis.findings.topic_layout import describe_topic_layout
from driftline.report.page import render
from driftline.report.sections.topics import DRAWN, build
from driftline.report.word_book import WordBook
from tests.report.findings_factory import quiet_findings


def test_moving_topics_are_drawn_first_and_all_are_listed(findings):
    content = build(findings, WordBook(findings))
    assert len(content.values["rows"]) == len(findings.topics)
    assert content.values["trends"] == "1 rises, 1 falls and 1 shows no significant trend"
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


def test_groups_of_words_that_are_no_topics_are_not_on_the_map(findings):
    topic = findings.topics[0]
    topics = [dataclasses.replace(topic, name=f"t{i}") for i in range(4)]
    shares, words = np.full(5, 0.2), [f"w{i}" for i in range(5)]
    layout = describe_topic_layout(np.eye(5) + 0.01, shares, words, n_placed=4)
    with_junk = [*topics, dataclasses.replace(topic, name="rest", state="junk")]
    some = dataclasses.replace(findings, topics=with_junk, topic_layout=layout)
    figures = build(some, WordBook(some)).figures
    assert sorted(figures["topic-tree"].figure.layout.yaxis.ticktext) == ["t0", "t1", "t2", "t3"]
    assert list(figures["topic-map"].figure.data[0].hovertext) == ["t0", "t1", "t2", "t3"]
    few = dataclasses.replace(
        some,
        topics=[*topics[:2], *[with_junk[-1]] * 3],
        topic_layout=describe_topic_layout(np.eye(5) + 0.01, shares, words, n_placed=2),
    )
    assert set(build(few, WordBook(few)).figures) == {"topics"}


@pytest.mark.parametrize(
    ("movements", "sentence"),
    [
        (["holds"], "1 topic was found; over the whole span it shows no significant trend."),
        (["holds", "holds"], "2 topics were found; over the whole span all show no significant trend."),
        (["rises", "falls"], "2 topics were found; over the whole span 1 rises and 1 falls."),
        (
            ["rises", "falls", "falls", "holds"],
            "4 topics were found; over the whole span 1 rises, 2 fall and 1 shows no significant trend.",
        ),
    ],
)
def test_only_movements_that_occur_are_counted(findings, movements, sentence):
    topics = [dataclasses.replace(findings.topics[0], movement=movement, bursts=[]) for movement in movements]
    assert sentence in render(dataclasses.replace(findings, topics=topics, topic_layout=None))


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
    assert len(content.figures["topics"].figure.layout.annotations) == len(findings.topics) - 1
    none = dataclasses.replace(findings, topics=[dataclasses.replace(each, state="junk") for each in findings.topics])
    assert not build(none, WordBook(none)).figures
    page = render(none)
    assert f"No topics were found: in each of the {len(findings.topics)} groups" in page
    assert "The intensity of each topic" not in page
