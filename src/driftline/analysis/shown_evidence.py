"""Evidence shown with findings: curves with their bands, and single documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """One document, shown as evidence; its text is untrusted and may be shortened (it then begins or ends with …)."""

    id: str
    time: str
    text: str
    label: str | None = None
