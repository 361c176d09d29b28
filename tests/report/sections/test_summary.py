from __future__ import annotations

import dataclasses

from driftline.report.sections.summary import build
from driftline.report.word_book import WordBook


def test_the_drawings_show_every_kind_of_change_first(findings):
    drawn = [each["word"] for each in build(findings, WordBook(findings)).values["drawings"]]
    kinds = {word.pattern for word in findings.changed_words}
    assert len(drawn) == 8
    assert {word.pattern for word in drawn[: len(kinds)]} == kinds
    assert drawn[0] is findings.changed_words[0]


def test_the_truth_is_drawn_where_it_is_known(findings):
    with_truth = build(findings, WordBook(findings)).values["drawings"]
    assert all(each["picture"].truth for each in with_truth)
    without = dataclasses.replace(findings, truth=None)
    assert not any(each["picture"].truth for each in build(without, WordBook(without)).values["drawings"])
