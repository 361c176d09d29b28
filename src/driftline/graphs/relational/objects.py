"""Tables of objects as integers: codes of attributes (−1: unknown), and the objects that each one refers to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.graphs.bayes.coded_table import Value, codes_of, columns_of, states_of
from driftline.graphs.relational.relational_schema import ID, Schema, Slot

Attribute = tuple[str, str]
"""A class and one of its attributes."""


class Objects(NamedTuple):
    """The objects of every class: their ids, the codes of their attributes, and the objects in their slots."""

    ids: dict[str, list[Value]]
    codes: dict[Attribute, Ints]
    links: dict[Attribute, list[list[int]]]

    def related(self, row: int, slots: Sequence[Slot]) -> list[int]:
        """Return the objects that a path of slots reaches from an object, each once, and never the object itself."""
        found = [row]
        for slot in slots:
            links = self.links[slot.source, slot.name]
            found = list(dict.fromkeys(one for before in found for one in links[before]))
        if slots and slots[-1].target == slots[0].source:
            found = [one for one in found if one != row]
        return found


def states_by_attribute(
    schema: Schema, tables: object, given: Mapping[str, Sequence[Value]] | None
) -> dict[Attribute, list[Value]]:
    """Return the states of every attribute: those given, or the distinct values of its column."""
    known = {schema.attribute(name): list(states) for name, states in dict(given or {}).items()}
    for (owner, name), states in known.items():
        if not states or len(set(states)) < len(states):
            raise InvalidInput(f"the states of {owner}.{name} must be one or more distinct values, not {states!r}")
    found = {}
    for owner, names in schema.attributes.items():
        columns = _columns(schema, tables, owner)
        for name in names:
            key = owner, name
            found[key] = known[key] if key in known else states_of(columns.get(name, []), f"{owner}.{name}")
    return found


def objects_of(schema: Schema, tables: object, states: Mapping[Attribute, Sequence[Value]]) -> Objects:
    """Return the objects of tables; an attribute without a column is unknown, a slot without one is empty."""
    ids: dict[str, list[Value]] = {}
    codes: dict[Attribute, Ints] = {}
    links: dict[Attribute, list[list[int]]] = {}
    columns = {owner: _columns(schema, tables, owner) for owner in schema.attributes}
    for owner, given in columns.items():
        n = max((len(column) for column in given.values()), default=0)
        ids[owner] = _ids(owner, given.get(ID), n)
        for name in schema.attributes[owner]:
            column = given.get(name, [None] * n)
            codes[owner, name] = codes_of(column, states[owner, name], f"{owner}.{name}")
    number = {owner: {one: row for row, one in enumerate(known)} for owner, known in ids.items()}
    forward = [slot for of_class in schema.slots.values() for slot in of_class.values() if slot.inverse_of is None]
    for slot in forward:
        column = columns[slot.source].get(slot.name, [None] * len(ids[slot.source]))
        links[slot.source, slot.name] = [
            _referred(slot, row, one, number[slot.target]) for row, one in enumerate(column)
        ]
    for of_class in schema.slots.values():
        for slot in of_class.values():
            if slot.inverse_of is not None:
                back: list[list[int]] = [[] for _ in ids[slot.source]]
                for row, there in enumerate(links[slot.target, slot.inverse_of]):
                    for one in there:
                        back[one].append(row)
                links[slot.source, slot.name] = back
    return Objects(ids, codes, links)


def _columns(schema: Schema, tables: object, owner: str) -> dict[str, list[Value | None]]:
    """Return the columns of a class that its table has: ids, attributes and slots."""
    if not isinstance(tables, Mapping) or owner not in tables:
        raise InvalidInput(f"there is no table of the class {owner!r}; pass a mapping from classes to tables")
    table = tables[owner]
    present = set(table.column_names if hasattr(table, "column_names") else table)
    slots = [slot.name for slot in schema.slots[owner].values() if slot.inverse_of is None and slot.name in present]
    plain = [name for name in (ID, *schema.attributes[owner]) if name in present]
    found: dict[str, list[Value | None]] = dict(columns_of(table, plain))
    for name in slots:
        column = table[name]
        found[name] = list(column.to_pylist() if hasattr(column, "to_pylist") else column)
    lengths = {name: len(column) for name, column in found.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(f"the columns of {owner} differ in length: {lengths}")
    return found


def _ids(owner: str, column: list[Value | None] | None, n: int) -> list[Value]:
    seen: dict[Value, int] = {}
    for row, one in enumerate(range(n) if column is None else column):
        if one is None or one in seen:
            raise InvalidInput(f"row {row} of {owner} has the id {one!r}, which is missing or not unique")
        seen[one] = row
    return list(seen)


def _referred(slot: Slot, row: int, given: object, number: Mapping[Value, int]) -> list[int]:
    several: Iterable[object] = given if isinstance(given, list | tuple | set | np.ndarray) else [given]
    found = []
    for one in several:
        plain = one.item() if isinstance(one, np.generic) else one
        if plain is None or plain != plain:
            continue
        if not isinstance(plain, str | int | float) or plain not in number:
            raise InvalidInput(f"{slot.source}.{slot.name} of row {row} is {plain!r}; there is no such {slot.target}")
        found.append(number[plain])
    return found
