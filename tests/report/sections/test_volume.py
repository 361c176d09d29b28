from __future__ import annotations

import dataclasses

from driftline.report.sections.volume import build
from driftline.report.word_book import WordBook


def test_labels_are_stacked_where_there_are_several(findings):
    content = build(findings, WordBook(findings))
    assert list(content.figures) == ["volume", "volume-labels"]
    assert len(content.figures["volume-labels"].figure.data) == len(findings.labels)
    one = dataclasses.replace(findings, labels=findings.labels[:1])
    assert list(build(one, WordBook(one)).figures) == ["volume"]


def test_many_labels_are_cut_and_all_the_rest_counted(findings):
    source = dataclasses.replace(findings.source, labels={str(i): 20 - i for i in range(226)})
    many = dataclasses.replace(
        findings, source=source, labels=[dataclasses.replace(findings.labels[0], label=str(i)) for i in range(11)]
    )
    content = build(many, WordBook(many))
    assert len(content.figures["volume-labels"].figure.data) == 8
    assert content.values["n_labels_left"] == 218


def test_of_a_few_documents_no_rate_is_drawn(findings):
    few = dataclasses.replace(findings, source=dataclasses.replace(findings.source, n_documents=2))
    assert build(few, WordBook(few)) is None
