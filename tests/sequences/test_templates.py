from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.sequences.templates import Templates, encode, learn_encoding, shape
from driftline.sequences.token_input import as_tokens

words = st.sampled_from(["a", "B", "cc", "Dd", "e1", "B-1", ""])
sentences = st.lists(st.lists(st.tuples(words, words), max_size=4), min_size=1, max_size=4)
TEMPLATES = Templates(
    (
        (("word", 0),),
        (("lower", -2), ("column1", 1)),
        (("suffix1", -1), ("word", 0), ("shape", 2)),
        (("prefix2", 1),),
        (),
    )
)


def as_strings(templates, sentences):
    """Return the attributes of every token as strings, as CRF++ would write them."""
    make = {
        "word": lambda row: row[0],
        "lower": lambda row: row[0].lower(),
        "shape": lambda row: shape(row[0]),
        "suffix1": lambda row: row[0][-1:],
        "prefix2": lambda row: row[0][:2],
        "column1": lambda row: row[1],
    }
    found = []
    for rows in sentences:
        for place in range(len(rows)):
            token = []
            for number, template in enumerate(templates.templates):
                parts = []
                for name, distance in template:
                    at = place + distance
                    if 0 <= at < len(rows):
                        parts.append(("value", make[name](rows[at])))
                    else:
                        parts.append(("beyond", at if at < 0 else at - len(rows) + 1))
                token.append((number, tuple(parts)))
            found.append(token)
    return found


@settings(max_examples=60, deadline=None)
@given(sentences, sentences)
def test_codes_distinguish_what_strings_distinguish(learned, asked):
    encoding, attributes = learn_encoding(TEMPLATES, as_tokens(learned, 2))
    strings = as_strings(TEMPLATES, learned)
    names = {}
    for row, token in zip(attributes, strings):
        for code, text in zip(row, token):
            assert names.setdefault(text, code) == code
    assert len(set(names.values())) == len(names) == encoding.n_attributes
    for row, token in zip(encode(TEMPLATES, encoding, as_tokens(asked, 2)), as_strings(TEMPLATES, asked)):
        assert [names.get(text, -1) for text in token] == row.tolist()


def test_rare_attributes_are_left_out():
    templates = Templates(((("word", 0),),), min_count=2)
    encoding, attributes = learn_encoding(templates, as_tokens([["a", "b", "a"]]))
    assert attributes.ravel().tolist() == [0, -1, 0]
    assert encode(templates, encoding, as_tokens([["b", "a"]])).ravel().tolist() == [-1, 0]


def test_predefined_templates():
    assert Templates.chunking().n_columns == 2
    assert Templates.parts_of_speech().n_columns == 1
    assert Templates.names().reach == 2
    assert Templates.chunking(min_count=3).min_count == 3


def test_no_tokens():
    encoding, attributes = learn_encoding(TEMPLATES, as_tokens([[]], 2))
    assert attributes.shape == (0, 5)
    assert encode(TEMPLATES, encoding, as_tokens([[("a", "b")]], 2)).tolist() == [[-1] * 5]


@pytest.mark.parametrize(
    "templates, message",
    [
        ((), "at least one template"),
        (((("words", 0),),), "the column 'words'"),
        (((("suffix0", 0),),), "the column 'suffix0'"),
        (((("word", 12),),), "12 tokens away"),
        ((("word", 0),), "pairs of a column"),
    ],
)
def test_bad_templates_are_refused(templates, message):
    with pytest.raises(InvalidInput, match=message):
        Templates(templates)


def test_too_many_values_are_refused():
    many = [[f"w{n}" for n in range(3000)]]
    template = tuple(("word", distance) for distance in range(-3, 3))
    with pytest.raises(InvalidInput, match="too many values"):
        learn_encoding(Templates((template,)), as_tokens(many))


def test_min_count_is_checked():
    with pytest.raises(InvalidInput, match="min_count"):
        Templates(((("word", 0),),), min_count=0)


def test_attributes_are_small_numbers():
    _, attributes = learn_encoding(Templates.chunking(), as_tokens([[("a", "b"), ("c", "d")]]))
    assert attributes.dtype == np.int32
    assert attributes.max() == len(np.unique(attributes)) - 1
