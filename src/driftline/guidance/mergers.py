"""Names of topics that a guide merges into others: wishes about them become wishes about the merged topic."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from driftline.core.errors import InvalidInput
from driftline.guidance.wishes import KeepWish, LabelWish, MergeWish, ProportionWish, TopicWish, Wish


def merged_names(wishes: Sequence[Wish]) -> dict[str, str]:
    """Return the names that are merged away, each with the name of the topic that it ends up in.

    >>> merged_names([MergeWish(("war", "iraq")), MergeWish(("news", "war"))])
    {'iraq': 'news', 'war': 'news'}
    """
    into = {
        other: wish.topics[0]
        for wish in wishes
        if isinstance(wish, MergeWish) and isinstance(wish.topics[0], str)
        for other in wish.topics[1:]
        if isinstance(other, str)
    }
    found: dict[str, str] = {}
    for name in into:
        last, seen = name, {name}
        while last in into:
            last = str(into[last])
            if last in seen:
                raise InvalidInput(f"merge: {last!r} is merged into itself, through {name!r}")
            seen.add(last)
        found[name] = last
    return found


def renamed(wish: Wish, merged: Mapping[str, str]) -> Wish:
    """Return a wish about the merged topic instead of one that is merged away."""
    if isinstance(wish, TopicWish) and wish.name in merged:
        return dataclasses.replace(wish, name=merged[wish.name], number=None)
    if isinstance(wish, LabelWish) and wish.topic in merged:
        return dataclasses.replace(wish, topic=merged[str(wish.topic)])
    if isinstance(wish, ProportionWish) and wish.topic in merged:
        raise InvalidInput(
            f"{wish.topic!r} is merged into {merged[str(wish.topic)]!r}; give the proportion of the merged topic"
        )
    return wish


def declared_names(wishes: Sequence[Wish], present: KeepWish | None) -> set[str]:
    """Return all names that a merger may mention: topics of the guide, of kept models and of the current model."""
    kept = [wish for wish in wishes if isinstance(wish, KeepWish)] + ([] if present is None else [present])
    found = {wish.name for wish in wishes if isinstance(wish, TopicWish)}
    return found.union(*({*wish.names, *wish.others, *wish.gone} for wish in kept))
