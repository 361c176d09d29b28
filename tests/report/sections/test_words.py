from __future__ import annotations

import dataclasses

from driftline.analysis.findings.word_tests import WordTests
from driftline.analysis.shown_curves import no_curve
from driftline.report.sections.words import build, lasts
from driftline.report.word_book import WordBook


def test_a_strip_can_be_traced_to_its_word(findings):
    book = WordBook(findings)
    content = build(findings, book)
    strips = content.figures["strips"].figure
    pages = book.data()["words"]
    for row, name in enumerate(strips.data[0].y):
        place = int(strips.data[0].customdata[row, 0, 1])
        assert pages[strips.layout.meta[place]]["word"] == name


def test_the_close_up_has_all_its_traces_to_be_filled(findings):
    band, line, truth = build(findings, WordBook(findings)).figures["close-up"].figure.data
    assert band.fill == "toself"
    assert band.showlegend is False
    assert line.customdata is not None
    assert truth.line.dash == "dash"


def test_words_without_a_curve_are_not_drawn(findings):
    bare = dataclasses.replace(findings.changed_words[0], curve=no_curve())
    some = dataclasses.replace(findings, changed_words=[bare, *findings.changed_words[1:3]])
    assert [row["word"].word for row in build(some, WordBook(some)).values["rows"]] == [
        word.word for word in findings.changed_words[1:3]
    ]
    none = dataclasses.replace(findings, changed_words=[bare])
    assert build(none, WordBook(none)).figures == {}


def test_the_table_gives_ratios_and_windows(findings):
    first, bare = findings.changed_words[0], dataclasses.replace(findings.changed_words[1], change=None)
    rarer = dataclasses.replace(first, change=dataclasses.replace(first.change, direction="less"))
    some = dataclasses.replace(findings, changed_words=[first, rarer, bare])
    rows = build(some, WordBook(some)).values["rows"]
    assert [row["times"] for row in rows] == ["5.4 (4.1–7.2)", "÷\xa05.4 (4.1–7.2)", ""]
    assert rows[0]["order"] == 4.1


def test_the_table_says_whether_a_change_lasts(findings):
    word = dataclasses.replace(findings.changed_words[0], kind="lasting", longer_than_a_week=True)
    event = dataclasses.replace(word, kind="event", longer_than_a_week=False)
    many, few = WordTests("day", 90, True, 1, 1, 1), WordTests("day", 20, False, 0, 0, 1)
    assert lasts(word, many) == "over a week"
    assert lasts(dataclasses.replace(word, longer_than_a_week=None), many) == "yes"
    assert lasts(event, many) == "single days"
    assert lasts(event, few) == "unknown"
    assert lasts(dataclasses.replace(word, with_groups="author"), many) == "perhaps authors"
    some = dataclasses.replace(findings, changed_words=[word, event], word_tests=many)
    assert [row["lasts"] for row in build(some, WordBook(some)).values["rows"]] == ["over a week", "single days"]
