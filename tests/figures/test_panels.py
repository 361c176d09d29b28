from driftline.figures import plot_panels


def test_three_panels_to_a_row_each_with_line_and_band():
    figure = plot_panels([(str(i), ([0.0, 1.0], [1.0, 2.0], [0.5, 1.0], [2.0, 3.0])) for i in range(4)])
    assert len(figure.data) == 12
    assert figure.layout.height == 2 * 190
    assert len(figure.layout.shapes) == 0


def test_zero_is_marked_on_request():
    assert len(plot_panels([("one", ([0.0, 1.0], [-1.0, 2.0]))], zero_line=True).layout.shapes) == 1
