"""Findings to one self-contained HTML page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape
from plotly.offline import get_plotlyjs

from driftline.analysis.all_findings import Findings
from driftline.core.display import visible
from driftline.report import date_formats, numbers
from driftline.report.sections import SECTIONS, Content, Section
from driftline.report.security import content_security_policy, escape_json, json_for_html
from driftline.report.templating import asset, new_environment
from driftline.report.word_book import WordBook

_QUOTED = re.compile("“([^”]*)”")


def render(findings: Findings, sections: Sequence[Section] = SECTIONS) -> str:
    """Return the page: every section with content, its figures, and the data of the words."""
    book = WordBook(findings)
    built = [(section, section.build(findings, book)) for section in sections]
    filled = [(section, content) for section, content in built if content is not None]
    environment = _environment(book)
    parts = [
        (section, Markup(environment.get_template(section.template).render(_context(findings, book, section, content))))
        for section, content in filled
    ]
    plotly, script = get_plotlyjs(), asset("report.js")
    return environment.get_template("page.html").render(
        findings=findings,
        setting=book.setting,
        parts=parts,
        policy=Markup(content_security_policy([plotly, script])),
        style=Markup(asset("report.css")),
        plotly=Markup(plotly),
        script=Markup(script),
        figures=Markup(_figures([content for _, content in filled])),
        words=Markup(json_for_html(book.data())),
    )


def _context(findings: Findings, book: WordBook, section: Section, content: Content) -> dict[str, Any]:
    descriptions = {name: drawn.description for name, drawn in content.figures.items()}
    heights = {name: int(drawn.figure.layout.height) for name, drawn in content.figures.items()}
    return {
        "findings": findings,
        "setting": book.setting,
        "section": section,
        "descriptions": descriptions,
        "heights": heights,
        **content.values,
    }


def _figures(contents: Sequence[Content]) -> str:
    """Return name → figure as JSON; Plotly writes it, so that arrays keep their compact form."""
    drawn = {name: each.figure for content in contents for name, each in content.figures.items()}
    return escape_json("{" + ",".join(f'"{name}":{figure.to_json()}' for name, figure in drawn.items()) + "}")


def _environment(book: WordBook) -> Environment:
    """Return the template environment of the report, with the words that can be opened."""
    environment = new_environment()
    environment.filters.update(
        count=numbers.count,
        rate=numbers.rate,
        days=numbers.days,
        chance=numbers.chance,
        day=date_formats.day,
        short_day=date_formats.short_day,
        clock=date_formats.clock,
        shortened=_shortened,
        sentence=lambda text: _with_words(text, book),
    )
    environment.globals.update(
        number_of=book.number,
        share=numbers.share,
        counted=numbers.counted,
        span=date_formats.span,
        listed=numbers.listed,
    )
    return environment


def _shortened(text: str, longest: int = 40) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _with_words(text: str, book: WordBook) -> Markup:
    """Escape a sentence, and turn its “quoted” words into buttons if the page can open them."""
    pieces = _QUOTED.split(visible(text))
    result = Markup()
    for place, piece in enumerate(pieces):
        if place % 2 == 0:
            result += escape(piece)
            continue
        number = book.number(piece)
        quoted = Markup("<bdi>{}</bdi>").format(_shortened(piece))
        if number is not None:
            quoted = Markup('<button type="button" class="word" data-word="{}">{}</button>').format(number, quoted)
        result += Markup('<span class="quoted">“{}”</span>').format(quoted)
    return result
