r"""Grounding: the families of all objects as factors over the attributes that are unknown.

The table of an attribute is the factor of every object of its class. Known values of parents are inserted; unknown ones
are variables. An aggregate of unknown values becomes a chain of summaries s_0, s_1, …, each of which is determined by
the previous one and one unknown value; the last represents the aggregate.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.graphs.bayes.coded_table import Value
from driftline.graphs.relational.aggregates import AGGREGATES, NONE, Aggregate, Summary
from driftline.graphs.relational.dependencies import Families, Parent
from driftline.graphs.relational.objects import Attribute, Objects

MOST_CELLS = 2**20
"""Maximum number of cells of a factor."""

Variable = Hashable
Factor = tuple[tuple[Variable, ...], Floats]


class Axis(NamedTuple):
    """A parent of one object: the number of its state, or a variable and the states of the parent it represents."""

    state: int
    variable: Variable = None
    stands_for: Ints | None = None


class Ground(NamedTuple):
    """The data needed to ground an attribute: objects, states, parents, and their aggregates."""

    objects: Objects
    states: Mapping[Attribute, Sequence[Value]]
    families: Families

    def parent_states(self, parent: Parent) -> list[str]:
        """Return the names of the states of a parent; a path through slots may reach no object."""
        if parent.aggregate is not None:
            return self.aggregate(parent).states
        own = [str(one) for one in self.states[parent.owner, str(parent.attribute)]]
        return [*own, NONE] if parent.slots else own

    def aggregate(self, parent: Parent) -> Aggregate:
        """Return the aggregate of a parent that has one."""
        known = [] if parent.attribute is None else list(self.states[parent.owner, parent.attribute])
        value: int | None = None
        if parent.value is not None:
            names = [str(one) for one in known]
            if parent.value not in names:
                raise InvalidInput(f"{parent.text!r}: there is no value {parent.value!r}; there are {', '.join(names)}")
            value = names.index(parent.value)
        return AGGREGATES[str(parent.aggregate)](known, value)

    def values(self, row: int, parent: Parent) -> tuple[list[int], list[int]]:
        """Return the objects that a parent reaches, and the code of each (0 if objects are counted, −1 if unknown)."""
        related = self.objects.related(row, parent.slots)
        if parent.attribute is None:
            return related, [0] * len(related)
        codes = self.objects.codes[parent.owner, parent.attribute]
        return related, [int(codes[one]) for one in related]

    def axis(self, key: Attribute, row: int, place: int, factors: list[Factor] | None) -> Axis:
        """Return a parent of an object; state −1 if it is unknown and `factors` is None."""
        parent = self.families[key][place]
        related, codes = self.values(row, parent)
        if parent.aggregate is None:
            if len(related) > 1:
                raise InvalidInput(
                    f"{parent.text!r} reaches {len(related)} objects from {key[0]} {self.objects.ids[key[0]][row]!r}; "
                    f"use an aggregate ({', '.join(AGGREGATES)})"
                )
            size = len(self.states[parent.owner, str(parent.attribute)])
            if not related or codes[0] >= 0 or factors is None:
                return Axis(codes[0] if related else size)
            return Axis(-1, (parent.owner, related[0], parent.attribute), np.arange(size))
        fold = self.aggregate(parent)
        summary = fold.start
        for code in codes:
            summary = fold.add(summary, code) if code >= 0 else summary
        unknown = [one for one, code in zip(related, codes) if code < 0]
        if not unknown:
            return Axis(fold.state(summary))
        if factors is None:
            return Axis(-1)
        variables = [(parent.owner, one, str(parent.attribute)) for one in unknown]
        return self._chain(fold, summary, variables, (*key, row, place), factors)

    def _chain(
        self,
        fold: Aggregate,
        summary: Summary,
        variables: Sequence[tuple[str, int, str]],
        name: Hashable,
        factors: list[Factor],
    ) -> Axis:
        """Append the factors of a chain of summaries, and return its last variable."""
        before, last = [summary], None
        for step, variable in enumerate(variables):
            size = len(self.states[variable[0], variable[2]])
            moves = [[fold.add(one, code) for code in range(size)] for one in before]
            after = list(dict.fromkeys(one for row in moves for one in row))
            if len(before) * size * len(after) > MOST_CELLS:
                raise InvalidInput(
                    f"an aggregate of {len(variables)} unknown values with {size} states each needs too large a table; "
                    f"use exists or count in place of mode, or fewer states"
                )
            table = np.full((len(before), size, len(after)), -np.inf)
            number = {one: place for place, one in enumerate(after)}
            for place, row in enumerate(moves):
                for code, one in enumerate(row):
                    table[place, code, number[one]] = 0.0
            current = ("summary", name, step)
            factors.append(((variable, current), table[0]) if last is None else ((last, variable, current), table))
            before, last = after, current
        return Axis(-1, last, np.array([fold.state(one) for one in before]))

    def factor(self, key: Attribute, row: int, logs: Floats, factors: list[Factor]) -> None:
        """Append the factor of an object's attribute, if it contains an unknown value."""
        axes = [self.axis(key, row, place, factors) for place in range(len(self.families[key]))]
        own = int(self.objects.codes[key][row])
        axes.append(Axis(own) if own >= 0 else Axis(-1, (key[0], row, key[1]), np.arange(logs.shape[-1])))
        variables = [axis.variable for axis in axes if axis.stands_for is not None]
        if not variables:
            return
        table = logs
        for place, axis in reversed(list(enumerate(axes))):
            table = np.take(table, axis.state if axis.stands_for is None else axis.stands_for, axis=place)
        if table.size > MOST_CELLS:
            raise InvalidInput(f"{key[0]}.{key[1]} has too many unknown parents at once; use fewer, or fewer states")
        factors.append(_merged(variables, table))


def _merged(variables: list[Variable], table: Floats) -> Factor:
    """Return a factor in which every variable occurs once: equal ones share an axis."""
    distinct = list(dict.fromkeys(variables))
    if len(distinct) == len(variables):
        return tuple(variables), table
    letters = [distinct.index(one) for one in variables]
    where = np.indices([table.shape[letters.index(k)] for k in range(len(distinct))])
    return tuple(distinct), table[tuple(where[k] for k in letters)]


def parts_of(factors: Sequence[Factor]) -> list[list[Factor]]:
    """Return the factors of every connected part of the graph: parts are independent of each other."""
    number: dict[Variable, int] = {}
    ends = [(f, number.setdefault(one, len(number))) for f, (scope, _) in enumerate(factors) for one in scope]
    if not ends:
        return []
    rows, columns = np.array(ends).T
    n = len(factors)
    shape = (n + len(number), n + len(number))
    graph = sp.csr_matrix((np.ones(len(rows)), (rows, n + columns)), shape=shape)
    n_parts, part = connected_components(graph, directed=False)
    found: list[list[Factor]] = [[] for _ in range(n_parts)]
    for f, factor in enumerate(factors):
        found[part[f]].append(factor)
    return [one for one in found if one]
