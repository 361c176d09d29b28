"""The choice of the priors of a topic model that are learned."""

from __future__ import annotations

from typing import NamedTuple


class Learned(NamedTuple):
    """Flags of the priors that are learned: that of the topics in a document (α), that of the words in a topic (β)."""

    document: bool = False
    word: bool = False


NONE_LEARNED = Learned()
"""Both priors as given."""
