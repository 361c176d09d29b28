r"""Templates: which properties of a token and its neighbours are the attributes of a position.

Attributes are not built as strings: the values of a column become codes, codes are shifted to neighbours, and the codes
of several columns are combined into one number; the distinct numbers are the attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.sequences.token_input import Tokens

Template = tuple[tuple[str, int], ...]
"""Columns and their distances from the token: ``(("word", -1), ("word", 0))`` is the pair of the previous word and
this."""

UNKNOWN = -1
_AFFIX = re.compile(r"(prefix|suffix)([1-9])")
_COLUMN = re.compile(r"column(\d+)")


def shape(word: str) -> str:
    """Return the shape of a word: capitals, lower-case letters and digits as classes, without repetitions.

    >>> shape("McDonald's"), shape("1,250"), shape("IBM")
    ("AaAa'a", '0,0', 'A')
    """
    classes = ["A" if c.isupper() else "a" if c.isalpha() else "0" if c.isdigit() else c for c in word]
    return "".join(one for place, one in enumerate(classes) if place == 0 or classes[place - 1] != one)


@dataclass(frozen=True)
class Templates:
    """The definition of the attributes of a token.

    A template is a tuple of pairs (column, distance). Columns are ``"word"``, ``"lower"`` (in lower case),
    ``"shape"``, ``"prefix1"`` to ``"prefix9"``, ``"suffix1"`` to ``"suffix9"``, and ``"column1"``, ``"column2"``, … for
    the further columns of tokens that are rows. The empty template is an attribute of every token. An attribute that
    occurs fewer than `min_count` times is left out.

    >>> Templates(((("word", 0),), (("word", -1), ("word", 0)))).n_columns
    1
    >>> len(Templates.chunking().templates), len(Templates.parts_of_speech().templates)
    (19, 16)
    """

    templates: tuple[Template, ...]
    min_count: int = 1

    def __post_init__(self) -> None:
        try:
            given = tuple(tuple((str(name), int(distance)) for name, distance in one) for one in self.templates)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"templates are tuples of pairs of a column and a distance ({error})") from error
        object.__setattr__(self, "templates", given)
        if not given:
            raise InvalidInput("there must be at least one template")
        if not isinstance(self.min_count, int) or self.min_count < 1:
            raise InvalidInput(f"min_count is {self.min_count!r}; it must be an integer of at least 1")
        for name, distance in {pair for one in given for pair in one}:
            _source(name)
            if abs(distance) > 9:
                raise InvalidInput(f"a template looks {distance} tokens away; the maximum is 9")

    @classmethod
    def chunking(cls, min_count: int = 1) -> Templates:
        """Return CRF++'s templates for chunking: words and parts of speech (``column1``), and their neighbours."""
        word = [((("word", d),)) for d in range(-2, 3)]
        pos = [((("column1", d),)) for d in range(-2, 3)]
        pairs = [(("word", -1), ("word", 0)), (("word", 0), ("word", 1))]
        pos_pairs = [(("column1", d), ("column1", d + 1)) for d in range(-2, 2)]
        triples = [(("column1", d), ("column1", d + 1), ("column1", d + 2)) for d in range(-2, 1)]
        return cls((*word, *pairs, *pos, *pos_pairs, *triples), min_count)

    @classmethod
    def parts_of_speech(cls, min_count: int = 1, *, pairs: bool = False) -> Templates:
        """Return templates for parts of speech: the word, its shape and affixes, and words up to two tokens away.

        With `pairs`, neighbours are also combined, which is more accurate with many sentences but triples the weights.
        """
        own = ["word", "lower", "shape", *(f"suffix{n}" for n in range(1, 5)), *(f"prefix{n}" for n in range(1, 4))]
        near = [((("lower", d),)) for d in (-2, -1, 1, 2)]
        around = [(("shape", 0), ("lower", -1)), (("suffix3", -1),)]
        if pairs:
            around += [(("lower", d), ("lower", d + 1)) for d in (-2, -1, 0)]
            around += [(("suffix3", a), ("suffix3", b)) for a, b in ((-1, 0), (0, 1), (-1, 1))]
            around += [(("suffix2", 0), ("shape", 0)), (("shape", 0), ("lower", 1)), (("prefix4", 0),)]
        return cls((*((((name, 0),)) for name in own), *near, *around), min_count)

    @classmethod
    def names(cls, min_count: int = 1) -> Templates:
        """Return templates for names: those of parts of speech, and the shapes of neighbours."""
        shapes = [((("shape", d),)) for d in (-2, -1, 1, 2)]
        pairs = [(("shape", -1), ("shape", 0)), (("shape", 0), ("shape", 1)), (("lower", -1), ("lower", 0))]
        return cls((*cls.parts_of_speech().templates, *shapes, *pairs), min_count)

    @property
    def names_of_columns(self) -> tuple[str, ...]:
        """The columns that the templates use, in order."""
        return tuple(dict.fromkeys(name for one in self.templates for name, _ in one))

    @property
    def n_columns(self) -> int:
        """The number of columns that tokens must have."""
        return 1 + max((_source(name)[0] for name in self.names_of_columns), default=0)

    @property
    def reach(self) -> int:
        """The largest distance."""
        return max((abs(distance) for one in self.templates for _, distance in one), default=0)


class Encoding(NamedTuple):
    """The learned codes of templates: the values of every column, and the combined codes of every template, sorted."""

    values: list[list[str]]
    keys: list[Ints]

    @property
    def n_attributes(self) -> int:
        """The number of attributes of all templates."""
        return sum(len(one) for one in self.keys)


def learn_encoding(templates: Templates, tokens: Tokens) -> tuple[Encoding, Ints]:
    """Return the attributes of training sentences: the encoding, and tokens × templates (−1: too rare)."""
    values: list[list[str]] = []
    codes = []
    for name in templates.names_of_columns:
        numbers: dict[str, int] = {}
        codes.append(_coded(tokens, name, numbers, grow=True))
        values.append(list(numbers))
    keys, columns = [], []
    for combined in _combined(templates, codes, [len(one) for one in values], tokens):
        distinct, places, counts = np.unique(combined, return_inverse=True, return_counts=True)
        kept = counts >= templates.min_count
        numbers_of = np.where(kept, np.cumsum(kept) - 1, UNKNOWN)
        columns.append(numbers_of[places])
        keys.append(distinct[kept])
    return Encoding(values, keys), _placed(columns, keys, len(tokens.columns[0]))


def encode(templates: Templates, encoding: Encoding, tokens: Tokens) -> Ints:
    """Return the attributes of sentences, tokens × templates; −1 is one that did not occur in training."""
    codes = [
        _coded(tokens, name, {value: place for place, value in enumerate(known)}, grow=False)
        for name, known in zip(templates.names_of_columns, encoding.values)
    ]
    columns = []
    sizes = [len(one) for one in encoding.values]
    for combined, keys in zip(_combined(templates, codes, sizes, tokens), encoding.keys):
        places = np.minimum(np.searchsorted(keys, combined), max(len(keys) - 1, 0))
        found = (keys[places] == combined) if len(keys) else np.zeros(len(combined), dtype=bool)
        columns.append(np.where(found, places, UNKNOWN))
    return _placed(columns, encoding.keys, len(tokens.columns[0]))


_WHOLE: dict[str, Callable[[str], str]] = {"word": str, "lower": str.lower, "shape": shape}


def _source(name: str) -> tuple[int, Callable[[str], str]]:
    """Return the given column from which a column is computed, and the function that computes it."""
    if name in _WHOLE:
        return 0, _WHOLE[name]
    affix = _AFFIX.fullmatch(name)
    if affix:
        n = int(affix[2])
        return (0, lambda word: word[:n]) if affix[1] == "prefix" else (0, lambda word: word[-n:])
    column = _COLUMN.fullmatch(name)
    if column and 1 <= int(column[1]) <= 99:
        return int(column[1]), str
    raise InvalidInput(f"a template uses the column {name!r}; the documentation of Templates lists the columns")


def _coded(tokens: Tokens, name: str, numbers: dict[str, int], *, grow: bool) -> Ints:
    """Return the code of every token in a column; the values are computed once per distinct word."""
    source, make = _source(name)
    by_word: dict[str, int] = {}
    for word in dict.fromkeys(tokens.columns[source]):
        value = make(word)
        by_word[word] = numbers.setdefault(value, len(numbers)) if grow else numbers.get(value, UNKNOWN)
    return np.array([by_word[word] for word in tokens.columns[source]], dtype=np.int64)


def _combined(templates: Templates, codes: Sequence[Ints], sizes: Sequence[int], tokens: Tokens) -> list[Ints]:
    """Return one number per token for every template; −1 where a value is unknown.

    Beyond the ends of a sentence, the value is the distance from it, with codes after those of the column.
    """
    lengths = tokens.lengths
    place = np.arange(len(tokens.columns[0])) - np.repeat(tokens.offsets[:-1], lengths)
    length = np.repeat(lengths, lengths)
    names, reach = templates.names_of_columns, templates.reach
    shifted: dict[tuple[str, int], Ints] = {}
    for name, distance in {pair for one in templates.templates for pair in one}:
        column = names.index(name)
        target = place + distance
        values = np.roll(codes[column], -distance) if len(place) else codes[column]
        values = np.where(target < 0, sizes[column] - 1 - target, values)
        shifted[name, distance] = np.where(target >= length, sizes[column] + reach + target - length, values)
    found = []
    for template in templates.templates:
        combined, known = np.zeros(len(place), dtype=np.int64), np.ones(len(place), dtype=bool)
        room = 1
        for name, distance in template:
            values, size = shifted[name, distance], sizes[names.index(name)] + 2 * reach + 1
            room *= size
            if room >= 2**62:
                raise InvalidInput(f"the template {template} has too many values; use fewer columns")
            combined = combined * size + values
            known &= values >= 0
        found.append(np.where(known, combined, UNKNOWN))
    return found


def _placed(columns: Sequence[Ints], keys: Sequence[Ints], n: int) -> Ints:
    """Return the attributes of all templates as columns, each template numbered after the previous one."""
    found: np.ndarray = np.empty((n, len(columns)), dtype=np.int32)
    first = 0
    for number, (column, known) in enumerate(zip(columns, keys)):
        found[:, number] = np.where(column >= 0, column + first, UNKNOWN)
        first += len(known)
    return found
