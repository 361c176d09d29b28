"""Which priors of a topic model are learned."""

from __future__ import annotations

from typing import NamedTuple


class Learned(NamedTuple):
    """Which priors are learned: that of the topics in a document (α), that of the words in a topic (β)."""

    document: bool = False
    word: bool = False


NONE_LEARNED = Learned()
"""Both priors as given."""
