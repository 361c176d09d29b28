r"""The test of the words of a report: a change in the share of documents, not only in their length.

A word of constant share p is in a document of n words with probability :math:`1 - (1 - p)^n`. If documents grow longer,
every word is in more of them, without any change in usage. If the length of documents changed for longer than a unit, a
word must therefore also change as a share of all words; if not, only documents are counted, which a single document
with forty uses cannot influence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from driftline.analysis.items import Items, present
from driftline.core.arrays import Ints
from driftline.core.randomness import Seed
from driftline.local.changed_words.discovery import ChangedWords, changed_words
from driftline.streams.exchange import given_or_exchange_units


def changed_items(
    items: Items,
    *,
    texts: Ints | None = None,
    unit: object = "auto",
    groups: Mapping[str, Ints] | None = None,
    events: bool = True,
    false_discovery_rate: float = 0.05,
    random_state: Seed = 0,
) -> ChangedWords:
    """Test the share of items that contain each word; items with the same number in `texts` are one text (`texts_of`).

    `groups` are authors or threads, one number per item. If `unit` is the name of one of them, a lasting change must
    also be significant when whole groups are permuted; with ``"auto"``, if the items demand it (`changed_words`).

    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(150), 8)
    >>> longer = rng.poisson((1 + day / 50)[:, None] * np.full(60, 0.2))
    >>> times = np.datetime64("2024-01-01", "us") + day * np.timedelta64(1, "D")
    >>> items = Items(sp.csr_array(longer), times, np.arange(len(day)), "documents")
    >>> by_documents = changed_words(present(items.counts), times=times, sizes=np.ones(len(day)))
    >>> int(by_documents.lasting.sum()), int(changed_items(items).lasting.sum())
    (60, 0)
    """
    groups = {} if groups is None else groups
    name = unit if isinstance(unit, str) else ""
    named = groups.get(name)
    unit = unit if named is None else "auto"
    units = given_or_exchange_units(items.times, unit=unit)
    shared: dict[str, Any] = {
        "times": items.times,
        "unit": units,
        "texts": texts,
        "events": events,
        "false_discovery_rate": false_discovery_rate,
        "random_state": random_state,
    }
    sizes = np.ones(len(items.times))
    may_choose = groups if named is None and isinstance(unit, str) and unit == "auto" else None
    first = {**shared, "unit": unit} if may_choose else shared
    found = changed_words(present(items.counts), sizes=sizes, groups=may_choose, **first)
    if named is not None:
        among = changed_words(
            present(items.counts), sizes=sizes, **{**shared, "unit": named, "texts": None, "events": False}
        )
        found = found.beyond(name, among)
    if not found.changed.any() or not lengths_changed(items, unit=units, random_state=random_state):
        return found
    of_words = changed_words(items.counts, **shared)
    slow, slow_of_words = found.longer_than_a_week, of_words.longer_than_a_week
    return found._replace(
        p_value=np.maximum(found.p_value, of_words.p_value),
        q_value=np.maximum(found.q_value, of_words.q_value),
        lasting=found.lasting & of_words.lasting,
        with_groups=None if found.with_groups is None else found.with_groups & of_words.lasting,
        longer_than_a_week=None if slow is None or slow_of_words is None else slow & slow_of_words,
        event=found.event & of_words.changed,
        event_q_value=np.where(of_words.changed, found.event_q_value, 1.0),
    )


def lengths_changed(items: Items, *, unit: object = "auto", random_state: Seed = 0, level: float = 0.05) -> bool:
    """Return whether the length of items changed for longer than a unit."""
    lengths = sp.csr_array(np.asarray(items.counts.sum(axis=1), dtype=np.float64).reshape(-1, 1))
    sizes = np.ones(len(items.times))
    tested = changed_words(
        lengths, times=items.times, sizes=sizes, unit=unit, events=False, min_documents=1, random_state=random_state
    )
    return bool((tested.p_value < level).any())
