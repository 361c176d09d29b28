from __future__ import annotations

import numpy as np

from driftline import StoryStream, plot_storylines
from driftline.nonparametric import Story, StoryEvent, StoryShares

ONE, OTHER = np.repeat([1 / 20, 0.0], 20), np.repeat([0.0, 1 / 20], 20)


def split_stream():
    rng = np.random.default_rng(0)
    sources = [[(ONE + OTHER) / 2] if t < 200 else [ONE, OTHER] for t in range(400)]
    X = np.array([rng.multinomial(12, each[rng.integers(len(each))]) for each in sources])
    days = np.datetime64("2003-01-01", "us") + (np.arange(400) * 43_200e6).astype("timedelta64[us]")
    words = ["<b>war</b>", *(f"word{n}" for n in range(1, 40))]
    return StoryStream(memory="60d", random_state=0, vocabulary=words).fit(X, times=days)


def test_streams_are_as_wide_as_shares_and_splits_are_connected():
    model = split_stream()
    shares = model.shares(3)
    figure = plot_storylines(shares, model.stories_, model.events_, examples={0: "<script>alert(1)</script>"})
    outlines = [trace for trace in figure.data if trace.fill == "toself"]
    assert len(outlines) == 3 * len(shares.stories)
    assert max(np.ptp(trace.y) for trace in outlines) <= 0.88 + 1e-9
    split = next(event for event in model.events_ if event.kind == "split")
    connectors = [
        trace for trace in figure.data if trace.mode == "lines" and len(set(trace.x)) == 1 and len(trace.x) == 2
    ]
    assert len(connectors) == 1
    assert np.datetime64(connectors[0].x[0]) == split.time
    hover = " ".join(str(trace.text) for trace in figure.data)
    assert f"split, p = {split.probability:.2f}" in hover
    assert "<script>" not in hover
    assert "<b>war" not in hover.replace("<b>&lt;b", "")
    assert figure.layout.xaxis.type == "date"
    assert {note.name for note in figure.layout.annotations} == {str(story) for story in shares.stories if story >= 0}


def test_the_line_of_a_return_begins_at_the_end_of_the_ended_story():
    times = np.arange(10.0)
    band = np.full((4, 10), 0.1)
    shares = StoryShares(times, np.array([0, 1, 2, -1]), band, band, band, 1.0)
    spans = {0: (0.0, 3.0), 1: (4.0, 9.0), 2: (5.0, 9.0)}
    stories = [Story(n, *span, 5, ["w"], 0, "ended", 1.0, [], []) for n, span in spans.items()]
    figure = plot_storylines(shares, stories, [StoryEvent("revived", 5.0, 0, 2, 0.95)])
    lines = [trace for trace in figure.data if trace.line.dash == "dot"]
    assert [list(trace.x) for trace in lines] == [[3.0, 5.0]]
    assert list(lines[0].y) == [0, 1]


def test_a_stream_without_stories_has_an_empty_figure():
    model = StoryStream().fit(np.zeros((3, 2)), times=range(3))
    assert plot_storylines(model.share_, model.stories_, model.events_).layout.height > 0


def test_words_of_short_stories_in_a_long_stream_do_not_overlap():
    times = np.arange(1000.0)
    band = np.full((3, 1000), 0.1)
    shares = StoryShares(times, np.array([0, 1, -1]), band, band, band, 1.0)
    words = ["deprecation", "timeline", "removed", "support"]  # 35 letters: about a quarter of the width
    for start, lanes in ((200.0, 2), (300.0, 1)):
        stories = [Story(n, at, at + 5, 5, words, 0, "ended", 1.0, [], []) for n, at in enumerate((10.0, start))]
        notes = plot_storylines(shares, stories, []).layout.annotations
        assert len({note.y for note in notes}) == lanes
