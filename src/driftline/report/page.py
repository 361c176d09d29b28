"""Findings to one self-contained HTML page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jinja2 import Environment
from markupsafe import Markup, escape

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.explorable import EXPLORABLE
from driftline.analysis.findings.source_summary import SOURCE
from driftline.core.date_precision import dates_given_to
from driftline.core.display import visible
from driftline.report import date_formats, numbers
from driftline.report.explore_address import linked_words
from driftline.report.given_topics import GIVEN_TOPICS
from driftline.report.left_out_index import left_out_of_page
from driftline.report.packed_files import packed_files
from driftline.report.packed_plotly import packed_plotly, plotly_scripts
from driftline.report.page_protection import content_security_policy, escape_json, json_for_html
from driftline.report.sections import SECTIONS, Content, Section
from driftline.report.short_ids import short_id
from driftline.report.templating import asset, new_environment
from driftline.report.word_book import WordBook
from driftline.report.word_index import LEAST_BYTES, PAGE_BYTES, packed_index

SCRIPTS = (
    "dom.js",
    "theme.js",
    "special.js",
    "curves.js",
    "two_sets.js",
    "word_index.js",
    "downloads.js",
    "state.js",
    "documents.js",
    "explore.js",
    "compare.js",
    "topics.js",
    "storyline_names.js",
    "report.js",
)
"""The scripts of the page, in the order in which they run."""
_QUOTED = re.compile("“([^”]*)”")
_OPTION = re.compile(r"(?<!\S)\(?(--[a-z][a-z-]*)")


def render(findings: Findings, sections: Sequence[Section] = SECTIONS, *, page_bytes: int = PAGE_BYTES) -> str:
    """Return the page: every section with content, its figures, and the data of the words.

    Counted words and documents are packed into it as long as it stays below `page_bytes`.
    """
    with dates_given_to(SOURCE.of(findings).dated_to):
        return _rendered(findings, sections, page_bytes)


def _rendered(findings: Findings, sections: Sequence[Section], page_bytes: int) -> str:
    book = WordBook(findings)
    built = [(section, section.build(findings, book)) for section in sections]
    filled = [(section, content) for section, content in built if content is not None]
    environment = _environment(book)
    parts = [
        (section, Markup(environment.get_template(section.template).render(_context(findings, book, section, content))))
        for section, content in filled
    ]
    scripts = [asset(name) for name in SCRIPTS]
    page = environment.get_template("page.html")
    values = {
        "findings": findings,
        "setting": book.setting,
        "parts": parts,
        "policy": Markup(content_security_policy([*plotly_scripts(), *scripts])),
        "style": Markup(asset("report.css")),
        "plotly": packed_plotly(),
        "scripts": [Markup(script) for script in scripts],
        "figures": Markup(_figures([content for _, content in filled])),
        "words": Markup(json_for_html(book.data())),
        "sections": Markup(json_for_html({section.name: content.data for section, content in filled})),
        "files": packed_files(findings),
        "index": None,
        "left_out": "",
    }
    found = EXPLORABLE.of(findings)
    if found is None or not any(section.name == "explore" for section, _ in filled):
        return page.render(values)
    room = max(page_bytes - len(page.render(values).encode()), LEAST_BYTES)
    linked = book.words().union(*(linked_words(part) for _, part in parts))
    index = packed_index(found, room, linked)
    return page.render({**values, "index": index, "left_out": left_out_of_page(index.left_out)})


def _context(findings: Findings, book: WordBook, section: Section, content: Content) -> dict[str, object]:
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
        short_id=short_id,
        shortened=_shortened,
        breakable=_breakable,
        unbroken_options=_unbroken_options,
        sentence=lambda text: _with_words(text, book),
    )
    environment.globals.update(
        number_of=book.number,
        share=numbers.share,
        counted=numbers.counted,
        span=date_formats.span,
        listed=numbers.listed,
        given_topics=GIVEN_TOPICS,
    )
    return environment


def _shortened(text: str, longest: int = 40) -> str:
    """Shorten a text that is too long, between words where possible.

    >>> _shortened("the minister for regional development", 24), _shortened("x" * 50, 5)
    ('the minister for …', 'xxxx…')
    """
    if len(text) <= longest:
        return text
    whole = text[: longest - 1].rpartition(" ")[0]
    return f"{whole} …" if len(whole) >= longest // 2 else text[: longest - 1] + "…"


def _breakable(name: str) -> Markup:
    """Escape a name that may be broken into lines after an underscore, a hyphen, a full stop or a slash.

    >>> _breakable("abc_news.csv")
    Markup('abc_<wbr>news.<wbr>csv')
    """
    return Markup("<wbr>").join(re.split(r"(?<=[-_./])(?=[^-_./\s])", name))


def _unbroken_options(text: str) -> Markup:
    """Escape a sentence in which the options of the command line are not broken into lines.

    >>> _unbroken_options("prose (--source-kind selects it)")
    Markup('prose (<code>--source-kind</code> selects it)')
    """
    return Markup(_OPTION.sub(lambda found: found[0].replace(found[1], f"<code>{found[1]}</code>"), str(escape(text))))


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
