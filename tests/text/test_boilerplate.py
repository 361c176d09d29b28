import numpy as np
import pyarrow as pa
import pytest

from driftline.text.boilerplate import drop_boilerplate
from driftline.text.left_out import Tally
from tests.oracles import boilerplate as oracle


def dropped(texts, kind="prose", chunks=1):
    tally = Tally()
    parts = [part.tolist() for part in np.array_split(np.array(texts, dtype=object), chunks)]
    column = pa.chunked_array([pa.array(part, pa.large_string()) for part in parts])
    return drop_boilerplate(column, kind, tally).to_pylist(), tally.finish()


@pytest.mark.parametrize("kind", ["prose", "mail"])
@pytest.mark.parametrize("seed", range(3))
def test_lines_are_those_of_the_definition(seed, kind):
    rng = np.random.default_rng(seed)
    lines = [
        "See you soon",
        "Yours, Joe",
        "report 12 of 2003",
        "",
        "  ",
        "x",
        "a unique one",
        "unsubscribe here now please",
    ]
    texts = [
        "\n".join(str(rng.choice(lines)) + " 7" * (rng.random() < 0.2) for _ in range(rng.integers(1, 5)))
        for _ in range(200)
    ]
    expected = oracle.without_boilerplate(texts, least_words=0 if kind == "mail" else 3)
    assert expected != texts
    assert dropped(texts, kind, chunks=3)[0] == expected


def test_ten_documents_are_enough_of_a_few_and_half_a_percent_of_many():
    texts = [f"text {i}\nshare this story" for i in range(10)]
    assert dropped(texts)[0][0] == "text 0"
    assert dropped(texts[:9])[0][0] == texts[0]
    others = [
        f"{chr(97 + i % 26)}{i} other\nlines of its own {chr(97 + i % 26) * 3}{'y' * (i // 26)}" for i in range(3000)
    ]
    assert dropped(texts + others)[0][0] == texts[0]


def test_whole_texts_that_come_again_are_kept():
    assert dropped(["the same old story again"] * 50)[0] == ["the same old story again"] * 50


def test_headings_are_kept_but_names_in_mail_are_not():
    texts = [f"{'abcdefghijkl'[i]} story\nAGRICULTURE" for i in range(12)]
    assert "AGRICULTURE" in dropped(texts)[0][0]
    assert "AGRICULTURE" not in dropped(texts, "mail")[0][0]


def test_what_was_dropped_is_tallied():
    (left,) = dropped([f"{'abcdefghijkl'[i]} story\nshare this story {i}\nshare this story {i}" for i in range(12)])[1]
    assert (left.kind, left.unit, left.n, left.n_documents) == ("boilerplate", "line", 24, 12)
    assert left.examples == ("share this story 0",)


def test_no_texts():
    assert dropped([])[0] == []
