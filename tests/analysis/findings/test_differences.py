from __future__ import annotations

import pytest

from driftline.analysis.context import Context
from driftline.analysis.findings.differences import DIFFERENCES
from driftline.datasets.newswire import simulate_newswire
from driftline.streams.stream import Stream


@pytest.fixture(scope="module")
def documents():
    wire = simulate_newswire(700, random_state=1)
    return list(zip(wire.ids, wire.times, wire.texts, [str(label) for label in wire.labels.tolist()]))


def test_labels_differ_in_topics_and_words(documents):
    found = DIFFERENCES.value(Context(Stream.from_documents(documents)))
    assert found.kind == "label"
    assert len(found.groups) >= 2
    assert found.words
    assert all(word.group in {group.name for group in found.groups} for word in found.words)
    assert found.n_topics >= 4


def test_without_labels_and_authors_there_is_nothing_to_compare(documents):
    plain = [(number, time, text) for number, time, text, _ in documents]
    assert DIFFERENCES.value(Context(Stream.from_documents(plain))) is None
