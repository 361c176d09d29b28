from __future__ import annotations

import dataclasses

import numpy as np

from driftline.analysis.findings.headlines import Headlines
from driftline.report.sections.summary import build
from driftline.report.word_book import WordBook


def test_the_drawings_are_those_of_the_stories(findings):
    content = build(findings, WordBook(findings)).values
    assert [each["word"].word for each in content["drawings"]] == [story.change.word for story in findings.stories]
    assert content["n_more"] == 20 - 12


def test_a_doubt_that_several_stories_share_is_a_heading(findings):
    def doubted(n):
        stories = [
            dataclasses.replace(story, change=dataclasses.replace(story.change, kind="lasting", with_groups="author"))
            for story in findings.stories[:n]
        ]
        headlines = dataclasses.replace(findings.headlines, stories=[*findings.stories[n:], *stories])
        changed = dataclasses.replace(findings, headlines=headlines)
        return build(changed, WordBook(changed)).values

    two = doubted(2)
    assert two["doubted_group"] == "author"
    assert len(two["doubted"]) == 2
    assert not any("perhaps" in sentence for sentence in [*two["doubted"], *two["stories"]])
    one = doubted(1)
    assert not one["doubted"]
    assert sum("perhaps only because authors" in sentence for sentence in one["stories"]) == 1
    assert len(one["stories"]) == len(two["stories"]) + 2


def test_without_a_story_the_first_words_are_drawn(findings):
    quiet = dataclasses.replace(findings, headlines=Headlines())
    content = build(quiet, WordBook(quiet)).values
    assert [each["word"] for each in content["drawings"]] == findings.changed_words[:8]
    assert not content["has_ratios"]


def test_the_truth_is_drawn_where_it_is_known(findings):
    with_truth = build(findings, WordBook(findings)).values["drawings"]
    assert all(each["picture"].truth for each in with_truth)
    without = dataclasses.replace(findings, truth=None)
    assert not any(each["picture"].truth for each in build(without, WordBook(without)).values["drawings"])


def test_the_period_of_the_sentence_is_marked_even_where_no_curve_is_drawn(findings):
    story = findings.stories[0]
    word = next(word for word in findings.changed_words if word.word == story.change.word)
    first, last = word.curve.times[[0, -1]]
    begins, day = first.astype("datetime64[D]"), np.timedelta64(1, "D")

    def mark(start, end):
        ends = {"start": f"{start}T09:00:00Z", "end": f"{end}T15:00:00Z"}
        changed = dataclasses.replace(story, change=dataclasses.replace(story.change, **ends))
        headlines = dataclasses.replace(findings.headlines, stories=[changed])
        found = dataclasses.replace(findings, headlines=headlines)
        content = build(found, WordBook(found)).values
        return content["drawings"][0]["mark"], content["has_marks"]

    def place(time):
        return (time - first) / (last - first) * 240

    (left, width), _ = mark(begins + 40 * day, begins + 99 * day)
    assert abs(float(left) - place(begins + 40 * day)) < 0.1
    assert abs(float(width) - 60 * day / (last - first) * 240) < 0.1  # from the first to the end of the last day
    assert mark(begins - 30 * day, begins + 30 * day)[0][0] == "0.0"
    assert mark(last.astype("datetime64[D]"), last.astype("datetime64[D]")) == (("237.0", "3.0"), True)
    assert mark(last.astype("datetime64[D]") + 2 * day, last.astype("datetime64[D]") + 3 * day) == (None, False)
