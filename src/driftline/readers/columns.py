"""Finding the time, the text, the label, the author, the thread and the id among the columns.

Names come first; values decide where names mislead, are equally good, or are unknown.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.column_names import is_of_origin, is_of_person, is_of_title, plain_name
from driftline.readers.column_values import (
    are_tiny,
    clearly_longest,
    holds_dates,
    holds_message_ids,
    holds_prose,
    holds_text,
    holds_times,
    much_longer,
)
from driftline.readers.records import Columns
from driftline.readers.time_columns import TimeColumns, calendar_columns, chosen_time_columns, with_clock
from driftline.readers.timestamps import TimeReader

TIME_NAMES = (
    "time",
    "timestamp datetime",
    "date",
    "created_at created created_utc created_on creation_date created_date created_time date_created date_time when "
    "published published_at published_on publication_date published_date publish_date pub_date date_published "
    "posted posted_at posted_on posted_date post_date date_posted sent sent_at sent_on date_sent "
    "received received_at received_on date_received submitted submitted_at submitted_on date_submitted",
    "*timestamp *datetime *date *time date* time*",
    "*datum *zeitpunkt fecha* *fecha zeit",
    "year",
    "ts epoch epoch_seconds epoch_ms",
)
TEXT_NAMES = (
    "text",
    "body content full_text message msg",
    "headline title subject headline_text description comment comments tweet abstract summary review post sentence "
    "feedback remark remarks note notes response answer verbatim complaint transcript "
    "narrative overview synopsis plot details caption statement lyrics",
    "*text *body *message *content *comment *comments *feedback *description *desc *narrative",
    "kommentar kommentare nachricht rückmeldung beschreibung texto mensaje comentario texte commentaire avis",
)
LABEL_NAMES = ("label labels", "category categories class", "topic topics", "target", "tag tags")
AUTHOR_NAMES = (
    "author",
    "sender",
    "from",
    "speaker",
    "screen_name",
    "username user_name",
    "user",
    "account",
    "author_name",
    "byline",
    "publisher",
    "source",
)
THREAD_NAMES = ("thread", "thread_id", "conversation_id conversation")
REPLY_NAMES = ("references", "in_reply_to")
"""Names of columns of message ids, used as threads if there is no other thread column; the id is then `MESSAGE_ID`."""
MESSAGE_ID = "message_id"
ID_NAMES = (
    "id",
    "document_id doc_id message_id uuid guid key",
    *("sha", "commit_hash", "commit_sha", "commit_id", "commit"),
)
"""Names from best to worst; those in one string are equally good, and ``*`` matches any characters."""

_MOST_TRIED = 200
_MOST_NAMED = 4
_FIRST_OF_EQUALS = ("author", "thread")
"""Roles for which the first suitable column is used; several candidates are not an error."""


class Choice(NamedTuple):
    """The columns requested by the user: None to find one by name, False (except time and text) for none."""

    time: str | Sequence[str] | None = None
    text: str | Sequence[str] | None = None
    label: str | bool | None = None
    id: str | bool | None = None
    author: str | bool | None = None
    thread: str | bool | None = None


def find_columns(
    sample: Mapping[str, Sequence[object]],
    choice: Choice = Choice(),  # noqa: B008 (it is immutable)
    *,
    source: str = "the source",
    times: TimeReader | None = None,
) -> Columns:
    """Return the columns to read, chosen by the user or found; `sample` has some values of every column.

    >>> columns = find_columns({"Publish Date": ["20030219"], "headline_text": ["aba decides"], "topic": [None]})
    >>> columns.time, columns.text, columns.label
    ('Publish Date', ('headline_text',), 'topic')
    >>> find_columns({"date": ["2003"], "title": ["a"], "subject": ["b"]})
    Traceback (most recent call last):
    driftline.core.errors.AmbiguousInput: the text of the source may be 'title' or 'subject'; choose with text=...
    """
    names = list(sample)
    times = times or TimeReader()
    if choice.time is not None:
        chosen = [_resolve(name, names, "time", source) for name in _split("time", choice.time, names)]
        time = chosen_time_columns(chosen, sample)
    else:
        time = _time_columns(sample, times, source)
    others = [name for name in names if name not in time.names()]
    if choice.text is not None:
        text = tuple(_resolve(name, names, "text", source) for name in _split("text", choice.text, names))
    else:
        text = (_text_column(sample, others, times, source),)
    others = [name for name in others if name not in text]
    thread = _optional(choice.thread, THREAD_NAMES, names, others, "thread", source)
    if thread is None and choice.thread is None:
        replies = [name for name in others if holds_message_ids(sample[name])]
        thread = _optional(None, REPLY_NAMES, names, replies, "thread", source)
    id_names = (MESSAGE_ID, *ID_NAMES) if thread and plain_name(thread) in map(plain_name, REPLY_NAMES) else ID_NAMES
    return Columns(
        time.time,
        text,
        _optional(choice.label, LABEL_NAMES, names, others, "label", source),
        _optional(choice.id, id_names, names, others, "id", source),
        _optional(choice.author, AUTHOR_NAMES, names, others, "author", source),
        thread,
        time_parts=time.parts,
        clock=time.clock,
    )


def _time_columns(sample: Mapping[str, Sequence[object]], times: TimeReader, source: str) -> TimeColumns:
    """Return the column with the time and those that complete it, or columns of the year, the month and the day."""
    calendar = calendar_columns(sample)
    if calendar is not None:
        named, _ = _named(TIME_NAMES, list(sample), lambda name: holds_times(sample[name], times))
        if not any(holds_dates(sample[name], times) for name in named):
            return calendar
    return with_clock(_time_column(sample, times, source), sample, times)


def _time_column(sample: Mapping[str, Sequence[object]], times: TimeReader, source: str) -> str:
    """Return the best name with times; else the only column with dates; else the best name.

    The dates of a person's birth and death are used only if there is no other time.
    """
    names = list(sample)
    for considered in ([name for name in names if not is_of_person(name)], names):
        named, fit = _named(TIME_NAMES, considered, lambda name: holds_times(sample[name], times))
        dated = [] if fit else [name for name in considered[:_MOST_TRIED] if holds_dates(sample[name], times)]
        if fit or len(dated) == 1:
            break
    if not fit:
        if len(dated) == 1:
            if holds_dates([dated[0]], times):
                raise InvalidInput(
                    f"the first line of {source} is a record, not the names of the columns (one is {dated[0]!r}); "
                    "add a first line with names, such as time and text"
                )
            return dated[0]
        if not named:
            raise InvalidInput(_nothing_found("time", "a time", names, source, dated))
    for better in (lambda name: holds_dates(sample[name], times), is_of_origin):
        if len(named) > 1:
            named = list(filter(better, named)) or named
    return _only(named, "time", source)


def _text_column(sample: Mapping[str, Sequence[object]], others: Sequence[str], times: TimeReader, source: str) -> str:
    """Return the best name whose texts are long enough; else the only column with prose; else the best name.

    A title gives way to the column with the longest texts, whatever its name, if these are much longer.
    """

    def longest(names: list[str]) -> list[str]:
        best = clearly_longest({name: sample[name] for name in names})
        return names if best is None else [best]

    named, fit = _named(TEXT_NAMES, others, lambda name: holds_text(sample[name]) and not are_tiny(sample[name]))
    tried = others[:_MOST_TRIED]
    prose = [name for name in tried if holds_prose(sample[name]) and not holds_dates(sample[name], times)]
    if fit:
        best = longest(named)
        if all(is_of_title(name) for name in best):
            return much_longer({name: sample[name] for name in prose}, than=best) or _only(best, "text", source)
        return _only(best, "text", source)
    if named:
        prose = [name for name in prose if not are_tiny(sample[name])]
    if len(best := longest(prose)) == 1:
        return best[0]
    if not named:
        raise InvalidInput(_nothing_found("text", "a text", list(sample), source, prose))
    named, _ = _named(TEXT_NAMES, others, lambda name: holds_text(sample[name]))
    return _only(longest(named), "text", source)


def known_columns(
    names: Sequence[str], choice: Choice, default: Choice, *, source: str, origin: str | None = None
) -> Columns:
    """Return the columns of a source with fixed columns, such as mail: the chosen ones, or the defaults.

    >>> usual = Choice("time", ("subject", "body"), label=False, id=False)
    >>> known_columns(["time", "subject", "body"], Choice(text="subject"), usual, source="the mail").text
    ('subject',)
    """
    merged = default._replace(**{role: name for role, name in choice._asdict().items() if name is not None})
    return find_columns(dict.fromkeys(names, ()), merged, source=source)._replace(origin=origin)


def _optional(
    chosen: str | bool | None, known: Sequence[str], names: list[str], others: list[str], role: str, source: str
) -> str | None:
    if chosen is False:
        return None
    if chosen is None and role in _FIRST_OF_EQUALS:
        plain = [(name, plain_name(name)) for name in others]
        fitting = (name for tier in known for name, bare in plain if any(_matches(bare, p) for p in _patterns(tier)))
        return next(fitting, None)
    if chosen is None:
        named, _ = _named(known, others)
        return _only(named, role, source) if named else None
    if not isinstance(chosen, str):
        raise InvalidInput(f"{role} must be the name of a column, None to find it or False to have none, not {chosen}")
    return _resolve(chosen, names, role, source)


def _named(
    known: Sequence[str], names: Sequence[str], fits: Callable[[str], bool] = lambda name: True
) -> tuple[list[str], bool]:
    """Return the columns with the best names, and whether their values are suitable.

    If any column of a known name has suitable values, the others are ignored. The names are equally good; none is
    returned if no name is known.
    """
    fallback: list[str] = []
    plain = [(name, plain_name(name)) for name in names]
    for tier in known:
        patterns = _patterns(tier)
        candidates = [name for name, bare in plain if any(_matches(bare, pattern) for pattern in patterns)]
        fitting = [name for name in candidates if fits(name)]
        if fitting:
            return fitting, True
        fallback = fallback or candidates
    return fallback, False


def _only(candidates: Sequence[str], role: str, source: str) -> str:
    if len(candidates) == 1:
        return candidates[0]
    shown = candidates[:_MOST_NAMED]
    listed = " or ".join(repr(name) for name in shown)
    listed += f" or {len(candidates) - len(shown)} more" if len(shown) < len(candidates) else ""
    none = f", or {role}=False for none" if role in ("label", "id") else ""
    options = " or ".join(f"{role}={name!r}" for name in shown)
    raise AmbiguousInput(f"the {role} of {source} may be {listed}; choose with {options}{none}")


class _Pattern(NamedTuple):
    """The start or the end of a name (or all of it), without case, spaces and punctuation."""

    plain: str
    is_end: bool
    is_start: bool


@functools.cache
def _patterns(tier: str) -> tuple[_Pattern, ...]:
    return tuple(
        _Pattern(plain_name(pattern), pattern.startswith("*"), pattern.endswith("*")) for pattern in tier.split()
    )


def _matches(plain: str, pattern: _Pattern) -> bool:
    if pattern.is_start:
        return plain.startswith(pattern.plain)
    return plain.endswith(pattern.plain) if pattern.is_end else plain == pattern.plain


def _resolve(wanted: str, names: Sequence[str], role: str, source: str) -> str:
    if wanted in names:
        return wanted
    alike = [name for name in names if plain_name(name) == plain_name(wanted)]
    if len(alike) == 1:
        return alike[0]
    if alike:
        listed = " or ".join(repr(name) for name in alike)
        raise AmbiguousInput(f"{role}={wanted!r} may be {listed} of {source}; write the exact name")
    close = difflib.get_close_matches(wanted, [str(name) for name in names], n=1)
    hint = f"; did you mean {role}={close[0]!r}?" if close else ""
    raise InvalidInput(f"{source} has no column {wanted!r} for {role}= (its columns: {_listed(names)}){hint}")


def _split(role: str, given: str | Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names in ``"subject,body"`` or ``"subject+body"``, unless a column has exactly that name."""
    if not isinstance(given, str):
        if not given:
            raise InvalidInput(f"{role}=[] names no column; name at least one, or omit {role} to find it")
        return list(given)
    return [given] if given in names else [part.strip() for part in re.split("[,+]", given)]


def _nothing_found(role: str, words: str, names: Sequence[str], source: str, likely: Sequence[str]) -> str:
    """Return the message that no column was found, with those whose values would fit."""
    candidates = " or ".join(f"{role}={name!r}" for name in likely[:_MOST_NAMED])
    hint = f"; by their values it may be {candidates}" if candidates else ""
    return (
        f"no column of {source} looks like {words} by its name (its columns: {_listed(names)}); "
        f"name it with {role}={hint}"
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(str(name)[:60] for name in names[:20])
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")
