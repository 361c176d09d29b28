"""Relational schemas: classes of objects, their attributes, and the slots by which objects refer to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from driftline.core.errors import InvalidInput

ID = "id"
"""The column that identifies objects."""


class Slot(NamedTuple):
    """A reference from the objects of a class to those of another; an inverse slot leads back along `inverse_of`."""

    name: str
    source: str
    target: str
    inverse_of: str | None = None


class Schema(NamedTuple):
    """Attributes and slots by class; slots include the inverse ones."""

    attributes: dict[str, tuple[str, ...]]
    slots: dict[str, dict[str, Slot]]

    @classmethod
    def of(cls, given: object) -> Schema:
        """Return the schema of a mapping from classes to attributes, or to {"attributes": …, "slots": …}.

        The target of a slot is a class, or a class and the name of the inverse slot.

        >>> schema = Schema.of({"Person": ["team"], "Mail": {"attributes": ["topic"], "slots": {"by": "Person.mails"}}})
        >>> schema.slots["Person"]["mails"]
        Slot(name='mails', source='Person', target='Mail', inverse_of='by')
        """
        if not isinstance(given, Mapping) or not given:
            raise InvalidInput("a schema maps classes to their attributes and slots; it needs at least one class")
        attributes: dict[str, tuple[str, ...]] = {}
        targets: dict[str, Mapping[str, str]] = {}
        for name, parts in given.items():
            attributes[_name(name)], targets[name] = _parts(name, parts)
        slots: dict[str, dict[str, Slot]] = {name: {} for name in attributes}
        for source, of_class in targets.items():
            for slot, wanted in of_class.items():
                target, _, inverse = str(wanted).partition(".")
                if target not in attributes:
                    raise InvalidInput(
                        f"the slot {source}.{slot} leads to {target!r}; the classes are {_or(attributes)}"
                    )
                _add(slots, attributes, Slot(_name(slot), source, target))
                if inverse:
                    _add(slots, attributes, Slot(_name(inverse), target, source, slot))
        return cls(attributes, slots)

    def attribute(self, name: str) -> tuple[str, str]:
        """Return the class and the attribute of a name such as "Mail.topic"."""
        owner, _, attribute = str(name).partition(".")
        if owner not in self.attributes:
            raise InvalidInput(f"{name!r} does not begin with a class; the classes are {_or(self.attributes)}")
        if attribute not in self.attributes[owner]:
            raise InvalidInput(f"{owner} has no attribute {attribute!r}; it has {_or(self.attributes[owner])}")
        return owner, attribute


def _parts(name: str, given: object) -> tuple[tuple[str, ...], Mapping[str, str]]:
    if isinstance(given, Mapping):
        strange = set(given) - {"attributes", "slots"}
        if strange:
            raise InvalidInput(f"the class {name} has {strange.pop()!r}; it may have 'attributes' and 'slots'")
        listed, slots = given.get("attributes", ()), given.get("slots", {})
    else:
        listed, slots = given, {}
    if isinstance(listed, str) or not isinstance(listed, Sequence) or not isinstance(slots, Mapping):
        raise InvalidInput(f"the class {name} needs a list of attributes, and slots as a mapping to classes")
    found = tuple(_name(one) for one in listed)
    if len(set(found)) < len(found):
        raise InvalidInput(f"the class {name} names an attribute twice")
    return found, slots


def _add(slots: dict[str, dict[str, Slot]], attributes: Mapping[str, tuple[str, ...]], slot: Slot) -> None:
    if slot.name in slots[slot.source] or slot.name in attributes[slot.source] or slot.name == ID:
        raise InvalidInput(f"the class {slot.source} has two parts with the name {slot.name!r}; rename one")
    slots[slot.source][slot.name] = slot


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.isidentifier():
        raise InvalidInput(f"classes, attributes and slots have names of letters, digits and _, not {value!r}")
    return value


def _or(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
