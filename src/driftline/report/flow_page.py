"""The flow of one text as a separate page: one file, with the same protection as the report."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from driftline import __version__
from driftline.coding.text_flow import TextFlow
from driftline.core.display import visible
from driftline.figures.flow import plot_flow
from driftline.figures.style import colour
from driftline.persistence.atomic_file import write_text
from driftline.report import numbers
from driftline.report.packed_plotly import packed_plotly, plotly_scripts
from driftline.report.page_protection import content_security_policy, escape_json, json_for_html

_PASSAGE = 700
_MOST_CHAPTERS = 30


def write_flow(flow: TextFlow, path: str | Path, *, title: str = "", chapters: Sequence[tuple[int, str]] = ()) -> Path:
    """Write the flow of a text to the file `path` and return the path; `chapters` are (first word, title).

    The file works offline, makes no network requests, and shows all content of the text as plain text.
    """
    path = Path(path)
    page = render_flow(flow, title=title, chapters=chapters)
    write_text(path, page)
    return path


def render_flow(flow: TextFlow, *, title: str = "", chapters: Sequence[tuple[int, str]] = ()) -> str:
    """Return the page: the flow, the passage under the pointer, the segments, and the topics."""
    marked = list(chapters) if len(chapters) <= _MOST_CHAPTERS else []
    names = [", ".join(theme.words[:4]) for theme in flow.themes]
    figure = plot_flow(
        flow.shares, flow.words, names, turns=[flow.words[turn.start] for turn in flow.turns[1:]], chapters=marked
    )
    environment = Environment(
        loader=PackageLoader("driftline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(count=numbers.count)
    environment.globals.update(counted=numbers.counted, share=numbers.share)
    script = _asset("flow.js")
    return environment.get_template("flow.html").render(
        title=title or "A text",
        version=__version__,
        flow=flow,
        chapters=chapters,
        turns=[_turn(flow, number, chapters) for number in range(len(flow.turns))],
        themes=[
            {"number": k, "theme": theme, "colour": Markup(colour(k)), "at": int(flow.words[theme.strongest])}
            for k, theme in enumerate(flow.themes)
        ],
        policy=Markup(content_security_policy([*plotly_scripts(), script])),
        style=Markup(_asset("report.css") + _asset("flow.css")),
        plotly=packed_plotly(),
        script=Markup(script),
        figure=Markup(escape_json(figure.to_json())),
        data=Markup(json_for_html(_data(flow, chapters))),
    )


def _turn(flow: TextFlow, number: int, chapters: Sequence[tuple[int, str]]) -> dict[str, object]:
    turn = flow.turns[number]
    first = int(flow.words[turn.start])
    last = int(flow.words[turn.end]) if turn.end < len(flow.words) else flow.n_words
    within = [title for where, title in chapters if where <= first]
    return {
        "number": number + 1,
        "place": turn.start,
        "first": first,
        "last": last,
        "chapter": within[-1] if within else "",
        "words": turn.words,
        "colours": [Markup(colour(theme)) for theme in turn.themes],
        "opening": _cut(flow.passages[int(flow.passage_of[turn.start])], 160),
    }


def _data(flow: TextFlow, chapters: Sequence[tuple[int, str]]) -> dict[str, object]:
    """Return the data for the script: for every position its passage, leading topic and chapter."""
    starts = np.array([where for where, _ in chapters], dtype=np.int64)
    used, passages = np.unique(flow.passage_of, return_inverse=True)
    return {
        "words": flow.words.tolist(),
        "passageOf": passages.tolist(),
        "passages": [visible(_cut(flow.passages[int(number)], _PASSAGE)) for number in used],
        "leading": flow.shares.argmax(axis=1).tolist(),
        "names": [visible(", ".join(theme.words[:4])) for theme in flow.themes],
        "colours": [colour(k) for k in range(len(flow.themes))],
        "chapterOf": (np.searchsorted(starts, flow.words, side="right") - 1).tolist(),
        "chapters": [visible(title) for _, title in chapters],
        "total": flow.n_words,
    }


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _asset(name: str) -> str:
    return resources.files("driftline.report").joinpath("assets", name).read_text(encoding="utf-8")
