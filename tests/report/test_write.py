from __future__ import annotations

import dataclasses

import pytest

import driftline
from driftline.analysis.shown_evidence import Example
from driftline.core.errors import InvalidInput
from driftline.report import write_report
from driftline.report.word_index import PAGE_BYTES


def test_the_report_is_one_file_of_utf8(findings, tmp_path):
    path = write_report(dataclasses.replace(findings, title="Überblick 日本"), str(tmp_path / "r.html"))
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]
    assert "Überblick 日本" in path.read_text(encoding="utf-8")
    assert driftline.write_report is write_report


def test_what_cannot_be_encoded_does_not_stop_it(findings, tmp_path):
    path = write_report(dataclasses.replace(findings, title="half \ud83d emoji"), tmp_path / "r.html")
    assert "half \ufffd emoji" in path.read_text(encoding="utf-8")


def test_a_large_stream_makes_a_light_page(findings, tmp_path):
    """As many words, labels and long examples as there can be."""
    example = Example("document-12345", "2025-03-01T10:00:00Z", "word " * 80, "politics")
    template = dataclasses.replace(findings.changed_words[0], examples=[example] * 5)
    many = [dataclasses.replace(template, word=f"word{i}") for i in range(3000)]
    labels = [dataclasses.replace(findings.labels[0], label=f"label {i}", changed_words=many[:40]) for i in range(20)]
    large = dataclasses.replace(findings, changed_words=many, n_words_changed=3000, labels=labels)
    path = write_report(large, tmp_path / "large.html")
    assert path.stat().st_size < PAGE_BYTES
    assert "2,500 more words" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("size", [0, -1, float("nan")])
def test_a_page_without_room_is_refused(findings, tmp_path, size):
    with pytest.raises(InvalidInput, match="positive number of megabytes"):
        write_report(findings, tmp_path / "report.html", page_size=size)
