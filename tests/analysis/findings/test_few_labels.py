import numpy as np
import pytest

from driftline.analysis.findings.few_labels import FEW, MOST_DOCUMENTS, N_SUGGESTIONS, _rows_to_use, describe_few_labels
from driftline.datasets.newswire import simulate_newswire
from driftline.streams.corpus import Corpus


def corpus_of(wire, labels):
    return Corpus.from_texts(wire.texts, wire.times, labels=labels, ids=wire.ids, min_df=2)


@pytest.fixture(scope="module")
def wire():
    return simulate_newswire(1200, random_state=5)


@pytest.fixture(scope="module")
def sparse(wire):
    labels = np.where(np.random.default_rng(0).random(len(wire)) < 0.1, wire.labels, None)
    return corpus_of(wire, labels)


@pytest.fixture(scope="module")
def found(sparse):
    return describe_few_labels(sparse)


def test_where_most_are_labelled_few_labels_are_learned_and_the_others_requested(wire):
    found = describe_few_labels(corpus_of(wire, wire.labels))
    assert found.labels_per_frame == FEW
    assert found.n_learned == 12 * FEW
    assert sum(frame.n_documents for frame in found.frames) == found.n_documents == len(wire)
    assert all(frame.n_tested == frame.n_documents - FEW for frame in found.frames)
    assert all(frame.lower < frame.accuracy < frame.upper for frame in found.frames)
    assert np.mean([frame.accuracy for frame in found.frames[-4:]]) > 0.8
    assert all(frame.most_frequent < 0.5 for frame in found.frames)
    assert found.suggestions == []


def test_where_few_are_labelled_each_label_is_predicted_before_it_is_learned(sparse, found):
    assert found.labels_per_frame is None
    assert found.n_labelled == found.n_learned == (sparse.labels >= 0).sum()
    assert found.frames[0].accuracy is None
    assert [frame.n_tested for frame in found.frames[1:]] == [frame.n_learned for frame in found.frames[1:]]
    assert np.mean([frame.accuracy for frame in found.frames[-4:]]) > 0.6


def test_the_labels_of_a_frame_have_no_part_in_foreseeing_it(sparse, found):
    """Wrong labels in the last month change what was predicted there into mistakes, and nothing before."""
    last = (sparse.times >= np.datetime64("2025-12-01")) & (sparse.labels >= 0)
    wrong = np.where(last, (sparse.labels + 1) % len(sparse.label_names), sparse.labels)
    spoiled = describe_few_labels(
        Corpus(sparse.counts, sparse.times, sparse.vocabulary, labels=wrong, label_names=sparse.label_names)
    )
    assert spoiled.frames[:-1] == found.frames[:-1]
    assert spoiled.frames[-1].accuracy < 0.4 < found.frames[-1].accuracy


def test_suggestions_are_unlabelled_documents_of_the_last_frame_with_their_texts(sparse, found):
    assert len(found.suggestions) == N_SUGGESTIONS
    texts = dict(zip(sparse.ids.to_pylist(), sparse.texts.to_pylist()))
    for suggestion in found.suggestions:
        assert suggestion.example.label is None
        assert suggestion.example.time >= "2025-12-01"
        assert suggestion.example.text == " ".join(texts[suggestion.example.id].split())
        assert suggestion.label in sparse.label_names
        assert 0 < suggestion.probability < 1


def test_the_same_seed_finds_the_same(sparse, found):
    assert describe_few_labels(sparse, random_state=0) == found


def test_without_enough_labels_there_is_nothing_to_say(wire):
    assert describe_few_labels(corpus_of(wire, None)) is None
    assert describe_few_labels(corpus_of(wire, ["one"] * len(wire))) is None
    assert describe_few_labels(corpus_of(wire, [*wire.labels[:10], *[None] * (len(wire) - 10)])) is None


def test_one_frame_has_suggestions_and_nothing_predicted(wire):
    times = np.repeat(np.datetime64("2024-01-01", "us"), 100)
    labels = [str(label) if i % 3 == 0 else None for i, label in enumerate(wire.labels[:100])]
    found = describe_few_labels(Corpus.from_texts(wire.texts[:100], times, labels=labels))
    assert [frame.accuracy for frame in found.frames] == [None]
    assert len(found.suggestions) == N_SUGGESTIONS


def test_a_last_frame_that_has_hardly_begun_is_joined_to_the_one_before(sparse):
    cut = sparse[: int(np.searchsorted(sparse.times, np.datetime64("2025-12-03")))]
    *_, last = describe_few_labels(cut).frames
    assert (last.start[:10], last.end[:10]) == ("2025-11-01", "2026-01-01")


def test_large_streams_are_thinned_evenly_and_keep_their_newest_documents():
    n = 3 * MOST_DOCUMENTS
    labels = np.where(np.arange(n) % 3 == 0, np.arange(n) % 2, -1)
    corpus = Corpus(np.ones((n, 1), dtype=int), np.arange(float(n)), ["word"], labels=labels, label_names=("a", "b"))
    rows = _rows_to_use(corpus)
    assert len(rows) == len(np.unique(rows)) == MOST_DOCUMENTS
    assert (labels[rows] >= 0).mean() == 0.5
    newest = np.flatnonzero(labels < 0)[-MOST_DOCUMENTS // 4 :]
    assert np.isin(newest, rows).all()
