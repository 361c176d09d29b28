"""Guides as TOML: tables are the methods of `Guide`, keys their arguments; errors name the line and the nearest key."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driftline.core.errors import InvalidInput, ModelFileError
from driftline.guidance.document_ids import UNITS
from driftline.guidance.guide import Guide
from driftline.guidance.tag_rules import TagRule
from driftline.guidance.wishes import (
    LabelWish,
    LinkWish,
    MergeWish,
    PairWish,
    ProportionWish,
    RuleWish,
    SpreadWish,
    TopicWish,
    Wish,
)

KEYS: dict[str, dict[str, tuple[type, ...]]] = {
    "topic": {"name": (str,), "words": (list, dict), "never": (list,), "number": (int,)},
    "together": {"words": (list,)},
    "apart": {"words": (list,)},
    "keep": {"model": (str,), "topics": (list,), "weight": (int, float)},
    "merge": {"topics": (list,)},
    "label": {"topic": (str, int), "documents": (list,), "strength": (int, float)},
    "spread": {"strength": (int, float), "per_word": (int, float), "power": (int, float)},
    "link": {"links": (list,), "strength": (int, float)},
    "proportion": {
        "topic": (str, int),
        "at_least": (int, float),
        "at_most": (int, float),
        "about": (int, float, list),
        "exactly": (int, float),
        "by": (str,),
    },
    "rule": {
        "kind": (str,),
        "tags": (list,),
        "values": (list,),
        "column": (int,),
        "n": (int,),
        "cost": (str, int, float),
    },
}
"""Tables, their keys, and the types of the values."""
NEEDED = {
    "topic": ("name",),
    "together": ("words",),
    "apart": ("words",),
    "keep": ("model",),
    "merge": ("topics",),
    "label": ("topic", "documents"),
    "link": ("links",),
    "proportion": ("topic",),
    "rule": ("kind",),
}
"""Keys that a table must have."""


HEADER = re.compile(r"\s*\[\[?\s*[\w\"'. -]+\]\]?\s*(#.*)?$")
"""A line that begins a table."""


def guide_of_toml(text: str, path: Path | None = None) -> Guide:
    """Return the guide that a TOML file describes; `path` is used in messages and to find models next to it.

    >>> guide_of_toml('[[topic]]\\nname = "war"\\nwords = ["iraq"]\\n')
    Guide: topic war
    >>> guide_of_toml('[[topic]]\\nname = "war"\\nwrods = ["iraq"]\\n')
    Traceback (most recent call last):
    driftline.core.errors.InvalidInput: guide, line 3: topic has no key 'wrods'; did you mean 'words'?
    """
    where = "guide" if path is None else path.name
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{where} is not TOML: {error}") from None
    except RecursionError:
        raise InvalidInput(f"{where} is not a guide: its values are nested too deeply") from None
    guide = Guide()
    for table, number, content in _in_order(text, tables, where):
        line = _line_of(text, table, number)
        if not isinstance(content, dict):
            raise InvalidInput(f"{where}, line {line}: write [[{table}]] above its keys")
        for key, value in content.items():
            place = f"{where}, line {_line_of(text, table, number, key)}"
            _check_key(place, table, key, value)
        missing = [key for key in NEEDED.get(table, ()) if key not in content]
        if missing:
            raise InvalidInput(f"{where}, line {line}: {table} needs the key {missing[0]!r}")
        try:
            guide = APPLY[table](guide, dict(content), path)
        except (InvalidInput, ModelFileError) as error:
            raise InvalidInput(f"{where}, line {line}: {error}") from None
    return guide


def _in_order(text: str, tables: Mapping[str, object], where: str) -> list[tuple[str, int, Any]]:
    """Return all tables in the order of the file: name, number among those of the same name, content."""
    found = []
    for table, content in tables.items():
        if table not in KEYS:
            line = _line_of(text, table, 0)
            raise InvalidInput(f"{where}, line {line}: there is no table {table!r}{_hint(table, KEYS)}")
        listed = content if isinstance(content, list) else [content]
        found += [(table, number, one) for number, one in enumerate(listed)]
    return sorted(found, key=lambda one: _line_of(text, one[0], one[1]))


def _line_of(text: str, table: str, number: int, key: str | None = None) -> int:
    """Return the line of a table, or of a key in it."""
    header = re.compile(rf"\s*\[\[?\s*[\"']?{re.escape(table)}[\"']?\s*\]\]?")
    lines = text.split("\n")
    starts = [i for i, line in enumerate(lines) if header.match(line)]
    if number >= len(starts):
        plain = [i for i, line in enumerate(lines) if re.match(rf"\s*[\"']?{re.escape(table)}\b", line)]
        return plain[0] + 1 if plain else 1
    start = starts[number]
    if key is not None:
        for i in range(start + 1, len(lines)):
            if HEADER.match(lines[i]):
                break
            if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", lines[i]):
                return i + 1
    return start + 1


def _check_key(place: str, table: str, key: str, value: object) -> None:
    if key not in KEYS[table]:
        raise InvalidInput(f"{place}: {table} has no key {key!r}{_hint(key, KEYS[table])}")
    if not isinstance(value, KEYS[table][key]) or isinstance(value, bool):
        whole = "a number" if float in KEYS[table][key] else "a whole number"
        kinds = {"str": "a string", "int": whole, "float": "a number", "list": "a list", "dict": "a table"}
        wanted = " or ".join(dict.fromkeys(kinds[kind.__name__] for kind in KEYS[table][key]))
        raise InvalidInput(f"{place}: {key} must be {wanted}, not {value!r}")


def _hint(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"


def _topic(guide: Guide, content: dict[str, Any], path: Path | None) -> Guide:
    return guide.topic(
        content["name"], content.get("words", ()), content.get("never", ()), number=content.get("number")
    )


def _keep(guide: Guide, content: dict[str, Any], path: Path | None) -> Guide:
    from driftline.persistence.model import load

    model = Path(content.pop("model"))
    if path is not None and not model.is_absolute():
        model = path.parent / model
    return guide.keep(load(model), **content)


def _proportion(guide: Guide, content: dict[str, Any], path: Path | None) -> Guide:
    about, by = content.get("about"), content.get("by")
    if by is not None and by not in UNITS:
        raise InvalidInput(f"there is no unit {by!r}{_hint(by, UNITS)}")
    if isinstance(about, list):
        if len(about) != 2 or not all(isinstance(end, int | float) for end in about):
            raise InvalidInput(f"about must be a number or two numbers, not {about!r}")
        content["about"] = tuple(about)
    return guide.proportion(**content)


def _rule(guide: Guide, content: dict[str, Any], path: Path | None) -> Guide:
    kind = content.pop("kind")
    if kind not in RULES:
        raise InvalidInput(f"there is no rule {kind!r}{_hint(kind, RULES)}")
    needed = [key for key in RULES[kind] if key not in ("column", "cost")]
    missing, other = [key for key in needed if key not in content], [key for key in content if key not in RULES[kind]]
    if missing or other:
        what = f"needs the key {missing[0]!r}" if missing else f"takes no key {other[0]!r}"
        raise InvalidInput(f"a rule {kind!r} {what}")
    if kind == "never_after":
        if len(content["tags"]) != 1 or len(content["values"]) != 1:
            raise InvalidInput("a rule 'never_after' has one tag, and one value: the tag before it")
        tag, before = content.pop("tags")[0], content.pop("values")[0]
        return guide.rule(TagRule.never_after(tag, before, **content))
    return guide.rule(getattr(TagRule, kind)(**content))


RULES: dict[str, tuple[str, ...]] = {
    "bio": ("cost",),
    "never_after": ("tags", "values", "cost"),
    "tokens": ("values", "tags", "column", "cost"),
    "at_least": ("n", "tags", "cost"),
    "at_most": ("n", "tags", "cost"),
}
"""Kinds of rules, and the keys of each."""

APPLY: dict[str, Callable[[Guide, dict[str, Any], Path | None], Guide]] = {
    "topic": _topic,
    "together": lambda guide, content, path: guide.together(*content["words"]),
    "apart": lambda guide, content, path: guide.apart(*content["words"]),
    "keep": _keep,
    "merge": lambda guide, content, path: guide.merge(*content["topics"]),
    "label": lambda guide, content, path: guide.label(**content),
    "spread": lambda guide, content, path: guide.spread(**content),
    "link": lambda guide, content, path: guide.link(content.pop("links"), **content),
    "proportion": _proportion,
    "rule": _rule,
}
"""Functions that add the wish of each table."""


def toml_of_guide(guide: Guide) -> str:
    """Return a guide as TOML.

    >>> print(toml_of_guide(Guide().topic("war", ["iraq"], never=["sars"])))
    [[topic]]
    name = "war"
    words = ["iraq"]
    never = ["sars"]
    """
    return "\n\n".join(_table_of(wish) for wish in guide.wishes)


def _table_of(wish: Wish) -> str:
    if isinstance(wish, TopicWish):
        weighted = any(weight is not None for _, weight in wish.words)
        words = dict(wish.words) if weighted else [word for word, _ in wish.words]
        if weighted and None in dict(wish.words).values():
            raise InvalidInput(f"topic {wish.name!r} has words with and without weights; TOML takes one kind")
        return _written("topic", name=wish.name, words=words, never=list(wish.never), number=wish.number)
    if isinstance(wish, PairWish):
        return _written("apart" if wish.apart else "together", words=list(wish.words))
    if isinstance(wish, MergeWish):
        return _written("merge", topics=list(wish.topics))
    if isinstance(wish, LabelWish):
        return _written("label", topic=wish.topic, documents=wish.documents.tolist(), strength=wish.strength)
    if isinstance(wish, SpreadWish):
        return _written("spread", strength=wish.strength, per_word=wish.per_word, power=wish.power)
    if isinstance(wish, LinkWish):
        ends = zip(wish.sources.tolist(), wish.targets.tolist(), wish.weights.tolist())
        return _written("link", links=[list(edge) for edge in ends], strength=wish.strength)
    if isinstance(wish, ProportionWish):
        if isinstance(wish.by, np.ndarray):
            raise InvalidInput("a proportion by an array of groups cannot be written as TOML; use a calendar unit")
        return _written("proportion", topic=wish.topic, about=[wish.low, wish.high], by=wish.by)
    if isinstance(wish, RuleWish):
        rule = wish.rule
        keys: dict[str, Any] = {key: getattr(rule, key) for key in RULES[rule.kind]}
        keys |= {key: list(keys[key]) for key in ("tags", "values") if key in keys}
        return _written("rule", kind=rule.kind, **keys)
    raise InvalidInput(f"{wish.described()} cannot be written as TOML")


def _written(table: str, **values: object) -> str:
    lines = [f"{key} = {_value(value)}" for key, value in values.items() if value not in (None, [], {})]
    return "\n".join([f"[[{table}]]", *lines])


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_value(part)}" for key, part in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_value(part) for part in value) + "]"
    return json.dumps(value, ensure_ascii=False)
