from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow.parquet as pq
import pytest

from driftline.analysis.curve_times import grid
from driftline.analysis.findings import long_documents as module
from driftline.analysis.findings.long_documents import describe_long_documents
from driftline.streams.corpus import Corpus
from driftline.text.tokenise import Tokenizer

SUBJECTS = ("sea", "town", "wood")


def paragraph(rng, subject, n=12):
    words = [f"{subject}{number}" for number in range(200)]
    return " ".join(" ".join([*rng.choice(words, 6), "everywhere"]) + "." for _ in range(n))


def corpus_of(n=40, n_paragraphs=3, **options):
    """Documents that go from the sea to the town to the wood; in the later half of the stream the other way round."""
    rng = np.random.default_rng(0)
    texts = []
    for document in range(n):
        order = SUBJECTS if document < n // 2 else SUBJECTS[::-1]
        texts.append("\n\n".join(paragraph(rng, subject) for subject in order for _ in range(n_paragraphs)))
    times = np.datetime64("2024-01-01", "us") + np.arange(n) * np.timedelta64(10, "D")
    return Corpus.from_texts(texts, times, tokenizer=Tokenizer(), **options)


@pytest.fixture(scope="module")
def found():
    corpus = corpus_of()
    return describe_long_documents(corpus, grid(corpus.times, 20))


def subject_of(theme):
    (subject,) = {word.rstrip("0123456789") for word in theme.words}
    return subject


def by_subject(found, shares):
    """Return places × subjects: what the themes of each subject have together."""
    subjects = [subject_of(theme) for theme in found.themes]
    member = np.array([[subject == each for each in SUBJECTS] for subject in subjects], dtype=float)
    return np.array(shares) @ member


def test_every_theme_is_of_one_subject_and_the_subjects_have_equal_shares(found):
    shares = by_subject(found, [[theme.share for theme in found.themes]])[0]
    assert shares == pytest.approx([1 / 3] * 3, abs=0.05)
    assert all(len(theme.curve.times) == 20 for theme in found.themes)


def test_the_run_inside_documents_is_seen_to_turn_round(found):
    assert [era.n_documents for era in found.eras] == [10, 10, 10, 10]
    for number, era in enumerate(found.eras):
        order = SUBJECTS if number < 2 else SUBJECTS[::-1]
        shares = by_subject(found, era.shares)
        np.testing.assert_allclose(shares.sum(axis=1), 1, atol=5e-3)
        assert [SUBJECTS[int(k)] for k in shares[[2, 10, 17]].argmax(axis=1)] == list(order)
        assert 8 <= era.run_lower <= era.run_words <= era.run_upper <= 252


def test_documents_are_shown_place_by_place(found):
    assert [document.kind for document in found.documents] == ["typical"] * 4 + ["latest"]
    assert [document.era for document in found.documents] == [0, 1, 2, 3, 3]
    assert found.documents[-1].id == "39"
    for document in found.documents:
        assert len(document.positions) == len(document.shares) == len(document.passage_of)
        assert np.diff(document.positions).min() >= 0
        assert document.n_words == 3 * 3 * 12 * 7
        first, last = (document.passages[document.passage_of[place]] for place in (0, -1))
        assert (first[:3], last[:3]) == (("sea", "woo") if document.era < 2 else ("woo", "sea"))
        borders = np.array([document.positions[turn.place] / document.n_words for turn in document.turns])
        assert max(np.abs(borders - third).min() for third in (0, 1 / 3, 2 / 3)) < 0.05
        assert max(map(len, document.passages)) <= module.LONGEST_PASSAGE + 2


def test_the_same_documents_give_the_same_findings():
    corpus = corpus_of(16)
    when = grid(corpus.times, 5)
    assert describe_long_documents(corpus, when) == describe_long_documents(corpus, when)


def test_short_documents_few_documents_and_documents_without_texts_have_no_flow(corpus):
    assert describe_long_documents(corpus, grid(corpus.times, 20)) is None
    few = corpus_of(10)
    assert describe_long_documents(few, grid(few.times, 20)) is None
    short = corpus_of(n_paragraphs=1)
    assert describe_long_documents(short, grid(short.times, 20)) is None
    bare = dataclasses.replace(corpus_of(), texts=None)
    assert describe_long_documents(bare, grid(bare.times, 20)) is None
    instant = corpus_of(12)
    assert describe_long_documents(instant, instant.times[:1]) is None


def test_long_documents_without_a_word_that_tells_have_no_flow():
    texts = ["monotony " * 600] * 20
    times = np.datetime64("2024-01-01", "us") + np.arange(20) * np.timedelta64(1, "D")
    corpus = Corpus.from_texts(texts, times)
    assert describe_long_documents(corpus, grid(corpus.times, 5)) is None


def test_pairs_of_words_do_not_disturb():
    corpus = corpus_of(14)
    pairs = Corpus.from_texts(corpus.texts, corpus.times, tokenizer=Tokenizer(ngram_range=(1, 2)), min_df=2)
    found = describe_long_documents(pairs, grid(corpus.times, 5))
    assert all(" " not in word for theme in found.themes for word in theme.words)


def test_a_few_short_documents_among_long_ones_are_left_out():
    corpus = corpus_of(20)
    texts = corpus.texts.to_pylist()
    texts[-1] = "Nothing to say."
    mixed = Corpus.from_texts(texts, corpus.times, tokenizer=Tokenizer())
    found = describe_long_documents(mixed, grid(corpus.times, 5))
    assert found.n_used == 19
    assert found.documents[-1].id == "18"


def test_words_that_span_paragraphs_leave_nothing_to_show():
    rng = np.random.default_rng(0)
    texts = ["\n\n".join(f"x\n\ny{number}" for number in rng.integers(0, 900, 600)) for _ in range(14)]
    times = np.datetime64("2024-01-01", "us") + np.arange(14) * np.timedelta64(1, "D")
    corpus = Corpus.from_texts(texts, times, tokenizer=Tokenizer(pattern=r"x\s+y\d+"))
    found = describe_long_documents(corpus, grid(corpus.times, 5))
    assert found.themes
    assert found.documents == []


def test_many_documents_are_sampled(monkeypatch):
    monkeypatch.setattr(module, "MOST_DOCUMENTS", 15)
    corpus = corpus_of(40)
    found = describe_long_documents(corpus, grid(corpus.times, 5))
    assert found.n_used == 15
    assert len(found.eras) == 1


@pytest.mark.slow
@pytest.mark.data
def test_yearly_addresses_have_a_flow_and_paragraphs_of_a_novel_have_none(real_data):
    table = pq.read_table(real_data("sotu_1790_2024"))
    corpus = Corpus.from_texts(table["text"], table["time"].to_numpy(), min_df=2, max_features=30_000)
    found = describe_long_documents(corpus, grid(corpus.times, 50))
    assert len(found.eras) == 4
    assert found.documents[-1].time.startswith("2024")
    treaties = next(i for i, theme in enumerate(found.themes) if "treaty" in theme.words)
    early, late = (np.array(found.eras[era].shares)[:, treaties] for era in (0, -1))
    assert early[:10].mean() > 2 * early[10:].mean()
    assert early.mean() > 10 * late.mean()
    kafka = pq.read_table(real_data("kafka_metamorphosis"))["text"]
    times = np.datetime64("2024-01-01", "us") + np.arange(len(kafka)) * np.timedelta64(1, "D")
    novel = Corpus.from_texts(kafka, times, min_df=2)
    assert describe_long_documents(novel, grid(novel.times, 50)) is None
