r"""Dependencies of an attribute: attributes along a path of slots, or an aggregate of those of many objects."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from driftline.core.errors import InvalidInput
from driftline.graphs.relational.aggregates import AGGREGATES
from driftline.graphs.relational.relational_schema import Schema, Slot

Key = TypeVar("Key", bound=Hashable)

_FORM = re.compile(r"(?:(?P<aggregate>\w+)\()?\s*(?P<path>\w+(?:\.\w+)*)\s*(?:=\s*(?P<value>[^()]+?)\s*)?(?P<end>\)?)")


class Parent(NamedTuple):
    """One parent of an attribute: its text, and the parts of it.

    `owner` and `attribute` are the class and the attribute at the end of the slots; the attribute is None if objects
    are counted. `value` is the value that is counted or searched for.
    """

    text: str
    aggregate: str | None
    slots: tuple[Slot, ...]
    owner: str
    attribute: str | None
    value: str | None


Families = dict[tuple[str, str], tuple[Parent, ...]]
"""The parents of every attribute (class, attribute) of a schema."""


def families_of(schema: Schema, given: object) -> Families:
    """Return the parents of all attributes; those that are not in `given` have none.

    >>> schema = Schema.of({"Person": ["team"], "Mail": {"attributes": ["topic"], "slots": {"by": "Person.mails"}}})
    >>> families_of(schema, {"Person.team": ["mode(mails.topic)"]})["Person", "team"][0].aggregate
    'mode'
    """
    if not isinstance(given, Mapping):
        raise InvalidInput('dependencies are a mapping such as {"Mail.topic": ["author.team"]}')
    found: Families = {(owner, name): () for owner, names in schema.attributes.items() for name in names}
    for child, texts in given.items():
        key = schema.attribute(child)
        texts = [texts] if isinstance(texts, str) else list(texts)
        parents = tuple(parent_of(schema, key[0], str(text)) for text in texts)
        for one in parents:
            if not one.slots and one.attribute == key[1]:
                raise InvalidInput(f"{child} depends on itself")
        found[key] = parents
    return found


def parent_of(schema: Schema, owner: str, text: str) -> Parent:
    """Return a parent of an attribute of the class `owner`, written as a path or an aggregate of one."""
    form = _FORM.fullmatch(text.strip())
    if form is None or (form["aggregate"] is None) == bool(form["end"]):
        raise InvalidInput(f"{text!r} is not a dependency; write slot.attribute, or aggregate(slot.attribute)")
    aggregate, value = form["aggregate"], form["value"]
    if aggregate is not None and aggregate not in AGGREGATES:
        raise InvalidInput(f"{text!r}: there is no aggregate {aggregate!r}; there are {', '.join(AGGREGATES)}")
    *between, last = form["path"].split(".")
    at, slots = owner, []
    for name in between:
        if name not in schema.slots[at]:
            raise InvalidInput(f"{text!r}: {at} has no slot {name!r}; it has {_or(schema.slots[at])}")
        slots.append(schema.slots[at][name])
        at = slots[-1].target
    counts = aggregate in ("count", "exists")
    if counts and value is None and last in schema.slots[at]:
        slots.append(schema.slots[at][last])
        return Parent(text, aggregate, tuple(slots), slots[-1].target, None, None)
    if last not in schema.attributes[at]:
        raise InvalidInput(f"{text!r}: {at} has no attribute {last!r}; it has {_or(schema.attributes[at])}")
    if counts != (value is not None):
        wanted = "needs a value, as in count(mails.topic = spam)" if counts else "takes no value"
        raise InvalidInput(f"{text!r}: {aggregate or 'a path'} {wanted}")
    if aggregate is None and any(slot.inverse_of is not None for slot in slots):
        raise InvalidInput(f"{text!r} leads to several objects; use an aggregate ({', '.join(AGGREGATES)})")
    if aggregate is not None and not slots:
        raise InvalidInput(f"{text!r}: an aggregate needs a slot that leads to other objects")
    return Parent(text, aggregate, tuple(slots), at, last, value if value is None else value.strip("\"'"))


def check_acyclic(families: Families, ordered: Sequence[str]) -> set[tuple[str, str]]:
    """Return the attributes in cycles of the class graph; a cycle that no `ordered` slot breaks is an error.

    Along an ordered slot (a citation, an answer), objects refer only to earlier ones, so that objects cannot depend on
    themselves even if their classes do.
    """
    edges = {child: [(p.owner, p.attribute) for p in parents if p.attribute] for child, parents in families.items()}
    held = {
        child: [(p.owner, p.attribute) for p in parents if p.attribute and not _is_ordered(p, ordered)]
        for child, parents in families.items()
    }
    cycle = _cycle(held)
    if cycle:
        shown = " → ".join(f"{owner}.{name}" for owner, name in cycle)
        raise InvalidInput(
            f"the dependencies have a cycle: {shown}; remove one, or name a slot on the way that only leads to earlier "
            f"objects, as in ordered=['Paper.cites']"
        )
    return {child for child in edges if child in _reachable(edges, edges[child])}


def _is_ordered(parent: Parent, ordered: Sequence[str]) -> bool:
    return any(f"{s.source}.{s.name}" in ordered or f"{s.target}.{s.inverse_of}" in ordered for s in parent.slots)


def _reachable(edges: Mapping[Key, Sequence[Key]], start: Sequence[Key]) -> set[Key]:
    found: set[Key] = set()
    waiting = list(start)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += edges[one]
    return found


def _cycle(edges: Mapping[Key, Sequence[Key]]) -> list[Key]:
    """Return a cycle, from a cause to itself, or nothing."""
    for first in edges:
        if first not in _reachable(edges, edges[first]):
            continue
        path = [first]
        while True:
            above = next(one for one in edges[path[-1]] if one == first or first in _reachable(edges, edges[one]))
            if above in path:
                return [above, *reversed(path[path.index(above) :])]
            path.append(above)
    return []


def _or(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
