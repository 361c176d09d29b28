from __future__ import annotations

from driftline.report.sections import SECTIONS, Content, Drawn
from driftline.report.word_book import WordBook


def test_names_are_distinct_and_every_template_is_there():
    from importlib import resources

    templates = {file.name for file in resources.files("driftline.report").joinpath("templates").iterdir()}
    assert len({section.name for section in SECTIONS}) == len(SECTIONS)
    assert {section.template for section in SECTIONS} <= templates


def test_every_section_fills_itself_and_names_its_figures_apart(findings):
    names = []
    for section in SECTIONS:
        if section.name in ("small", "explore", "guided-topics"):
            continue
        content = section.build(findings, WordBook(findings))
        assert isinstance(content, Content)
        for name, drawn in content.figures.items():
            assert isinstance(drawn, Drawn)
            assert drawn.description.endswith(".")
            names.append(name)
    assert sorted(names) == [
        "bursts",
        "classifier",
        "close-up",
        "document-0",
        "document-1",
        "document-2",
        "drift",
        "eras",
        "few-labels",
        "few-labels-words",
        "intensities",
        "levels",
        "storylines",
        "strips",
        "topic-map",
        "topic-tree",
        "topics",
        "volume",
        "volume-labels",
    ]
