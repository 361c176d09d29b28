"""The documents included in curves and tests: those with plausible dates. The others are listed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa

from driftline.analysis.examples import shortened
from driftline.analysis.finding import Finding, nothing
from driftline.analysis.shown_evidence import Example
from driftline.core.arrays import Bools, Datetimes
from driftline.core.days_of_dates import MICROSECONDS_PER_DAY
from driftline.core.errors import InvalidInput
from driftline.core.times import Moment, TimeAxis, iso
from driftline.streams.long_gaps import long_gaps
from driftline.streams.units import units_of
from driftline.streams.unusual_dates import UnusualDates, unusual_dates

if TYPE_CHECKING:
    from driftline.analysis.context import Context

Reason = Literal["early", "late", "future", "imported", "since", "until"]
KINDS = ("strays", "imports", "future")
"""Kinds of unusual dates that may be kept."""
MOST_IDS = 1_000
"""Maximum number of ids listed for one reason."""
_MOST_EXAMPLES = 5


@dataclass(frozen=True)
class DatesAside:
    """Documents excluded from curves and tests because of their dates.

    `reason` is ``"early"`` or ``"late"`` (outliers, far from all others), ``"future"``, ``"imported"`` (many documents
    of one instant), or ``"since"`` or ``"until"`` (outside the requested dates). `ids` has at most 1,000 of them.
    """

    reason: Reason
    n_documents: int
    first: str
    last: str
    ids: list[str]
    examples: list[Example] = field(default_factory=list)


@dataclass(frozen=True)
class Gap:
    """A long gap without documents: the last time before it and the first after it. Curves are interrupted here."""

    start: str
    end: str


@dataclass(frozen=True)
class DateFindings:
    """The numbers of documents read and included, the excluded ones with reasons, and the gaps."""

    n_documents: int
    n_used: int
    aside: list[DatesAside] = field(default_factory=list)
    holes: list[Gap] = field(default_factory=list)


class DateOptions(NamedTuple):
    """Options for dates: `keep` names kinds of unusual dates to keep (or ``"all"``), `since` and `until` the span.

    `since` and `until` are dates in any accepted format, both included; a date without a time means the whole day.
    `now` defaults to the present.
    """

    keep: Collection[str] | str = ()
    since: Moment | None = None
    until: Moment | None = None
    now: Moment | None = None


def set_aside(documents: pa.Table, times: Datetimes, options: DateOptions) -> tuple[Bools, DateFindings]:
    """Return the included documents, and a record of the others.

    `documents` has the columns `id`, `text` and `label`; `times` are their times. If bounds are given, unusual dates
    are searched for between them.
    """
    since, until = _bound(options.since, "first", last=False), _bound(options.until, "last", last=True)
    if since is not None and until is not None and since > until:
        raise InvalidInput(f"the first date, {options.since!r}, is later than the last, {options.until!r}; swap them")
    reasons: dict[Reason, Bools] = {}
    used = np.ones(len(times), dtype=np.bool_)
    if since is not None:
        reasons["since"] = times < since
    if until is not None:
        reasons["until"] = times > until
    for outside in reasons.values():
        used &= ~outside
    if len(times) and not used.any():
        raise InvalidInput(
            f"none of the {len(times):,} documents lies within the requested dates; they range from "
            f"{iso(times.min())} to {iso(times.max())}: choose a first and a last date within that"
        )
    for reason, unusual in _unusual(times, used, options).items():
        reasons[reason] = unusual
        used &= ~unusual
    aside = [_describe(reason, documents, times, rows) for reason, rows in reasons.items() if rows.any()]
    return used, DateFindings(len(times), int(used.sum()), aside, find_gaps(_those(times, used)))


def used_times(times: Datetimes, document_times: Datetimes, used: Bools) -> Datetimes:
    """Return those of `times` (with duplicates) that are not at an excluded date and not beyond the included span.

    A duplicate may be later than every counted document; it is excluded only if it is next to excluded documents.
    """
    first, last, aside = document_times[used].min(), document_times[used].max(), document_times[~used]
    beyond = ((times < first) & (aside < first).any()) | ((times > last) & (aside > last).any())
    return _those(times, ~beyond & ~np.isin(times, aside))


def find_gaps(times: Datetimes) -> list[Gap]:
    """Return the gaps between the times of documents."""
    if len(times) == 0:
        return []
    axis = TimeAxis("datetime")
    found = long_gaps(units_of(times).middle)
    instants = np.sort(axis.values(times))
    result = []
    for start, end in found:
        # unit midpoints are means of their documents; the gap lies between documents
        before = instants[np.searchsorted(instants, (start + end) / 2) - 1]
        after = instants[np.searchsorted(instants, (start + end) / 2)]
        first, last = axis.restore([before, after])
        result.append(Gap(iso(first), iso(last)))
    return result


def checked_kinds(keep: Collection[str] | str) -> set[str]:
    """Return the kinds of unusual dates to keep; ``"all"`` stands for every one."""
    kinds = {keep} if isinstance(keep, str) else set(keep)
    unknown = sorted(kinds - {*KINDS, "all"})
    if unknown:
        raise InvalidInput(f"keep_dates may name {', '.join(KINDS)} or all, not {unknown[0]!r}")
    return set(KINDS) if "all" in kinds else kinds


def _unusual(times: Datetimes, used: Bools, options: DateOptions) -> dict[Reason, Bools]:
    kept = checked_kinds(options.keep)
    found: UnusualDates = unusual_dates(_those(times, used), now=options.now)
    chosen: dict[Reason, Bools] = {}
    if "imports" not in kept:
        chosen["imported"] = found.imported
    if "future" not in kept:
        chosen["future"] = found.future
    if "strays" not in kept:
        chosen |= {"early": found.early, "late": found.late}
    result: dict[Reason, Bools] = {}
    for reason in get_args(Reason):
        if reason in chosen:
            whole = np.zeros(len(times), dtype=np.bool_)
            whole[used] = chosen[reason]
            result[reason] = whole
    return result


def _those(times: Datetimes, used: Bools) -> Datetimes:
    """Return some of the times; the same array if all are used, which is then not converted again."""
    return times if used.all() else times[used]


def _bound(given: Moment | None, name: str, *, last: bool) -> np.datetime64 | None:
    """Return a bound as a time; a date means the whole day."""
    if given is None:
        return None
    try:
        day_only = isinstance(given, str) and len(given.strip()) == len("2003-03-20")
        moment: np.datetime64 = TimeAxis("datetime").restore(TimeAxis("datetime").values([given]))[0]
    except InvalidInput as error:
        raise InvalidInput(f"the {name} date, {given!r}, is not a date; write it as 2003-03-20") from error
    return moment + np.timedelta64(MICROSECONDS_PER_DAY - 1, "us") if last and day_only else moment


def _describe(reason: Reason, documents: pa.Table, times: Datetimes, rows: Bools) -> DatesAside:
    places = np.flatnonzero(rows)
    shown = documents.take(pa.array(places[:_MOST_EXAMPLES])).to_pylist()
    examples = [
        Example(str(row["id"]), iso(times[place]), shortened(row["text"] or ""), row["label"])
        for place, row in zip(places, shown)
    ]
    ids = documents["id"].take(pa.array(places[:MOST_IDS])).to_pylist()
    return DatesAside(
        reason, len(places), iso(times[rows].min()), iso(times[rows].max()), [str(i) for i in ids], examples
    )


def find(context: Context) -> DateFindings | None:
    """Describe the dates of the stream; an empty stream has none."""
    return None if context.is_empty else context.parted[1]


DATES = Finding("dates", find, empty=nothing, position=230, always=True, since=11)
