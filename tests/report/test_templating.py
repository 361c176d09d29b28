from markupsafe import Markup

from driftline.report.templating import asset, new_environment


def test_everything_is_escaped_and_control_characters_are_shown():
    template = new_environment().from_string("{{ text }}|{{ trusted }}")
    shown = template.render(text="<script>\x1b[31m", trusted=Markup("<b>"))
    assert "<script>" not in shown
    assert "\x1b" not in shown
    assert shown.endswith("|<b>")


def test_assets_are_there():
    assert "Plotly" in asset("table_page.js")
    assert "{" in asset("report.css")
