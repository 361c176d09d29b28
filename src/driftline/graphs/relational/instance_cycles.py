"""Objects that would depend on themselves: cycles in the network of all objects."""

from __future__ import annotations

from driftline.core.errors import InvalidInput
from driftline.graphs.relational.factor_grounding import Ground
from driftline.graphs.relational.objects import Attribute

Node = tuple[Attribute, int]


def check_objects(ground: Ground, looped: set[Attribute]) -> None:
    """Raise an error that names a cycle if an object's attribute depends on itself; only those in class cycles can."""
    parents: dict[Node, list[Node]] = {
        (key, row): [] for key in looped for row in range(len(ground.objects.ids[key[0]]))
    }
    for key, row in parents:
        for parent in ground.families[key]:
            above = (parent.owner, str(parent.attribute))
            if above in looped:
                parents[key, row] += [(above, one) for one in ground.objects.related(row, parent.slots)]
    children: dict[Node, list[Node]] = {node: [] for node in parents}
    waiting = {node: len(above) for node, above in parents.items()}
    for node, above in parents.items():
        for one in above:
            children[one].append(node)
    ready = [node for node, n in waiting.items() if not n]
    while ready:
        node = ready.pop()
        del waiting[node]
        for child in children[node]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    if waiting:
        shown = " → ".join(
            f"{owner} {ground.objects.ids[owner][row]!r}.{name}" for (owner, name), row in _cycle(parents, set(waiting))
        )
        raise InvalidInput(f"objects depend on themselves: {shown}; remove a reference, or the dependency")


def _cycle(parents: dict[Node, list[Node]], left: set[Node]) -> list[Node]:
    """Return a cycle among nodes that all have a parent among them."""
    path = [min(left)]
    while True:
        above = next(one for one in parents[path[-1]] if one in left)
        if above in path:
            return [above, *reversed(path[path.index(above) :])]
        path.append(above)
