import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.streams.preparation import prepare
from driftline.streams.stream import Stream
from driftline.text.tokenise import Tokenizer


def stream_of(texts, labels=None, step=1):
    labels = [None] * len(texts) if labels is None else labels
    start = np.datetime64("2015-01-01")
    return Stream.from_documents(
        [
            (f"d{i}", str(start + np.timedelta64(i * step, "D")), text, label)
            for i, (text, label) in enumerate(zip(texts, labels))
        ]
    )


POSTS = [
    "RT @joe: a storm hits the coast http://t.co/1",
    "A storm hits the coast! http://t.co/2",
    "@ann so tired of the rain",
    "http://t.co/3",
    "@joe",
]


def test_texts_are_shown_as_written_and_counted_clean():
    prepared = prepare(stream_of(POSTS, ["a", "b", None, "a", "b"]))
    corpus = prepared.corpus()
    assert prepared.source_kind.kind == "posts"
    assert prepared.language.codes == ("en",)
    assert corpus.texts.to_pylist() == [POSTS[0], *POSTS[2:]]
    assert corpus.ids.to_pylist() == ["d0", "d2", "d3", "d4"]
    assert list(corpus.vocabulary) == ["coast", "hits", "rain", "storm", "tired"]
    assert corpus.labels.tolist() == [0, -1, 0, 1]
    assert corpus.label_names == ("a", "b")
    assert {left.kind: left.n for left in prepared.left_out} == {
        "urls": 3,
        "retweets": 1,
        "accounts": 2,
        "duplicates": 1,
    }
    assert (len(prepared.times), len(prepared), prepared.n_empty) == (5, 4, 2)


def test_everything_can_be_kept():
    prepared = prepare(stream_of(POSTS), keep="all", stop_words=None)
    assert prepared.left_out == ()
    assert prepared.counted.to_pylist() == POSTS
    assert {"http", "co", "joe", "the"} <= set(prepared.corpus().vocabulary)


def test_a_kind_can_be_named():
    prepared = prepare(stream_of(POSTS), source_kind="prose")
    assert prepared.source_kind.kind == "prose"
    assert {left.kind for left in prepared.left_out} == {"urls"}


def test_the_kind_of_the_source_comes_before_the_texts_and_after_the_user():
    known = Stream.from_documents([("2015-03-01", POSTS[0])], source_kind="commits")
    assert prepare(known).source_kind.kind == "commits"
    assert prepare(known, source_kind="prose").source_kind.kind == "prose"


def test_stop_words_of_a_language_a_list_and_none():
    stream = stream_of(["der Krieg und die Wahl", "der Sturm und die Küste", "was ist das und wer war es"])
    assert "und" not in prepare(stream).corpus().vocabulary
    assert "und" in prepare(stream, stop_words=None).corpus().vocabulary
    assert "und" in prepare(stream, stop_words="en").corpus().vocabulary
    assert "krieg" not in prepare(stream, stop_words=["krieg"]).corpus().vocabulary
    assert "und" in prepare(stream).corpus(Tokenizer()).vocabulary


def test_phrases_and_stop_words_have_columns_of_their_own():
    texts = [f"the war in Sierra Leone {i}a" for i in range(10)] + [f"the rain {i}b" for i in range(30)]
    counted = prepare(stream_of(texts)).count(min_df=2)
    assert list(counted.corpus.vocabulary) == ["leone", "rain", "sierra", "war"]
    assert list(counted.phrases.vocabulary) == ["sierra leone"]
    assert list(counted.stop_words.vocabulary) == ["in", "the"]
    assert counted.phrases.counts.shape == (40, 1)
    assert counted.corpus.counts.sum() == 60
    assert counted.stop_words.counts.sum() == 50


def test_words_are_those_of_counting_without_stop_words():
    texts = [f"the war and the peace of {'abcdefg'[i % 7] * 3}" for i in range(50)]
    prepared = prepare(stream_of(texts), keep="all")
    together = prepared.corpus(min_df=2, max_df=0.9, max_features=5)
    tokenizer = Tokenizer(stop_words=prepared.stop_words)
    from driftline.text import count_words

    apart, vocabulary = count_words(texts, tokenizer, min_df=2, max_df=0.9, max_features=5)
    assert together.vocabulary == vocabulary
    assert (together.counts != apart).nnz == 0
    assert together.tokenizer == tokenizer


def test_stems_pairs_and_patterns_have_no_phrases():
    texts = ["war in sierra leone"] * 9 + [f"rain {i}b" for i in range(30)]
    prepared = prepare(stream_of(texts))
    for tokenizer in (Tokenizer(ngram_range=(1, 2)), Tokenizer(pattern="[a-z]{3,}")):
        counted = prepared.count(tokenizer)
        assert len(counted.phrases.vocabulary) == 0
        assert "sierra" in counted.corpus.vocabulary


def test_some_documents_can_be_selected():
    prepared = prepare(stream_of(POSTS))
    part = prepared.select(np.array([True, False, True, False]))
    assert part.documents["id"].to_pylist() == ["d0", "d3"]
    assert len(part.counted) == 2
    assert len(prepared.select(np.array([1, 2]))) == 2


def test_choices_are_checked_before_reading():
    with pytest.raises(InvalidInput, match="keep"):
        prepare(stream_of(POSTS), keep=["uris"])
    with pytest.raises(InvalidInput, match="source_kind"):
        prepare(stream_of(POSTS), source_kind="novel")
    with pytest.raises(InvalidInput, match="stop_words"):
        prepare(stream_of(POSTS), stop_words="klingon")


@pytest.mark.parametrize(
    "texts",
    [
        ["the same old story again and again"] * 1000,
        ["x" * 1_000_000],
        ["a1" * 500_000 + " war"],
        ["\n" * 100_000],
        ["", " ", "\u200b"],
        ["war\x00peace", "a\rb"],
    ],
)
def test_hostile_streams_are_prepared(texts):
    prepared = prepare(stream_of(texts))
    assert len(prepared.times) == len(texts)
    assert len(prepared) == len(prepared.counted) >= 1


def test_no_document_is_an_error():
    with pytest.raises(InvalidInput, match="no document"):
        prepare(Stream.from_documents([]))


def test_a_document_dated_by_an_import_does_not_make_a_dated_one_a_duplicate():
    """Fifty documents were imported at one instant; ten of them are also there with their own dates, after it."""
    numbered = [f"the parcel number {place} has not arrived yet" for place in range(400)]
    start = np.datetime64("2022-01-01T00:00")
    dated = [(str(start + np.timedelta64(7 * i, "h")), text) for i, text in enumerate(numbered)]
    instant = str(start + np.timedelta64(7 * 200 - 3, "h"))
    imported = [(instant, text) for text in numbered[200:210]]
    imported += [(instant, f"an older parcel number {i} was lost there") for i in range(40)]
    documents = [(str(i), *each, None) for i, each in enumerate(sorted([*dated, *imported]))]
    prepared = prepare(Stream.from_documents(documents))
    assert "duplicates" not in {left.kind for left in prepared.left_out}
    assert len(prepared.documents) == 450
    twice = prepare(Stream.from_documents([*documents, ("again", documents[-1][1], documents[-1][2], None)]))
    assert {left.kind: left.n for left in twice.left_out}["duplicates"] == 1


@pytest.mark.parametrize("kind", ["logs", "prose"])
def test_repeated_lines_of_a_log_count(kind):
    line = "connection to the storage node was lost and will be opened again"
    stream = Stream.from_documents([(str(i), np.datetime64("2003-04-05") + i, line, None) for i in range(20)])
    assert len(prepare(stream, source_kind=kind).documents) == (20 if kind == "logs" else 1)
    assert "duplicates" in {each.kind for each in prepare(stream, source_kind="prose").left_out}
    assert not prepare(stream, source_kind="logs").left_out
