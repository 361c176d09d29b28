import pytest
from plotly.subplots import make_subplots

from driftline.figures import plot_panels
from driftline.figures.bursts import DEPTHS
from driftline.figures.panels import BETWEEN, COLUMNS, GAP
from driftline.figures.style import MUTED, faint


def test_three_panels_to_a_row_each_with_line_and_band():
    figure = plot_panels([(str(i), ([0.0, 1.0], [1.0, 2.0], [0.5, 1.0], [2.0, 3.0])) for i in range(4)])
    assert len(figure.data) == 8
    assert figure.layout.height == 2 * 190
    assert len(figure.layout.shapes) == 0


def test_zero_is_marked_on_request():
    panels = [("one", ([0.0, 1.0], [-1.0, 2.0])), ("two", ([0.0, 1.0], [-1.0, 2.0]))]
    plain = make_subplots(rows=1, cols=2)
    for column in (1, 2):
        plain.add_scatter(x=[0], y=[0], row=1, col=column)
        plain.add_hline(y=0, line={"color": MUTED, "width": 1, "dash": "dot"}, row=1, col=column)
    drawn = plot_panels(panels, zero_line=True).layout.shapes
    assert [shape.to_plotly_json() for shape in drawn] == [shape.to_plotly_json() for shape in plain.layout.shapes]


@pytest.mark.parametrize("n", [1, 3, 5, 9])
def test_panels_are_where_plotly_puts_them(n):
    titles = [f"panel {i}" for i in range(n)]
    figure = plot_panels([(title, ([0, 1], [1.0, 2.0])) for title in titles], panel_height=200)
    rows = -(-n // COLUMNS)
    gaps = {"vertical_spacing": GAP / (200 * rows), "horizontal_spacing": BETWEEN}
    plain = make_subplots(rows=rows, cols=COLUMNS, subplot_titles=titles, **gaps)
    for number in range(n):
        for letter in "xy":
            name = f"{letter}axis{number + 1 if number else ''}"
            assert figure.layout[name].domain == pytest.approx(plain.layout[name].domain)
            assert figure.layout[name].anchor == plain.layout[name].anchor
    for ours, theirs in zip(figure.layout.annotations, plain.layout.annotations, strict=True):
        assert (ours.x, ours.y) == pytest.approx((theirs.x, theirs.y))
        same = {"xanchor", "yanchor", "xref", "yref", "text", "showarrow"}
        assert all(ours[name] == theirs[name] for name in same)


def test_bursts_are_shaded_in_their_own_panel_and_lie_at_its_foot():
    curve = ([0.0, 1.0, 2.0], [1.0, 2.0, 3.0])
    bursts = [[], [(0.5, 1.5, 1, "mild"), (0.8, 1.2, 9, "fierce")]]
    figure = plot_panels([("one", curve), ("two", curve), ("three", curve)], bursts=bursts)
    assert [shape.xref for shape in figure.layout.shapes] == ["x2", "x2"]
    assert [shape.x0 for shape in figure.layout.shapes] == [0.5, 0.8]
    bars = [trace for trace in figure.data if trace.text]
    assert [trace.text[0] for trace in bars] == ["mild", "fierce"]
    assert bars[0].line.color == DEPTHS[0]
    assert bars[1].line.color == DEPTHS[-1]
    assert {trace.xaxis for trace in bars} == {"x2"}


def test_shading_is_what_plotly_draws_for_a_rectangle_of_a_panel():
    curve = ([0, 1, 2], [1.0, 2.0, 1.0])
    bursts = [[], [(0, 1, 1, "mild")], [], [(1, 2, 9, "strong"), (0, 2, 2, "long")]]
    figure = plot_panels([(str(i), curve) for i in range(4)], bursts=bursts)
    plain = make_subplots(rows=2, cols=3)
    for place, (x0, x1), level in (((1, 2), (0, 1), 1), ((2, 1), (0, 2), 2), ((2, 1), (1, 2), len(DEPTHS))):
        shade = faint(DEPTHS[level - 1], 0.2)
        plain.add_scatter(x=[0], y=[0], row=place[0], col=place[1])
        plain.add_vrect(x0=x0, x1=x1, fillcolor=shade, line_width=0, layer="below", row=place[0], col=place[1])
    assert [shape.to_plotly_json() for shape in figure.layout.shapes] == [
        shape.to_plotly_json() for shape in plain.layout.shapes
    ]
    bars = [(trace.xaxis, trace.text[0]) for trace in figure.data if trace.text is not None]
    assert bars == [("x2", "mild"), ("x4", "long"), ("x4", "strong")]


@pytest.mark.parametrize("n", [4, 6, 9, 12])
def test_there_is_space_for_two_lines_of_labels_above_a_heading(n):
    """Times of day have the date in a second line: 32 pixels, with the space above them, and 20 for the heading."""
    layout = plot_panels([(f"panel {i}", ([0, 1], [1.0, 2.0])) for i in range(n)]).layout
    lower_edge, upper_edge = layout.yaxis.domain[0], layout.yaxis4.domain[1]
    height = layout.height - layout.margin.t - (layout.margin.b or 30)
    assert height * (lower_edge - upper_edge) >= 55
