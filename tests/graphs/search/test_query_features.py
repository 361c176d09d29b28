from __future__ import annotations

from tests.graphs.search.test_index_segments import segment_of

from driftline.graphs.search.queries import parse_query
from driftline.graphs.search.query_features import (
    MOST_FULL_TERMS,
    ORDERED,
    TERM,
    UNORDERED,
    features_of,
    occurrences,
    phrase_of,
)
from driftline.text.tokenise import Tokenizer

ENGLISH = Tokenizer(stop_words="english")


def features(text, dependence):
    return [(f.kind, f.words, f.width) for f in features_of(parse_query(text, ENGLISH), dependence)]


def test_independent_features_are_terms():
    assert features("gas gas pipeline", "independent") == [(TERM, (w,), 0) for w in ("gas", "gas", "pipeline")]


def test_sequential_pairs_are_neighbours_only():
    found = features("gas pipeline of company", "sequential")[3:]
    assert found == [(ORDERED, ("gas", "pipeline"), 0), (UNORDERED, ("gas", "pipeline"), 8)]


def test_a_repeated_word_has_no_window():
    assert [kind for kind, _, _ in features("gas gas", "sequential")] == [TERM, TERM, ORDERED]


def test_full_dependence_has_all_subsets_and_runs():
    found = features("gas pipeline burst", "full")[3:]
    assert {words for kind, words, _ in found if kind == ORDERED} == {
        ("gas", "pipeline"),
        ("pipeline", "burst"),
        ("gas", "pipeline", "burst"),
    }
    windows = {words: width for kind, words, width in found if kind == UNORDERED}
    assert windows[("gas", "burst")] == 8
    assert windows[("gas", "pipeline", "burst")] == 12
    assert len(windows) == 4


def test_long_queries_fall_back_to_pairs():
    text = " ".join(f"word{i}" for i in range(MOST_FULL_TERMS + 1))
    assert features(text, "full") == features(text, "sequential")


def test_occurrences_are_summed_over_segments():
    segments = [segment_of(["gas pipeline", "pipeline gas"]), segment_of(["the gas pipeline gas pipeline"], 2)]
    pair = features_of(parse_query("gas pipeline", ENGLISH), "sequential")[2]
    found = occurrences(pair, segments)
    assert (found.docs.tolist(), found.counts.tolist(), found.total) == ([0, 2], [1.0, 2.0], 3.0)


def test_a_quoted_stop_word_keeps_its_position():
    phrase = phrase_of(parse_query('"state of the union"', ENGLISH).phrases[0])
    segments = [segment_of(["the state of the union", "state union", "state of one very large union"])]
    assert occurrences(phrase, segments).docs.tolist() == [0]
