"""Directed acyclic graphs: parents, order, ancestors, and d-separation."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from driftline.core.errors import InvalidInput

Edges: TypeAlias = Mapping[Hashable, Iterable[Hashable]] | Iterable[str | tuple[Hashable, Hashable]]
"""A structure before it is checked: parents by child, or pairs of parent and child."""


class Structure(NamedTuple):
    """Names of variables, parents before children, and the numbers of the parents of each."""

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, given: Edges) -> Structure:
        """Return the structure of a mapping from variables to their parents, or of pairs (parent, child).

        >>> Structure.of({"grass": ["rain", "sprinkler"], "sprinkler": ["rain"]}).names
        ('rain', 'sprinkler', 'grass')
        """
        parents = _parents_of(given)
        order: list[str] = []
        left = dict(parents)
        while left:
            ready = [name for name, above in left.items() if not any(other in left for other in above)]
            if not ready:
                raise InvalidInput(f"the structure has a cycle: {' → '.join(_cycle(left))}; remove one of its arrows")
            order += ready
            for name in ready:
                del left[name]
        number = {name: i for i, name in enumerate(order)}
        return cls(tuple(order), tuple(tuple(number[one] for one in parents[name]) for name in order))

    def number(self, name: object) -> int:
        """Return the number of a variable."""
        if name not in self.names:
            raise InvalidInput(f"there is no variable {name!r}; there are {', '.join(map(repr, self.names))}")
        return self.names.index(str(name))

    def ancestors(self, variables: Iterable[int]) -> set[int]:
        """Return variables and all their ancestors, on which their joint distribution depends."""
        found = set(variables)
        for v in range(len(self.names) - 1, -1, -1):  # children come after their parents
            if v in found:
                found.update(self.parents[v])
        return found

    def reached(self, start: Iterable[int], given: Collection[int]) -> set[int]:
        """Return the variables that are not d-separated from those of `start` by observed ones.

        A path is blocked by an observed variable, except at a collider, which is open only if it or a descendant of it
        is observed.
        """
        observed, opened = set(given), self.ancestors(given)
        children: list[list[int]] = [[] for _ in self.names]
        for v, above in enumerate(self.parents):
            for one in above:
                children[one].append(v)
        waiting, seen, found = [(v, True) for v in start], set[tuple[int, bool]](), set[int]()
        while waiting:
            v, upwards = waiting.pop()  # upwards: arrived from a child
            if (v, upwards) in seen:
                continue
            seen.add((v, upwards))
            if v not in observed:
                found.add(v)
            if upwards and v not in observed:
                waiting += [(one, True) for one in self.parents[v]] + [(one, False) for one in children[v]]
            elif not upwards:
                if v not in observed:
                    waiting += [(one, False) for one in children[v]]
                if v in opened:
                    waiting += [(one, True) for one in self.parents[v]]
        return found


def _parents_of(given: Edges) -> dict[str, tuple[str, ...]]:
    pairs: list[tuple[str, str]] = []
    found: dict[str, list[str]] = {}
    if isinstance(given, Mapping):
        for child, above in given.items():
            found.setdefault(_name(child), [])
            pairs += [(_name(one), _name(child)) for one in ([above] if isinstance(above, str) else above)]
    else:
        for pair in given:
            if isinstance(pair, str):
                found.setdefault(pair, [])
                continue
            try:
                one, child = pair
            except (TypeError, ValueError):
                raise InvalidInput(f"a structure contains pairs (parent, child), not {pair!r}") from None
            pairs.append((_name(one), _name(child)))
    for one, child in pairs:
        found.setdefault(one, [])
        above = found.setdefault(child, [])
        if one in above:
            raise InvalidInput(f"{one!r} is named twice as a parent of {child!r}")
        above.append(one)
    if not found:
        raise InvalidInput("the structure has no variables; pass {child: [parents]} or pairs (parent, child)")
    return {name: tuple(above) for name, above in found.items()}


def _name(value: Hashable) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"variables have names, not {value!r}; pass strings")
    return value


def _cycle(left: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return a cycle among variables that all have a parent among them."""
    path = [next(iter(left))]
    while True:
        above = next(one for one in left[path[-1]] if one in left)
        if above in path:
            return [above, *reversed(path[path.index(above) :])]
        path.append(above)
