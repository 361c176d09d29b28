import re

import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.text.pattern import Matches, WordRuns, parse_pattern
from driftline.text.tokenise import Tokenizer
from tests.oracles.tokens import HOSTILE


@pytest.mark.parametrize(
    ("pattern", "min_length"),
    [
        (None, 2),
        (r"(?u)\b\w\w+\b", 2),
        (r"\w+", 1),
        (r"\b\w+\b", 1),
        (r"\w{3,}", 3),
        (r"\b\w\w{3,}\b", 4),
        (r"(?u)\w\w\w+", 3),
        (r"\w{0,}", 1),
    ],
)
def test_patterns_that_mean_runs_of_word_characters_are_recognised(pattern, min_length):
    assert parse_pattern(pattern) == WordRuns(min_length)


@pytest.mark.parametrize(
    "pattern",
    [
        r"[a-z]+",
        r"#\w+",
        r"(?u)#\w+",
        r"\w+-\w+",
        r"[\w'’-]{2,}",
        r"\d+",
        r"\D\d",
        r"[^\s\W]+",
        r"\S+",
        r"[\W\d]+",
        r"[]\w]+",
        r"[^]\s]+",
        r"\[\w\]|\w\w",
        r"(?i)STRASSE|été",
        r"é+|[à-ü]+",
        r"\\w",
        r"(?:aa|b)+",
        r"#(\w+)",
        r"\.(\w)\w*",
    ],
)
def test_matches_are_those_of_re(pattern):
    texts = [*HOSTILE, "#tag #été a-b-c [x] ]] \\w aab 12 a1 Straße STRASSE", "## - .a.b ' '"]
    expected = [[match for match in re.findall(pattern, text) if match] for text in texts]
    assert Tokenizer(pattern=pattern, lowercase=False).tokens(texts).to_pylist() == expected


def test_posix_classes_and_quotations_are_left_to_re2():
    assert Tokenizer(pattern=r"[[:alpha:]\d]+").tokens(["ab1 é٣"]).to_pylist() == [["ab1", "٣"]]
    assert Tokenizer(pattern=r"\Q\w+\E\w").tokens([r"\w+x \w+"]).to_pylist() == [[r"\w+x"]]


@pytest.mark.parametrize(
    "pattern", [r"(?=a)", r"(?<!a)b", r"(a)\1", "[", "(", "a)(b", r"\Z", "(?x)a b", "a**", r"\Q\w"]
)
def test_what_re2_refuses_is_an_error_that_says_so(pattern):
    with pytest.raises(InvalidInput, match="RE2"):
        Tokenizer(pattern=pattern)


@pytest.mark.parametrize("pattern", [r"\b[a-z]+\b", r"a\Bb"])
def test_boundaries_are_refused_because_re2_knows_only_ascii_ones(pattern):
    with pytest.raises(InvalidInput, match="omit it"):
        Tokenizer(pattern=pattern)


def test_several_groups_are_refused():
    with pytest.raises(InvalidInput, match="more than one group"):
        parse_pattern("(a)(b)")
    assert parse_pattern("(?:a)(b)").group == 1


@pytest.mark.parametrize("pattern", ["", 3, b"a"])
def test_no_pattern_is_an_error(pattern):
    with pytest.raises(InvalidInput, match="regular expression"):
        parse_pattern(pattern)


def test_a_backtracking_bomb_is_harmless():
    bomb = Matches("(?:a+)+$", 0)
    marked = bomb.mark(pa.array(["a" * 50_000 + "b"], pa.large_string()))
    assert len(marked.buffers()[2]) >= 50_001
