"""Evidence shown with findings: curves with their bands, and single documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Series:
    """A curve over time with its pointwise band; None if there is too little data to draw it."""

    times: list[str]
    value: list[float | None]
    lower: list[float | None]
    upper: list[float | None]
    level: float = 0.95


@dataclass(frozen=True)
class Example:
    """One document, shown as evidence; its text is untrusted and may be shortened (it then ends in …)."""

    id: str
    time: str
    text: str
    label: str | None = None
