from __future__ import annotations

import numpy as np
import pytest

from driftline.figures.shading import mark_events, shade_periods
from driftline.figures.style import new_figure

DATES = [np.datetime64("2003-03-20"), np.datetime64("2003-04-09")]


@pytest.mark.parametrize("mark", [shade_periods, mark_events])
@pytest.mark.parametrize(("ends", "middle"), [(DATES, "2003-03-30"), ([1.0, 4.0], 2.5)])
def test_a_stretch_is_marked_from_start_to_end_with_safe_text(mark, ends, middle):
    figure = new_figure(height=100)
    mark(figure, [(*ends, "<b>war</b>")])
    (shape,), (note,) = figure.layout.shapes, figure.layout.annotations
    assert [str(shape.x0), str(shape.x1)] == [str(end) for end in ends]
    assert note.x == middle
    assert note.text == "&lt;b&gt;war&lt;/b&gt;"


def test_neighbouring_texts_do_not_share_a_height():
    figure = new_figure(height=100)
    shade_periods(figure, [(5.0, 6.0, "later"), (1.0, 2.0, "sooner")])
    assert [note.text for note in figure.layout.annotations] == ["sooner", "later"]
    assert len({note.y for note in figure.layout.annotations}) == 2
