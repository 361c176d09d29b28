from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

from driftline import Stream, analyse
from driftline.analysis.findings.explorable import Explorable, Groups, _are_same, _most_frequent, _shortened, _within
from driftline.analysis.serialise import from_json, to_json
from driftline.datasets import simulate_newswire
from driftline.streams.document_groups import DocumentGroups


@pytest.fixture(scope="module")
def found():
    wire = simulate_newswire(900, random_state=0)
    rows = [
        (str(i), time, f"{text} monday 2024", label, f"author {i % 3}", None, f"{'ab'[i % 2]}/{i % 4}.csv")
        for i, (time, text, label) in enumerate(zip(wire.times, wire.texts, wire.labels))
    ]
    return analyse(Stream.from_documents(rows))


def test_every_counted_word_has_its_documents(found):
    data = found.explorable
    assert isinstance(data, Explorable)
    assert data.items.shape == (len(data.times), len(data.words))
    word = found.changed_words[0]
    place = data.words.index(word.word)
    assert data.items.indptr[place + 1] - data.items.indptr[place] == word.n_documents
    row = int(data.items.indices[data.items.indptr[place]])
    assert word.word.split()[0] in data.texts[row].as_py().lower()
    assert data.labels is not None
    assert set(data.labels.names) == set(found.source.labels)
    assert data.authors is not None
    assert data.authors.names == ("author 0", "author 1", "author 2")
    assert data.sources is not None
    assert data.sources.names == ("a", "b")
    numbers = np.array([int(each) for each in data.ids.to_pylist()])
    assert (data.sources.codes == numbers % 2).all()
    assert len(data.unit) == len(data.exchanged) == len(data.document)
    assert (np.diff(data.times) >= np.timedelta64(0, "s")).all()


def test_numbers_days_and_months_come_last(found):
    data = found.explorable
    assert isinstance(data, Explorable)
    last = {data.words[place] for place in data.last}
    assert {"2024", "monday"} < last < set(data.words)
    assert found.changed_words[0].word not in last


def test_the_data_of_the_page_are_not_findings(found):
    assert "explorable" not in to_json(found)
    read = from_json(to_json(found))
    assert read == found
    assert read.explorable is None
    assert "explorable" not in repr(dataclasses.replace(found, topics=[]))


def test_small_streams_have_none():
    stream = Stream.from_documents([(f"2024-01-{day:02}", "rain again") for day in range(1, 29)])
    assert analyse(stream).explorable is None


def test_the_rarest_words_are_left_out_first():
    documents = np.array([9, 1, 4, 1, 3])
    for most in range(1, 20):
        kept, least = _within(documents, most)
        assert documents[kept].sum() <= most
        assert kept.tolist() == (documents >= least).tolist()
    assert _within(documents, 18)[0].all()


def test_texts_are_cut_after_a_word():
    texts = pa.chunked_array([["short\n one", "word " * 200, "x" * 500, ""]])
    shown = _shortened(texts).to_pylist()
    assert shown[0] == "short one"
    assert shown[1].endswith("word …")
    assert len(shown[1]) <= 402
    assert len(shown[2]) == 400
    assert shown[3] == ""


def test_too_many_groups_keep_the_largest(monkeypatch):
    monkeypatch.setattr("driftline.analysis.findings.explorable.MOST_GROUPS", 2)
    groups = _most_frequent(DocumentGroups(np.array([0, 1, 1, 2, 2, -1]), ("a", "b", "c"), "author"))
    assert groups.names == ("b", "c")
    assert groups.codes.tolist() == [-1, 0, 0, 1, 1, -1]
    assert _most_frequent(DocumentGroups(np.array([0, 0]), ("only",), "author")) is None


def test_authors_that_are_the_labels_are_not_asked_for_twice():
    labels = Groups(np.array([0, 1, -1]), ("Ann", "Bob"))
    assert _are_same(labels, Groups(np.array([1, 0, -1]), ("Bob", "Ann")))
    assert not _are_same(labels, Groups(np.array([0, 1, 0]), ("Ann", "Bob")))
    assert not _are_same(labels, Groups(np.array([0, 1, -1]), ("Ann", "Cid")))
    assert not _are_same(labels, None)
