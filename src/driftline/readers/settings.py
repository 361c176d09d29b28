"""All options of `driftline.read`, and one part of a source with its reader."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from driftline.readers.columns import Choice, find_columns
from driftline.readers.records import Chooser, Columns, Limits, Records
from driftline.readers.timestamps import TimeReader


@dataclass(frozen=True)
class Settings:
    """All options of `driftline.read`."""

    choice: Choice = Choice()  # noqa: RUF009 (it is immutable)
    format: str | None = None
    limits: Limits = field(default_factory=Limits)
    encoding: str | None = None
    max_expansion: float = 200.0
    file_time: str = "auto"
    drop_quotes: bool = False
    time_unit: str | None = None
    dayfirst: bool | None = None
    timezone: str | None = None
    sheet: str | None = None
    table: str | None = None

    def times(self) -> TimeReader:
        """Return a new reader of times."""
        return TimeReader(time_unit=self.time_unit, dayfirst=self.dayfirst, timezone=self.timezone)

    def chooser(self, source: str) -> Chooser:
        """Return the function that finds the columns of a table-like source."""
        return functools.partial(find_columns, choice=self.choice, source=source, times=self.times())


class Part(NamedTuple):
    """One part of a source.

    `columns` is fixed for mail, commits and text files, otherwise found in the data. `source_kind` is the kind of texts
    if the format implies it (`driftline.text.source_kinds`).
    """

    name: str
    open: Callable[[], Iterator[Records]]
    columns: Columns | None = None
    time_from: str | None = None
    source_kind: str | None = None
