"""What became of every wish of a guide."""

from __future__ import annotations

from dataclasses import dataclass

from driftline.core.results import Results


@dataclass(frozen=True)
class WishReport:
    """What became of one wish.

    Attributes
    ----------
    name : str
        The wish in a few words.
    heeded : bool
        Whether the model does what was wished.
    measure : str
        What `without` and `with_guide` measure.
    without, with_guide : float
        The measure by the words of the documents alone, and with the guide; NaN where there is none.
    notes : tuple of str
        Words that are unknown, documents that were left out, and suggestions; of a proportion, how much rarer or
        commoner its multiplier makes the topic.
    """

    name: str
    heeded: bool
    measure: str
    without: float
    with_guide: float
    notes: tuple[str, ...] = ()


def reported(wishes: list[WishReport]) -> Results[WishReport]:
    """Return the reports as a result."""
    return Results(WishReport, wishes, name="name", quantity="with_guide")
