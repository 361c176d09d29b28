from __future__ import annotations

import dataclasses

import pytest

from driftline.analysis.findings.headlines import Composition, RatioWithin, Story, WordChange
from driftline.report.date_formats import Resolution
from driftline.report.story_sentences import Setting, change_sentence, composition_sentence, story_sentence, window

WAR = WordChange(
    "war", "lasting", "more", 5.4, 4.1, 7.2, "2003-03-14T00:00:00Z", "2003-04-03T23:00:00Z", False, False, 296, 491
)
HERE = Setting("headlines", Resolution("day", False))


def test_an_event_has_its_days_and_its_documents():
    event = dataclasses.replace(
        WAR, word="anzac", kind="event", start="2003-04-24T00:00:00Z", end="2003-04-25T00:00:00Z"
    )
    assert story_sentence(Story(event), HERE) == "“anzac”: an event of 24–25 April (296 of its 491 headlines)."
    alone = dataclasses.replace(event, n_inside=491, start=event.end)
    assert story_sentence(Story(alone), HERE) == "“anzac”: an event of 25 April (all 491 headlines)."


def test_a_word_that_became_rarer():
    assert change_sentence(dataclasses.replace(WAR, direction="less"), HERE) == (
        "“war”: 5.4 times (4.1–7.2) rarer from 14 March to 3 April than in the rest."
    )


@pytest.mark.parametrize(
    ("edges", "said"),
    [
        ((True, False), "until 3 April as afterwards."),
        ((False, True), "since 14 March as before."),
        ((False, False), "from 14 March to 3 April as in the rest."),
    ],
)
def test_windows_at_the_edges(edges, said):
    change = dataclasses.replace(WAR, from_start=edges[0], to_end=edges[1])
    assert change_sentence(change, HERE).endswith(said)


def test_dates_are_no_more_exact_than_the_stream_is_long():
    assert window(WAR, Resolution("month", True)) == "from March to April 2003"
    short = dataclasses.replace(WAR, start="2003-04-01T00:00:00Z")
    assert window(short, Resolution("day", True)) == "from 1 to 3 April 2003"
    assert window(WAR, Resolution("year", True)) == "in 2003"
    assert window(dataclasses.replace(WAR, end=WAR.start), Resolution("day", True)) == "on 14 March 2003"


@pytest.mark.parametrize("lower", [36.0, 300.0])
def test_no_absurd_ratio(lower):
    huge = dataclasses.replace(WAR, ratio=2013.7, lower=lower, upper=11390.0)
    said = change_sentence(huge, HERE)
    assert "more than 100 times" in said
    assert "2013" not in said
    assert "11" not in said


def test_composition_says_who_wrote():
    found = Composition(["nhs", "gp"], WAR, RatioWithin(1.4, 0.9, 2.1), "account", "bbchealth", 0.14, 0.02, 0.7)
    said = composition_sentence(found, Setting("posts", Resolution("month", True)))
    assert said == (
        "“war” (with “gp”): in 5.4 times (4.1–7.2) as many posts from March to April 2003, but only 1.4 times "
        "(0.9–2.1) within each account; “bbchealth” made up 14\xa0% of the posts then, 2\xa0% otherwise."
    )
    turned = dataclasses.replace(found, within=RatioWithin(0.52, 0.4, 0.8))
    assert "but not within each account (0.5 times, 0.4–0.8);" in composition_sentence(turned, HERE)
    new = dataclasses.replace(found, within=None, share_of_word=1.0)
    assert "came and went with “bbchealth”" in composition_sentence(new, HERE)
    assert "all of it in “bbchealth”" in composition_sentence(new, HERE)
    one = dataclasses.replace(found, one_author=True)
    assert composition_sentence(one, HERE).endswith("; 70\xa0% of those with it are from “bbchealth”.")
