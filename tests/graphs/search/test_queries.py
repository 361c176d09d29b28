from __future__ import annotations

import pytest

from driftline.core.errors import InvalidInput
from driftline.graphs.search.queries import MOST_CHARACTERS, MOST_TERMS, parse_query
from driftline.text.tokenise import Tokenizer

ENGLISH = Tokenizer(stop_words="english")


def test_terms_have_their_positions_and_parts():
    query = parse_query('Flow of gas "gas pipeline"', ENGLISH)
    assert query.words == ("flow", "gas", "gas", "pipeline")
    assert [query.follows(i) for i in range(3)] == [False, False, True]
    assert [[term.word for term in phrase] for phrase in query.phrases] == [["gas", "pipeline"]]


def test_typographic_quotes_quote():
    assert len(parse_query("“gas pipeline”", ENGLISH).phrases) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no words"),
        (" \n!? ", "has no words"),
        ("of the", "only stop words"),
        ('gas "pipeline', "character 5"),
        ("a" * (MOST_CHARACTERS + 1), "characters"),
        ("word " * (MOST_TERMS + 1), "terms"),
        (7, "a query is a string"),
    ],
)
def test_unusable_queries_are_refused(text, message):
    with pytest.raises(InvalidInput, match=message):
        parse_query(text, ENGLISH)


def test_lone_surrogates_do_not_break_a_query():
    assert parse_query("gas \ud800 pipeline", ENGLISH).words == ("gas", "pipeline")


def test_an_empty_quotation_demands_nothing():
    assert parse_query('gas "" "of"', ENGLISH).phrases == ()
