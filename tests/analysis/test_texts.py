from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.analysis.headlines import describe_headlines
from driftline.analysis.items import items_of, present
from driftline.analysis.texts import texts_of
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.corpus import Corpus

N_DAYS, PER_DAY = 80, 12
TAILS = ["today", "again", "update", "more", "now", "please"]


def newspaper(rng, extra):
    """Documents of common words over 80 days, and some more on day 40."""
    day = np.repeat(np.arange(N_DAYS), PER_DAY)
    texts = [" ".join(f"w{k}" for k in rng.integers(0, 120, 9)) for _ in day]
    day, texts = np.r_[day, [40] * len(extra)], [*texts, *extra]
    order = np.argsort(day, kind="stable")
    times = np.datetime64("2024-01-01", "us") + day[order] * np.timedelta64(1, "D")
    return Corpus.from_texts([texts[i] for i in order], times)


def stories(corpus, measure="documents"):
    items = items_of(corpus, measure=measure)
    tests = changed_words(present(items.counts), times=items.times, sizes=np.ones(len(items.times)))
    return {story.change.word for story in describe_headlines(corpus, items, tests).headlines.stories}


def test_copies_of_one_document_are_not_an_event_and_as_many_other_documents_are():
    rng = np.random.default_rng(0)
    copies = [f"quake w1 w5 w9 w13 w17 w21 {rng.choice(TAILS)}" for _ in range(20)]
    others = [f"quake {' '.join(f'w{k}' for k in rng.integers(0, 120, 6))}" for _ in range(20)]
    assert "quake" not in stories(newspaper(rng, copies))
    assert "quake" in stories(newspaper(rng, others))


def test_passages_of_two_documents_are_not_an_event():
    rng = np.random.default_rng(1)
    long = [" ".join(["quake", *(f"w{k}" for k in rng.integers(0, 120, 199))] * 10) for _ in range(2)]
    corpus = newspaper(rng, long)
    items = items_of(corpus, measure="passages")
    assert np.bincount(texts_of(items, corpus)).max() == 10
    assert "quake" not in stories(corpus, "passages")


def test_texts_follow_the_times_of_the_items():
    corpus = Corpus.from_texts(["heavy storm hits northern coast"] * 4, ["2024-01-01"] * 2 + ["2024-01-02"] * 2)
    items = items_of(corpus)
    moved = items._replace(times=items.times[[0, 2, 1, 3]])
    assert texts_of(items, corpus, unit="day").tolist() == [0, 0, 1, 1]
    assert texts_of(moved, corpus, unit="day").tolist() == [0, 1, 0, 1]


def test_where_little_is_counted_what_was_written_says_what_is_a_copy():
    quoted = "> the same long quotation stands in every one of these mails, and nobody counts it"
    written = [f"{quoted}\nyes", f"{quoted}\nindeed", "yes", "", "!"]
    corpus = Corpus(
        sp.csr_array(np.array([[1, 0], [0, 1], [1, 0], [0, 0], [0, 0]])), np.zeros(5), ["yes", "indeed"], texts=written
    )
    texts = texts_of(items_of(corpus, measure="documents"), corpus)
    assert texts[0] == texts[1]
    assert len(np.unique(texts)) == 4
    brief = Corpus(sp.csr_array((4, 1)), np.zeros(4), ["x"], texts=["Bitte schön.", "bitte schön, weiter", "Danke", ""])
    assert texts_of(items_of(brief, measure="documents"), brief).tolist()[:2] == [0, 0]
    assert len(np.unique(texts_of(items_of(brief, measure="documents"), brief))) == 3
    empty = Corpus(sp.csr_array((2, 1)), np.zeros(2), ["yes"], texts=["", "!"])
    assert len(np.unique(texts_of(items_of(empty, measure="documents"), empty))) == 2
