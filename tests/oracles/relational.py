"""Relational models by enumeration: every joint state of the unknown values, with the product of all tables."""

from __future__ import annotations

import itertools
from collections import Counter


def reached(tables, inverses, owner, row, path):
    """Follow slots from an object; return the class and the rows at the end.

    `inverses` maps (class, inverse slot) to (class that refers, its slot); `tables` have lists of ids in slots, and
    targets as {(class, slot): class} under the key None.
    """
    at, rows = owner, [row]
    for slot in path:
        if (at, slot) in inverses:
            source, forward = inverses[at, slot]
            ids = tables[at]["id"]
            found = [r for here in rows for r, refs in enumerate(tables[source][forward]) if ids[here] in _listed(refs)]
            at = source
        else:
            target = tables[None][at, slot]
            found = [tables[target]["id"].index(one) for here in rows for one in _listed(tables[at][slot][here])]
            at = target
        rows = list(dict.fromkeys(found))
    if path and at == owner:
        rows = [one for one in rows if one != row]
    return at, rows


def parent_state(tables, inverses, states, owner, row, text):
    """Return the name of a parent's state, given complete tables."""
    aggregate, inner = None, text
    if "(" in text:
        aggregate, inner = text[:-1].split("(", 1)
    inner, _, value = (part.strip() for part in inner.partition("="))
    *path, last = inner.split(".")
    at, _ = reached(tables, inverses, owner, 0, path) if tables[owner]["id"] else (owner, [])
    if aggregate in ("count", "exists") and not value:
        path, last = [*path, last], None
    at, rows = reached(tables, inverses, owner, row, path)
    values = [str(tables[at][last][one]) for one in rows] if last else ["x"] * len(rows)
    if aggregate is None:
        return values[0] if values else "none"
    if aggregate == "mode":
        if not values:
            return "none"
        most = max(Counter(values).values())
        return next(str(one) for one in states[at, last] if values.count(str(one)) == most)
    if aggregate == "mean":
        if not values:
            return "none"
        middle = sum(map(float, values)) / len(values)
        return str(min(states[at, last], key=lambda one: (abs(one - middle), one)))
    n = len(values) if not value else values.count(value)
    if aggregate == "exists":
        return "yes" if n else "no"
    return str(n) if n < 3 else "3 or more"


def enumerated(model, families, tables, inverses):
    """Return the distribution of every unknown value, and the best joint states, by the product of all tables."""
    states = {tuple(name.split(".")): own for name, own in zip(model.names_, model.states_)}
    unknown = [
        (owner, row, attribute)
        for owner, attribute in states
        for row, value in enumerate(tables[owner][attribute])
        if value is None
    ]
    sums = {key: Counter() for key in unknown}
    best, best_states = -1.0, None
    for values in itertools.product(*(states[owner, attribute] for owner, _, attribute in unknown)):
        filled = {
            owner: table if owner is None else {name: list(column) for name, column in table.items()}
            for owner, table in tables.items()
        }
        for (owner, row, attribute), value in zip(unknown, values):
            filled[owner][attribute][row] = value
        p = 1.0
        for name, above, own, table in zip(model.names_, model.parent_states_, model.states_, model.tables_):
            owner, attribute = name.split(".")
            for row, value in enumerate(filled[owner][attribute]):
                at = tuple(
                    known.index(parent_state(filled, inverses, states, owner, row, text))
                    for known, text in zip(above, families.get(name, ()))
                )
                p *= table[(*at, own.index(value))]
        for key, value in zip(unknown, values):
            sums[key][value] += p
        if p > best:
            best, best_states = p, dict(zip(unknown, values))
    named = {(owner, tables[owner]["id"][row], attribute): key for key in unknown for owner, row, attribute in [key]}
    total = {key: sum(sums[key].values()) for key in unknown}
    shares = {name: {v: p / total[key] for v, p in sums[key].items()} for name, key in named.items()}
    return shares, {name: best_states[key] for name, key in named.items()}, best


def _listed(refs):
    if refs is None:
        return []
    return refs if isinstance(refs, list) else [refs]
