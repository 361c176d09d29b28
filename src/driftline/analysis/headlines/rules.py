"""The criteria for headlines; each can be set."""

from __future__ import annotations

from dataclasses import dataclass, fields

from driftline.analysis.headlines.linkage import LEAST_SIMILARITY
from driftline.core.errors import InvalidInput


@dataclass(frozen=True)
class HeadlineRules:
    """The criteria for headlines.

    Parameters
    ----------
    min_ratio : float
        Minimum lower confidence limit of the ratio of a lasting change.
    min_event_ratio : float
        The same for an event of at most three units, and for a stop word.
    min_event_share : float
        Minimum share of the texts with a word that an event must contain.
    most_events_at_once : int
        Maximum number of stories that are events of overlapping days; others remain in the table.
    most_same_periods : int
        The same for lasting changes whose periods begin and end at about the same time.
    min_documents : int
        Minimum number of distinct texts with the word inside the window (outside it for a word that became rarer);
        passages of one document and its near-copies of the same day are one text.
    n_stories : int
        Maximum number of stories.
    most_words : int
        Maximum number of words listed in one story.
    min_similarity : float
        Average similarity above which words are grouped into a story.
    min_within_ratio : float
        A change whose ratio within groups has a lower limit below this, and is itself below the square root of the
        crude ratio, is a change of composition.
    most_of_one_author : float
        If one author wrote more than this share of the documents with a word, its change is one of composition, too.

    >>> HeadlineRules(min_ratio=2.0).min_ratio
    2.0
    """

    min_ratio: float = 1.5
    min_event_ratio: float = 3.0
    min_event_share: float = 0.2
    most_events_at_once: int = 2
    most_same_periods: int = 3
    min_documents: int = 8
    n_stories: int = 8
    most_words: int = 7
    min_similarity: float = LEAST_SIMILARITY
    min_within_ratio: float = 1.2
    most_of_one_author: float = 0.6

    def __post_init__(self) -> None:
        least = {"min_ratio": 1.0, "min_event_ratio": 1.0, "min_documents": 1, "n_stories": 0, "most_words": 1}
        for each in fields(self):
            value = getattr(self, each.name)
            if not value >= least.get(each.name, 0.0):
                raise InvalidInput(f"{each.name} must be at least {least.get(each.name, 0.0):g}, not {value!r}")


DEFAULT_RULES = HeadlineRules()
