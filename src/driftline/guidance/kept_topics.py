"""The topics of a fitted model as a wish for another."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np

from driftline.core.errors import InvalidInput
from driftline.core.fitted_models import FittedTopics
from driftline.guidance.wishes import KeepWish, TopicName, TopicWish, Wish


def topic_names(model: FittedTopics) -> list[str]:
    """Return the names of a model's topics; their numbers where there are none."""
    named = getattr(model, "topic_names_", None)
    return [str(k) for k in range(len(model.components_))] if named is None else list(named)


def number_of(topic: TopicName, names: Sequence[str]) -> int:
    """Return the number of a topic that is given by name or number.

    >>> number_of("war", ["tax", "war"]), number_of(0, ["tax", "war"])
    (1, 0)
    """
    if isinstance(topic, str):
        if topic in names:
            return list(names).index(topic)
        raise InvalidInput(f"there is no topic {topic!r}; {_suggestion(topic, names)}")
    if not 0 <= int(topic) < len(names):
        raise InvalidInput(f"there is no topic {topic}; the topics are 0 to {len(names) - 1}")
    return int(topic)


def _suggestion(topic: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(topic, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    named = [name for k, name in enumerate(names) if name != str(k)]
    return f"the named topics are {', '.join(named)}" if named else f"the topics are 0 to {len(names) - 1}"


def kept_topics(model: FittedTopics, topics: Sequence[TopicName] | None, weight: float) -> KeepWish:
    """Return topics of a fitted model with their expected counts."""
    components = getattr(model, "components_", None)
    if components is None:
        raise InvalidInput(f"keep needs a fitted topic model, not {type(model).__name__}")
    names = topic_names(model)
    chosen = [number_of(topic, names) for topic in (range(len(names)) if topics is None else topics)]
    counts = getattr(model, "topic_counts_", None)
    counts = np.asarray(components) if counts is None else np.asarray(counts)
    vocabulary = getattr(model, "vocabulary", None)
    words = None if vocabulary is None else tuple(str(word) for word in vocabulary)
    rest = {name: counts[k].astype(np.float64) for k, name in enumerate(names) if k not in chosen and name != str(k)}
    own = counts[chosen].astype(np.float64)
    return KeepWish(tuple(names[k] for k in chosen), tuple(chosen), words, own, weight, rest)


def present_topics(model: Any) -> KeepWish:
    """Return the topics of a model that is refitted, without a prior, and the names that it has merged before."""
    return dataclasses.replace(kept_topics(model, None, 0.0), gone=tuple(getattr(model, "_merged_names_", ())))


def wished_names(wish: Wish) -> tuple[str, ...]:
    """Return the names of the topics that a wish creates.

    >>> from driftline.guidance import Guide
    >>> [wished_names(wish) for wish in Guide().topic("war", words=["iraq"]).together("car", "cars").wishes]
    [('war',), ()]
    """
    if isinstance(wish, KeepWish):
        return wish.names
    return (wish.name,) if isinstance(wish, TopicWish) else ()
