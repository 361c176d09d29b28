from __future__ import annotations

import dataclasses
import re

import pytest

from driftline.analysis.findings.headlines import Headlines, Story
from driftline.analysis.findings.word_tests import WordTests
from driftline.report.page import SCRIPTS, render
from driftline.report.sections import SECTIONS, Section
from driftline.report.templating import asset
from tests.report.explorable_factory import explorable
from tests.report.findings_factory import quiet_findings


def outline(html):
    return re.findall(r'<section id="([\w-]+)"', html)


def test_every_section_is_there_in_order(findings):
    assert outline(render(findings)) == [
        section.name for section in SECTIONS if section.name not in ("small", "explore", "guided-topics")
    ]


def test_sections_with_nothing_to_say_are_left_out(findings):
    assert outline(render(quiet_findings())) == ["summary", "words", "records", "reading"]
    assert "truth" not in outline(render(dataclasses.replace(findings, truth=None)))
    assert "labels" not in outline(render(dataclasses.replace(findings, labels=[])))


def test_a_section_is_added_with_one_line(findings):
    extra = Section("extra", "More to say", "summary.html", SECTIONS[0].build, "Extra")
    html = render(findings, [*SECTIONS, extra])
    assert outline(html)[-1] == "extra"
    assert '<a href="#extra">Extra</a>' in html


def test_the_words_of_a_story_can_be_opened(findings):
    change = dataclasses.replace(findings.stories[0].change, word="orbit")
    reported = Headlines([Story(change, ["a & b"])])
    html = render(dataclasses.replace(findings, headlines=reported, truth=None), SECTIONS[:1])
    (line,) = re.findall(r"<li>(.*?)</li>", re.search(r'<ol class="headlines">(.*?)</ol>', html, re.S)[1])
    assert re.match(
        r'<span class="quoted">“<button type="button" class="word" data-word="\d+"><bdi>orbit</bdi></button>”</span> '
        r"\(with .*a &amp; b.*\): in 5\.4 times \(4\.1–7\.2\) as many ",
        line,
    )


def test_what_authors_may_explain_is_counted_apart_and_explained():
    tests = WordTests("day", 90, True, 4, 3, 2, "author", 7)
    html = render(dataclasses.replace(quiet_findings(), word_tests=tests))
    assert "<dt>perhaps due to authors</dt><dd>7</dd>" in html
    assert "a word must also stand out with whole authors in random order" in html
    plain = render(dataclasses.replace(quiet_findings(), word_tests=WordTests("day", 90, True, 4, 3, 2)))
    assert "due to authors" not in plain
    assert "in random order; if it does not" not in plain


def test_only_our_scripts_and_our_data_are_in_the_page(findings):
    html = render(findings)
    scripts = re.findall(r"<script>(.*?)</script>", html, re.S)
    assert scripts[1:] == [asset(name) for name in SCRIPTS]
    assert len(re.findall(r'<script type="application/json"', html)) == 3
    assert len(re.findall(r'<script type="application/octet-stream"', html)) == 4
    head = html[: html.index("<body>")]
    assert head.index("Content-Security-Policy") < head.index("<style>")
    assert not re.findall(r'(?:src|href)="(?!#)', html[: html.index('id="data-figures"')])


def test_the_same_findings_make_the_same_page(findings):
    assert render(findings) == render(findings)


def test_a_single_label_is_reported_as_one(findings):
    source = dataclasses.replace(findings.source, labels={"news": 6})
    assert "<dt>label</dt><dd>1</dd>" in render(dataclasses.replace(findings, source=source))
    assert "<dt>labels</dt>" in render(findings)


@pytest.mark.parametrize(("given", "shown"), [("year", "%Y"), ("month", "%b %Y"), ("day", "%-d %b %Y")])
def test_dates_under_the_pointer_are_no_more_exact_than_the_source_gives_them(findings, given, shown):
    source = dataclasses.replace(findings.source, dated_to=given)
    page = render(dataclasses.replace(findings, source=source, explorable=explorable()))
    formats = re.findall(r'"hoverformat":"([^"]*)"', page)
    assert set(formats) == {shown}
    assert len(formats) == page.count('"type":"date"')
    assert f'data-dates="{shown}"' in page
