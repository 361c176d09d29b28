from __future__ import annotations

from tools.site.api import api_pages
from tools.site.public_names import public_names


def test_every_public_name_has_an_entry_and_a_line_in_the_index():
    pages = api_pages()
    for name, exporter, module in public_names().values():
        package = module.split(".")[1]
        assert f"::: {module}.{name}\n" in pages[f"api/{package}.md"]
        assert f"heading: {exporter}.{name}\n" in pages[f"api/{package}.md"]
        assert f"[`{name}`][{module}.{name}]" in pages["api/index.md"]


def test_names_stand_under_the_package_that_defines_them():
    assert public_names()["StreamLabeller"].exported_by == "driftline"
    assert "::: driftline.topics.lda.LDA\n" in api_pages()["api/topics.md"]
