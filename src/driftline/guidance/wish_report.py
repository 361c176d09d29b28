"""The outcome of every wish of a guide."""

from __future__ import annotations

from dataclasses import dataclass

from driftline.core.results import Results


@dataclass(frozen=True)
class WishReport:
    """The outcome of one wish.

    Attributes
    ----------
    name : str
        The wish in a few words.
    heeded : bool
        Whether the fitted model fulfils the wish.
    measure : str
        What `without` and `with_guide` measure.
    without, with_guide : float
        The measure from the words of the documents alone (of the words of a topic: before the refit), and with the
        guide; NaN where there is none.
    notes : tuple of str
        Unknown words, omitted documents, and suggestions; for a proportion, the factor by which its multiplier changes
        the topic's odds.
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
