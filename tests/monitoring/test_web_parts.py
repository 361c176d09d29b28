import numpy as np
import pyarrow as pa

from driftline.monitoring.web_parts import web_parts, without_web_parts
from driftline.text.counts import count_words
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary

TEXTS = [
    "rain on https://t.co/ab1",
    "rain, see www.rain.org/wet",
    "co found, mail me@rain.org",
    "co, org, https://t.co/cd2",
    "wet",
]


def test_parts_are_words_that_are_mostly_within_addresses():
    counts, words = count_words(TEXTS)
    found = web_parts(TEXTS, counts, words, Tokenizer())
    assert set(np.array(list(words))[found]) == {"https", "ab1", "cd2", "www", "org", "me"}


def test_names_of_entities_and_tags_are_parts():
    texts = ["rain&nbsp;and sun", "<div>sun &nbsp; moon</div>", "the nbsp of a page", "&nbsp;&nbsp;"]
    counts, words = count_words(texts)
    assert set(np.array(list(words))[web_parts(texts, counts, words, Tokenizer())]) == {"nbsp", "div"}


def test_absent_words_are_parts_only_if_addresses_begin_with_them():
    words = Vocabulary(["http", "sun"])
    counts, _ = count_words(["rain"], vocabulary=words)
    assert web_parts(["rain"], counts, words, Tokenizer()).tolist() == [True, False]


def test_missing_texts_are_empty():
    assert without_web_parts([None, "a b"]).to_pylist() == ["", "a b"]
    assert isinstance(without_web_parts([]), pa.LargeStringArray)
