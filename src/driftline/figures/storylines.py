"""Storylines: a stream per story, as wide as its share, which forks at a split and joins at a merger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import plotly.graph_objects as go

from driftline.core.arrays import Floats
from driftline.core.display import figure_text
from driftline.figures.band import time_axis
from driftline.figures.style import MUTED, colour, faint, new_figure

if TYPE_CHECKING:
    from driftline.nonparametric.stories.story_results import Story, StoryEvent, StoryShares

Trace: TypeAlias = dict[str, object]
"""The properties of a trace, as Plotly names them."""

HALF_LANE = 0.44
"""Half the width of the widest stream, in lanes."""
LETTER = 0.007
"""Width of a letter above a stream, as a share of the width of the figure."""
MOST_WORDS, LONGEST_EXAMPLE = 4, 90
SYMBOLS = {"born": "circle", "revived": "circle-open", "split": "diamond", "merged": "square", "ended": "line-ns-open"}


def plot_storylines(
    shares: StoryShares,
    stories: Sequence[Story],
    events: Sequence[StoryEvent] = (),
    *,
    examples: Mapping[int, str] | None = None,
    title: str | None = None,
    lane_height: int = 40,
) -> go.Figure:
    """Draw the shares of stories over time as streams; the paler rim is the 95 % band.

    The words above a stream are an annotation, whose `name` is the id of the story.

    Parameters
    ----------
    shares
        `StoryShares`: the stories to draw; the last row is all others, which have a lane with its own scale.
    stories, events
        Those of the same `StoryStream`: times and words of the stories, and the events to mark.
    examples
        A text of each story, by its id.
    title, lane_height
        Title of the figure; height of a lane, in pixels. Several stories may follow each other in one lane.

    >>> from driftline import StoryStream
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 3]], 6, axis=0)
    >>> model = StoryStream(memory=6, vocabulary=["war", "iraq", "sars", "virus"]).fit(X, times=range(12))
    >>> figure = plot_storylines(model.share_, model.stories_, model.events_)
    >>> [note.text for note in figure.layout.annotations]
    ['war iraq', 'sars virus']
    """
    shown = [int(story) for story in shares.stories if story >= 0]
    facts = {story.id: story for story in stories if story.id in set(shown)}
    rows = {int(story): row for row, story in enumerate(shares.stories)}
    span = shares.times[-1] - shares.times[0] if len(shares.times) else 0
    lanes = _lanes([facts[story] for story in shown if story in facts], span)
    n_lanes = max(lanes.values(), default=-1) + 1
    figure = new_figure(height=lane_height * (n_lanes + 1) + 70, title=title)
    scale = HALF_LANE / max(float(shares.upper[:-1].max(initial=0.0)), 1e-12)
    traces, labels = [], []
    for number, story in enumerate(sorted(lanes, key=lambda each: (facts[each].start, each))):
        drawn, label = _stream(shares, rows[story], facts[story], lanes[story], scale, colour(number), examples or {})
        traces += drawn
        labels.append(label)
    others = HALF_LANE / max(float(shares.upper[-1].max(initial=0.0)), 1e-12)
    traces += _band(shares, len(shares.stories) - 1, np.ones(len(shares.times), bool), n_lanes, others, MUTED)
    hover = [f"all other stories<br>{_percent(shares, len(shares.stories) - 1, i)}" for i in range(len(shares.times))]
    traces.append(_line(shares.times, np.full(len(hover), n_lanes), hover, {"width": 0}))
    traces += _marked_events(events, lanes, facts)
    # Added at once: Plotly validates the whole figure at every addition
    figure.add_traces([{"type": "scatter", "showlegend": False, **trace} for trace in traces])
    figure.update_yaxes(tickvals=[n_lanes], ticktext=["all others"], range=[n_lanes + 0.6, -0.75], showgrid=False,
                        zeroline=False, automargin=True, ticklabelstandoff=6)  # fmt: skip
    if len(shares.times):
        time_axis(figure, shares.times)
    figure.update_layout(hovermode="closest", showlegend=False, annotations=labels)
    return figure


def _lanes(stories: Sequence[Story], span: Any) -> dict[int, int]:
    """Return the lane of each story: the first that neither a story nor the words above one occupy at its start.

    `span` is that of the figure, on which the width of the words depends.
    """
    ends: list[Any] = []
    lanes: dict[int, int] = {}
    for story in sorted(stories, key=lambda each: (each.start, each.id)):
        free = [lane for lane, end in enumerate(ends) if end < story.start]
        lane = free[0] if free else len(ends)
        if lane == len(ends):
            ends.append(story.end)
        ends[lane], lanes[story.id] = max(story.end, story.start + LETTER * len(_label(story)) * span), lane
    return lanes


def _stream(
    shares: StoryShares,
    row: int,
    story: Story,
    lane: int,
    scale: float,
    ink: str,
    examples: Mapping[int, str],
) -> tuple[list[Trace], dict[str, object]]:
    """Return the traces of a story, and the words above its start."""
    inside = (shares.times >= story.start) & (shares.times <= story.end)
    if not inside.any():
        inside[int(np.argmin(np.abs(shares.times - story.start)))] = True
    around = inside.copy()
    around[:-1] |= inside[1:]
    around[1:] |= inside[:-1]
    words = _label(story)
    example = f"<br>“{figure_text(examples[story.id][:LONGEST_EXAMPLE])}”" if story.id in examples else ""
    name = f"<b>{figure_text(words)}</b> · story {story.id}, {story.size:,} documents{example}"
    places = np.flatnonzero(around).tolist()
    hover = [f"{name}<br>{_percent(shares, row, place)}" for place in places]
    line = _line(shares.times[around], np.full(len(places), float(lane)), hover, {"color": ink, "width": 1})
    label = {
        "x": shares.times[places[0]], "y": lane - 0.47, "text": figure_text(words), "showarrow": False,
        "xanchor": "left", "yanchor": "middle", "font": {"size": 11, "color": ink}, "name": str(story.id),
    }  # fmt: skip
    return [*_band(shares, row, around, lane, scale, ink), line], label


def _line(x: object, y: object, hover: list[str], line: dict[str, object]) -> Trace:
    return {"x": x, "y": y, "mode": "lines", "line": line, "text": hover, "hovertemplate": "%{text}<extra></extra>"}


def _label(story: Story) -> str:
    return " ".join(str(word) for word in story.words[:MOST_WORDS])


def _band(shares: StoryShares, row: int, around: np.ndarray, lane: int, scale: float, ink: str) -> list[Trace]:
    """Return the upper limit of the band, the share and the lower limit as three streams on top of each other."""
    times, traces = shares.times[around], list[Trace]()
    if not len(times):
        return traces
    for curve, opacity in ((shares.upper[row], 0.16), (shares.share[row], 0.4), (shares.lower[row], 0.4)):
        width: Floats = np.minimum(curve[around] * scale, HALF_LANE)
        width[[0, -1]] = np.where(around.all(), width[[0, -1]], 0.0)
        traces.append({
            "x": np.concatenate([times, times[::-1]]), "y": np.concatenate([lane - width, (lane + width)[::-1]]),
            "fill": "toself", "fillcolor": faint(ink, opacity), "line": {"width": 0}, "mode": "lines",
            "hoverinfo": "skip",
        })  # fmt: skip
    return traces


def _marked_events(
    events: Sequence[StoryEvent], lanes: Mapping[int, int], facts: Mapping[int, Story]
) -> Iterator[Trace]:
    """Yield marks of the events of drawn stories, and lines between the stories of a split, a merger or a revival.

    The line of a revival starts at the end of the ended story, because its lane may contain another story by then.
    """
    for event in events:
        own, other = lanes.get(event.story), None if event.other is None else lanes.get(event.other)
        place = other if event.kind == "revived" else own
        if place is None:
            continue
        text = f"{event.kind}, p = {event.probability:.2f}"
        if event.other is not None:
            text += f"<br>story {event.story} and story {event.other}"
        marker = {"symbol": SYMBOLS[event.kind], "size": 8, "color": MUTED, "line": {"width": 1.5, "color": MUTED}}
        yield {
            "x": [event.time], "y": [place], "mode": "markers", "text": [text],
            "hovertemplate": "%{text}<br>%{x}<extra></extra>", "marker": marker,
        }  # fmt: skip
        if own is not None and other is not None and own != other:
            returned = event.kind == "revived"
            yield {
                "x": [facts[event.story].end if returned else event.time, event.time],
                "y": [own, other], "mode": "lines", "hoverinfo": "skip",
                "line": {"color": MUTED, "width": 1.2, "dash": "dot" if returned else "solid"},
            }  # fmt: skip


def _percent(shares: StoryShares, row: int, place: int) -> str:
    values = [100 * float(curve[row, place]) for curve in (shares.share, shares.lower, shares.upper)]
    return f"{values[0]:.1f} % of the documents ({values[1]:.1f} to {values[2]:.1f})"
