import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.streams.corpus import Corpus
from driftline.streams.schema import SCHEMA, conform
from driftline.streams.stream import Stream
from driftline.text.counts import count_words
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary

TEXTS = ["SARS spreads", "War in Iraq", "Baghdad falls", "the war is over", "quiet"]
TIMES = ["2003-04-01", "2003-03-20", "2003-04-09", "2003-05-01", "2003-04-09"]
LABELS = ["health", "war", "war", "war", None]
ORDER = [1, 0, 2, 4, 3]


class FakeStream:
    """Yields record batches of the stream's schema and remembers how many were alive at once."""

    def __init__(self, texts, times, labels, size=2):
        self.rows = list(zip(map(str, range(len(texts))), times, texts, labels))
        self.size = size

    def batches(self):
        for start in range(0, len(self.rows), self.size):
            columns = list(zip(*self.rows[start : start + self.size]))
            times = pa.array(np.array(columns[1], dtype="datetime64[us]")).cast(SCHEMA.field("time").type)
            names = dict(zip(("id", "text", "label"), (columns[0], columns[2], pa.array(columns[3], pa.string()))))
            yield conform(pa.table({**names, "time": times})).to_batches()[0]


@pytest.fixture
def corpus():
    return Corpus.from_texts(TEXTS, TIMES, LABELS)


def _assert_same(one, other):
    assert one.vocabulary == other.vocabulary
    assert (one.counts != other.counts).nnz == 0
    assert one.times.tolist() == other.times.tolist()
    assert one.ids.to_pylist() == other.ids.to_pylist()
    assert one.label_names == other.label_names
    assert (one.labels is None) == (other.labels is None)
    if one.labels is not None:
        assert one.labels.tolist() == other.labels.tolist()
    assert (one.texts is None) == (other.texts is None)
    if one.texts is not None:
        assert one.texts.to_pylist() == other.texts.to_pylist()


def test_everything_follows_the_times(corpus):
    assert corpus.texts.to_pylist() == [TEXTS[i] for i in ORDER]
    assert corpus.ids.to_pylist() == [str(i) for i in ORDER]
    assert corpus.times.tolist() == np.array(TIMES, dtype="datetime64[us]")[ORDER].tolist()
    assert [None if code < 0 else corpus.label_names[code] for code in corpus.labels] == [LABELS[i] for i in ORDER]
    counts, vocabulary = count_words([TEXTS[i] for i in ORDER], Tokenizer(stop_words="english"))
    assert corpus.vocabulary == vocabulary
    assert (corpus.counts != counts).nnz == 0


def test_sorting_is_stable():
    corpus = Corpus.from_texts([f"w{n}" for n in range(100)], [n % 3 for n in range(100)])
    assert corpus.ids.to_pylist() == [str(n) for rest in range(3) for n in range(rest, 100, 3)]


@pytest.mark.parametrize("size", [1, 2, 3, 10])
@pytest.mark.parametrize("keep_texts", [True, False])
def test_a_stream_counted_in_batches_is_the_texts_counted_at_once(corpus, size, keep_texts):
    streamed = Corpus.from_stream(FakeStream(TEXTS, TIMES, LABELS, size), keep_texts=keep_texts)
    if not keep_texts:
        corpus = Corpus.from_texts(TEXTS, TIMES, LABELS, keep_texts=False)
        assert streamed.texts is None
    _assert_same(streamed, corpus)


def test_a_real_stream_serves_too(corpus):
    stream = Stream.from_documents([(str(i), *rest) for i, rest in enumerate(zip(TIMES, TEXTS, LABELS))])
    _assert_same(Corpus.from_stream(stream), corpus)
    again = Corpus.from_stream(stream, min_df=2, tokenizer=Tokenizer())
    assert list(again.vocabulary) == ["war"]


def test_a_stream_without_labels_has_none():
    corpus = Corpus.from_stream(FakeStream(TEXTS, TIMES, [None] * 5))
    assert corpus.labels is None
    assert corpus.label_names == ()
    assert len(corpus.where_label(None)) == 5


def test_an_empty_stream_is_an_error():
    with pytest.raises(InvalidInput, match="no document"):
        Corpus.from_stream(FakeStream([], [], []))
    with pytest.raises(InvalidInput, match="no document"):
        Corpus.from_texts([], [])


def test_a_given_vocabulary_keeps_its_columns():
    vocabulary = Vocabulary(["peace", "war"])
    corpus = Corpus.from_texts(TEXTS, TIMES, vocabulary=vocabulary)
    assert corpus.vocabulary is vocabulary
    assert corpus.counts.toarray()[:, 1].tolist() == [1, 0, 0, 0, 1]
    with pytest.raises(InvalidInput, match="prune"):
        Corpus.from_stream(FakeStream(TEXTS, TIMES, LABELS), vocabulary=vocabulary, min_df=2)


def test_other_texts_are_counted_in_the_same_way(corpus):
    counts = corpus.count(["war war unknown", ""])
    assert counts.shape == (2, len(corpus.vocabulary))
    assert counts[0, corpus.vocabulary.column("war")] == 2
    assert counts.sum() == 2


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (slice(1, 3), [1, 2]),
        (slice(None), [0, 1, 2, 3, 4]),
        (slice(3, 1), []),
        (slice(-2, None), [3, 4]),
        (slice(None, None, 2), [0, 2, 4]),
        (slice(None, None, -2), [0, 2, 4]),
        ([4, 0], [0, 4]),
        (np.array([True, False, False, False, True]), [0, 4]),
        ([], []),
        (-1, [4]),
        (np.array([1, 1]), [1, 1]),
    ],
)
def test_parts_are_corpora_in_time_order(corpus, rows, expected):
    part = corpus[rows]
    assert part.ids.to_pylist() == [corpus.ids[i].as_py() for i in expected]
    assert part.texts.to_pylist() == [corpus.texts[i].as_py() for i in expected]
    assert part.counts.toarray().tolist() == corpus.counts.toarray()[expected].tolist()
    assert part.times.tolist() == corpus.times[expected].tolist()
    assert part.labels.tolist() == corpus.labels[expected].tolist()
    assert part.label_names == corpus.label_names
    assert len(part) == len(expected)


@pytest.mark.parametrize(
    ("rows", "error"), [([5], IndexError), ([-6], IndexError), ([True], InvalidInput), (["a"], InvalidInput)]
)
def test_parts_that_are_not_there_are_errors(corpus, rows, error):
    with pytest.raises(error, match="document"):
        corpus[rows]


def test_splits_respect_time(corpus):
    before, after = corpus.split_at("2003-04-09")
    assert (len(before), len(after)) == (2, 3)
    assert before.times.max() < after.times.min()
    train, test = corpus.split(0.5)
    assert train.times.max() < test.times.min()
    folds = list(corpus.time_folds(3))
    assert len(folds) == 3
    for train, test in folds:
        assert train.times.max() < test.times.min()
    assert len(corpus.split_at("1990-01-01")[0]) == 0


def test_where_label(corpus):
    assert corpus.where_label("war").texts.to_pylist() == ["War in Iraq", "Baghdad falls", "the war is over"]
    assert corpus.where_label(None).texts.to_pylist() == ["quiet"]
    with pytest.raises(InvalidInput, match="'health', 'war'"):
        corpus.where_label("sport")


def test_pruning_is_counting_with_limits(corpus):
    pruned = corpus.prune(min_df=2)
    _assert_same(pruned, Corpus.from_texts(TEXTS, TIMES, LABELS, min_df=2))
    assert pruned.tokenizer == corpus.tokenizer


def test_from_counts_of_ones_own():
    corpus = Corpus(np.array([[1, 0], [0, 2]]), [2.0, 1.0], ["a", "b"], labels=[1, 0], label_names=("x", "y"))
    assert corpus.counts.toarray().tolist() == [[0, 2], [1, 0]]
    assert corpus.labels.tolist() == [0, 1]
    assert corpus.ids.to_pylist() == ["1", "0"]
    assert list(corpus.vocabulary) == ["a", "b"]
    assert Corpus(sp.csr_matrix((1, 1)), [0], ["a"], labels=[7]).label_names == ("7",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"times": [1.0]}, "2 documents but 1 times"),
        ({"vocabulary": ["a"]}, "2 columns, but the vocabulary 1 words"),
        ({"ids": ["a"]}, "1 ids"),
        ({"texts": ["a"]}, "1 texts"),
        ({"labels": [0]}, "1 labels"),
        ({"times": [np.nan, 1.0]}, "time of document 0"),
    ],
)
def test_columns_that_do_not_fit_are_errors(changes, message):
    columns = {"counts": sp.csr_matrix((2, 2)), "times": [0.0, 1.0], "vocabulary": ["a", "b"]}
    with pytest.raises(InvalidInput, match=message):
        Corpus(**{**columns, **changes})


def test_data_frames_serve(corpus):
    frame = pd.DataFrame({"text": TEXTS, "time": pd.to_datetime(TIMES), "label": LABELS, "id": range(5)})
    _assert_same(Corpus.from_texts(frame.text, frame.time, frame.label, frame.id), corpus)


def test_repr_tells_the_story(corpus):
    assert repr(corpus) == (
        "<Corpus: 5 documents from 2003-03-20 to 2003-05-01, 7 words, 2 labels (1 document unlabelled), texts kept>"
    )
    assert repr(corpus[:0]) == "<Corpus: 0 documents, 7 words, 2 labels, texts kept>"
    plain = Corpus.from_texts(["war"], [0.0], keep_texts=False)
    assert repr(plain) == "<Corpus: 1 document from 0 to 0, 1 word, texts not kept>"
