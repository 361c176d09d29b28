import pytest
from jinja2 import DictLoader, Environment
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


def test_compiled_templates_are_used_again_with_the_filters_of_each_environment(monkeypatch):
    pages = []
    for shown in ("first", "second"):
        environment = new_environment()
        environment.loader = DictLoader({"page": "{{ 1 | named }}"})
        environment.filters["named"] = lambda _, shown=shown: shown
        pages.append(environment.get_template("page").render())
        monkeypatch.setattr(Environment, "compile", lambda *arguments: pytest.fail("compiled again"))
    assert pages == ["first", "second"]
