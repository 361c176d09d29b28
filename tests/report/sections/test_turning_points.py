from __future__ import annotations

import dataclasses

import numpy as np

from driftline.report.sections.turning_points import build
from driftline.report.word_book import WordBook


def test_changes_are_listed_with_levels_and_bands(findings):
    rows = build(findings, WordBook(findings)).values["rows"]
    assert [row["of"] for row in rows] == ["volume", "word"]
    assert rows[0]["before"] == "4.00 (3.60 to 4.40)"
    assert rows[1]["after"] == "50.0 (45.0 to 55.0)"
    assert all(row["rose"] for row in rows)
    assert rows[0]["probability"] == "97 %"
    assert "9" in rows[0]["when"]
    assert "12" in rows[0]["when"]


def test_without_changes_there_is_no_section(findings):
    assert build(dataclasses.replace(findings, turning_points=[]), WordBook(findings)) is None


def test_only_the_largest_changes_are_listed(findings):
    point = findings.turning_points[1]
    many = [dataclasses.replace(point, after=0.05 + 0.01 * number) for number in range(60)]
    values = build(dataclasses.replace(findings, turning_points=many), WordBook(findings)).values
    assert len(values["rows"]) == 40
    assert values["left_out"] == 20


def test_names_are_escaped_on_the_page(findings, tmp_path):
    from driftline.report import write_report

    point = dataclasses.replace(findings.turning_points[1], of="label", name="<script>alert(1)</script>")
    page = write_report(dataclasses.replace(findings, turning_points=[point]), tmp_path / "page.html").read_text()
    assert "<script>alert(1)" not in page
    assert "Turning points" in page


def test_the_levels_are_drawn_in_the_units_of_the_table(findings):
    book = WordBook(findings)
    volume = findings.turning_series[0]
    word = dataclasses.replace(volume, of="word", name="<b>flood</b>")
    drawn = build(dataclasses.replace(findings, turning_series=[volume, word]), book).figures["levels"].figure
    assert [note.text for note in drawn.layout.annotations] == [
        f"{book.setting.noun} per day",
        "&lt;b&gt;flood&lt;/b&gt;",
    ]
    observed, of_word = drawn.data[0], drawn.data[3]
    np.testing.assert_allclose(np.array(of_word.y, dtype=float), 1000 * np.array(observed.y, dtype=float), rtol=1e-2)
    assert build(dataclasses.replace(findings, turning_series=[]), book).figures == {}
