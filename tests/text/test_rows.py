import unicodedata

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.text import rows
from tests.oracles.tokens import HOSTILE

TEXTS = ["war", "", "été", "peace"]


@pytest.mark.parametrize(
    "texts",
    [
        TEXTS,
        tuple(TEXTS),
        iter(TEXTS),
        (text for text in TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS, pa.string_view()),
        pa.array(TEXTS).dictionary_encode(),
        pa.chunked_array([TEXTS[:1], [], TEXTS[1:]]),
        pa.array(["x", *TEXTS, "x"], pa.large_string())[1:-1],
        pd.Series(TEXTS),
        pd.Series(TEXTS, index=[5, 1, 3, 2], dtype=object),
        pl.Series(TEXTS),
        [text.encode() for text in TEXTS],
    ],
    ids=lambda texts: f"{type(texts).__module__}.{type(texts).__name__}",
)
def test_every_kind_of_texts_is_taken(texts):
    if not hasattr(texts, "__next__"):
        assert rows.text_array(texts).to_pylist() == TEXTS
    assert [text for batch in rows.batches(texts) for text in batch.to_pylist()] == TEXTS


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("war", "put it into a list"),
        (b"war", "put it into a list"),
        (7, "collection of documents"),
        (["a", None], "document 1 has no text"),
        (pa.array(["a", "b", None]), "document 2 has no text"),
        (pd.Series(["a", np.nan]), "document 1 has no text"),
        (["a", "b", 3], "document 2 is not text but a int"),
        (["a", "\ud800"], "document 1 contains half of a surrogate pair"),
        (["a", b"\xff"], "document 1 is not text but a bytes"),
        (pa.array([1, 2]), "int64"),
    ],
)
def test_what_is_not_text_is_an_error_that_names_the_document(texts, message):
    with pytest.raises(InvalidInput, match=message):
        list(rows.batches(texts))


def test_documents_are_counted_across_pieces():
    texts = ["a"] * (rows.BATCH_ROWS + 3)
    texts[rows.BATCH_ROWS + 1] = None
    with pytest.raises(InvalidInput, match=f"document {rows.BATCH_ROWS + 1} "):
        list(rows.batches(texts))
    with pytest.raises(InvalidInput, match="document 3 "):
        list(rows.batches(pa.chunked_array([["a", "b"], ["c", None]])))


def test_bytes_that_are_not_utf8_are_refused():
    data = pa.array([b"ab", b"\xff\xfe"], pa.large_binary())
    broken = pa.LargeStringArray.from_buffers(2, data.buffers()[1], data.buffers()[2])
    with pytest.raises(InvalidInput, match="UTF-8"):
        list(rows.batches(broken))


def test_batches_are_bounded_in_rows_and_bytes():
    many = ["a"] * (2 * rows.BATCH_ROWS + 1)
    assert [len(batch) for batch in rows.batches(pa.array(many))] == [rows.BATCH_ROWS, rows.BATCH_ROWS, 1]
    long = ["x" * (rows.BATCH_BYTES // 2)] * 5 + ["y" * 3 * rows.BATCH_BYTES, "z"]
    sizes = [len(batch) for batch in rows.batches(long)]
    assert sum(sizes) == 7
    assert max(sizes) == 2
    assert list(rows.batches([])) == []


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("strip_accents", [None, "unicode", "ascii"])
@pytest.mark.parametrize(
    "texts",
    [
        HOSTILE,
        [text for text in HOSTILE if text.isascii()],
        [text for text in HOSTILE if not text.isascii()],
        [text for text in HOSTILE if "\0" not in text],
        # Final letters and combining characters must not depend on the row before or after.
        [
            "ΑΣ",
            "Α",
            "Σ",
            "ΣΑ",
            "ΑΣ\u0301",
            "\u0301ΑΣ",
            "'ΑΣ'",
            "ΑΣ\u00ad",
            "\u0345",
            "\u0323e\u0301",
            "\u0301\u0323",
            "é",
            "",
        ],
    ],
    ids=["all", "ascii", "others", "without NUL", "neighbours"],
)
def test_rows_are_normalised_as_python_does_it(texts, lowercase, strip_accents):
    def plain(text):
        text = text.lower() if lowercase else text
        if strip_accents is None:
            return text
        text = unicodedata.normalize("NFKD", text)
        if strip_accents == "ascii":
            return "".join(c for c in text if ord(c) < 128)
        return "".join(c for c in text if not unicodedata.combining(c))

    done, beyond_ascii = rows.normalise(
        pa.array(["?", *texts], pa.large_string())[1:], lowercase=lowercase, strip_accents=strip_accents
    )
    assert done.to_pylist() == [plain(text) for text in texts]
    assert beyond_ascii or all(text.isascii() for text in done.to_pylist())


@pytest.mark.parametrize("texts", [[""], ["one"], ["one", "", "été", "中文"], ["", ""]])
def test_joined_rows_are_split_again(texts):
    array = pa.array(["x", *texts], pa.large_string())[1:]
    joined = rows.join_rows(array, "\n")
    assert joined.tobytes() == "\n".join(texts).encode()
    assert rows.split_rows(joined, "\n").to_pylist() == texts
